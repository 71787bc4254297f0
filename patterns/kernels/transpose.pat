// SPDX-License-Identifier: GPL-3.0-or-later
// title: Matrix transpose through a shared tile, naive and padded
//
// Each block of 32 x 8 threads carries a 32 x 32 tile from rows to columns. Rows go in and
// columns come out, so that global memory is read and written along rows. In the naive tile a
// column is 32 words of one bank: the read takes 32 wavefronts. One unused column (33 words a
// row) moves each row one bank on, and row and column are both free.

const int TILE = 32;

__global__ void transpose(float *out, const float *in, int n)
{
    __shared__ float tile[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += blockDim.y)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];       // expect: 1-way, 32 wavefronts
    __syncthreads();
    for (int j = 0; j < TILE; j += blockDim.y)
        out[(x + j) * n + y] = tile[threadIdx.x][threadIdx.y + j];      // expect: 32-way, 1024 wavefronts, 992 excessive
}

__global__ void transpose_padded(float *out, const float *in, int n)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += blockDim.y)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];       // expect: 1-way, 32 wavefronts
    __syncthreads();
    for (int j = 0; j < TILE; j += blockDim.y)
        out[(x + j) * n + y] = tile[threadIdx.x][threadIdx.y + j];      // expect: conflict-free, 32 wavefronts
}

transpose<<<dim3(1, 1), dim3(32, 8)>>>(out, in, 1024);
transpose_padded<<<dim3(1, 1), dim3(32, 8)>>>(out, in, 1024);
