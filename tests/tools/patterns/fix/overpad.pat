// SPDX-License-Identifier: GPL-3.0-or-later
// title: a pad of 8, where 1 would do
const int TILE = 32;

__global__ void k(float *out)
{
    __shared__ float tile[TILE][TILE + 8];
    tile[threadIdx.y][threadIdx.x] = 1.0f;
    __syncthreads();
    out[0] = tile[threadIdx.x][threadIdx.y];
}

k<<<1, dim3(32, 32)>>>(0);
