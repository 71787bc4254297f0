// SPDX-License-Identifier: GPL-3.0-or-later
// title: Transpose of doubles: padding by one element
//
// A column of doubles is 8-byte accesses 256 bytes apart: the 16 lanes of each half-warp meet in
// one pair of banks. One double of padding is two words: the half-warp spreads over all 32
// banks.

const int TILE = 32;

__global__ void transpose_double(double *out, const double *in, int n)
{
    __shared__ double tile[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += blockDim.y)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];   // expect: 1-way, 64 wavefronts
    __syncthreads();
    for (int j = 0; j < TILE; j += blockDim.y)
        out[(x + j) * n + y] = tile[threadIdx.x][threadIdx.y + j];  // expect: 16-way, 1024 wavefronts, 960 excessive
}

__global__ void transpose_double_padded(double *out, const double *in, int n)
{
    __shared__ double tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += blockDim.y)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];   // expect: 1-way, 64 wavefronts
    __syncthreads();
    for (int j = 0; j < TILE; j += blockDim.y)
        out[(x + j) * n + y] = tile[threadIdx.x][threadIdx.y + j];  // expect: 1-way, 64 wavefronts
}

transpose_double<<<1, dim3(32, 8)>>>(out, in, 1024);
transpose_double_padded<<<1, dim3(32, 8)>>>(out, in, 1024);
