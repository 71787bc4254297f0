// SPDX-License-Identifier: GPL-3.0-or-later
// title: Epilogue: accumulators to bf16 through stmatrix, out in 16-byte rows
//
// A warp's 16 x 64 result goes to shared memory by stmatrix.x4, four 8 x 8 blocks at a time, and
// leaves as whole rows. LDC is the row's length in elements: 64 would be 8-way, 64 + 8 is free for
// the blocks and for the 16-byte reads.

#include <cuda_bf16.h>

const int LDC = 64 + 8;

__global__ void epilogue(__nv_bfloat16 *C, const uint32_t *acc, int ldc)
{
    __shared__ __align__(16) __nv_bfloat16 smem[4][16 * LDC];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    __nv_bfloat16 *tile = smem[warp];

#pragma unroll
    for (int j = 0; j < 4; j++) {
        const uint32_t *d = acc + (warp * 4 + j) * 4;
        uint32_t dst = static_cast<uint32_t>(__cvta_generic_to_shared(&tile[(lane % 16) * LDC + j * 16 + (lane / 16) * 8]));
        asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};\n" ::"r"(dst), "r"(d[0]), "r"(d[1]), "r"(d[2]), "r"(d[3]));  // expect: 1-way, 64 wavefronts
    }
    __syncwarp();

#pragma unroll
    for (int i = 0; i < 4; i++) {
        const int row = i * 4 + lane / 8, col = (lane % 8) * 8;
        *reinterpret_cast<uint4 *>(&C[(warp * 16 + row) * ldc + col]) =
            *reinterpret_cast<const uint4 *>(&tile[row * LDC + col]);   // expect: 1-way, 64 wavefronts
    }
}

epilogue<<<1, 128>>>(C, acc, 64);
