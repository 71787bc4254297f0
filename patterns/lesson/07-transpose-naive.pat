// SPDX-License-Identifier: GPL-3.0-or-later
// title: Lesson 7: the transpose
//
// Global memory wants rows, for reading and for writing. A transpose needs columns on one side,
// so it goes through a tile in shared memory: rows in, columns out. Then the columns are shared
// memory's problem.
//
// Question: 8 warps carry a 32 x 32 tile. How many wavefronts do the store and the load take?
// Answer: each makes 32 requests. The store takes 32 wavefronts, the load 32 * 32 = 1024.
//
// Exercise: would it help to store columns and load rows?

const int TILE = 32;

__global__ void transpose(float *out, const float *in, int n)
{
    __shared__ float tile[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += blockDim.y)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];       // expect: 1-way, 32 wavefronts
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += blockDim.y)
        out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];      // expect: 32-way, 1024 wavefronts
}

transpose<<<dim3(1, 1), dim3(32, 8)>>>(out, in, 1024);
