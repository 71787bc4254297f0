// SPDX-License-Identifier: GPL-3.0-or-later
// title: The transpose the lesson started from, naive and padded
// source: the lesson this project started from, first part
//
// Block 32 x 8, tile 32 x 32: rows in (free), columns out (32-way); [32][33] frees the columns.

__global__ void naive(float *out, const float *in)
{
    __shared__ float tile[32][32];
    for (int j = 0; j < 32; j += 8)
        tile[threadIdx.y + j][threadIdx.x] = in[(threadIdx.y + j) * 32 + threadIdx.x];      // expect: 1-way
    __syncthreads();
    for (int j = 0; j < 32; j += 8)
        out[(threadIdx.y + j) * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y + j];     // expect: 32-way
}

__global__ void padded(float *out, const float *in)
{
    __shared__ float tile[32][33];
    for (int j = 0; j < 32; j += 8)
        tile[threadIdx.y + j][threadIdx.x] = in[(threadIdx.y + j) * 32 + threadIdx.x];      // expect: 1-way
    __syncthreads();
    for (int j = 0; j < 32; j += 8)
        out[(threadIdx.y + j) * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y + j];     // expect: 1-way
}

naive<<<1, dim3(32, 8)>>>(out, in);
padded<<<1, dim3(32, 8)>>>(out, in);
