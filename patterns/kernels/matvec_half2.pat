// SPDX-License-Identifier: GPL-3.0-or-later
// title: Matrix times vector with half2
//
// The vector is staged as half2, a word a lane. Each warp takes rows and reads the vector along
// its lanes; the row comes from global memory. Then a reduction by shuffles.

#include <cuda_fp16.h>

constexpr int COLS = 512;

__global__ void matvec(const __half2 *__restrict__ mat, const __half2 *__restrict__ vec, __half *out, int rows)
{
    __shared__ __half2 s_vec[COLS / 2];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;

    for (int i = threadIdx.x; i < COLS / 2; i += blockDim.x)
        s_vec[i] = __ldg(&vec[i]);                              // expect: 1-way, 8 wavefronts
    __syncthreads();

    for (int row = warp; row < rows; row += warps) {
        __half2 acc = __float2half2_rn(0.0f);
#pragma unroll
        for (int i = lane; i < COLS / 2; i += 32)
            acc = __hfma2(mat[row * (COLS / 2) + i], s_vec[i], acc);    // expect: 1-way, 128 wavefronts
        float sum = __half2float(__low2half(acc)) + __half2float(__high2half(acc));
        for (int offset = 16; offset > 0; offset >>= 1)
            sum += __shfl_down_sync(0xffffffffu, sum, offset);
        if (lane == 0)
            out[row] = __float2half(sum);
    }
}

matvec<<<1, 128>>>(mat, vec, out, 16);
