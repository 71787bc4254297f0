// SPDX-License-Identifier: GPL-3.0-or-later
// title: a 64 x 64 half tile, transposed: rows in as half2, columns out as half
const int N = 64;

__global__ void transpose(half *out, const __half2 *in)
{
    __shared__ __align__(16) half tile[N][N];
    for (int r = threadIdx.y; r < N; r += blockDim.y)
        *(__half2 *)&tile[r][2 * threadIdx.x] = in[r * N / 2 + threadIdx.x];
    __syncthreads();
    for (int c = threadIdx.y; c < N; c += blockDim.y)
        for (int r = threadIdx.x; r < N; r += 32)
            out[c * N + r] = tile[r][c];
}

transpose<<<1, dim3(32, 8)>>>(out, in);
