// SPDX-License-Identifier: GPL-3.0-or-later
// title: Solution 7: columns in, rows out
//
// No: the store then takes the 1024 wavefronts. One of the two must be a column.

const int TILE = 32;

__global__ void transpose(float *out, const float *in, int n)
{
    __shared__ float tile[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += blockDim.y)
        tile[threadIdx.x][threadIdx.y + j] = in[(y + j) * n + x];       // expect: 32-way, 1024 wavefronts
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += blockDim.y)
        out[(y + j) * n + x] = tile[threadIdx.y + j][threadIdx.x];      // expect: 1-way, 32 wavefronts
}

transpose<<<dim3(1, 1), dim3(32, 8)>>>(out, in, 1024);
