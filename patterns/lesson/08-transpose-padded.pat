// SPDX-License-Identifier: GPL-3.0-or-later
// title: Lesson 8: padding
//
// One column that nobody uses makes rows 33 words long. A column is now a stride of 33, which is
// odd, so its 32 words lie in 32 banks; rows are as free as before. The price is 32 words of
// shared memory.
//
// Question: PAD is a parameter. Which paddings from 0 to 8 are free?
// Answer: the odd ones. See
//     bankwise sweep lesson/08-transpose-padded -D PAD=0:8
//
// Exercise: the tile has 64 rows of 64 floats. Which padding does it need?

const int TILE = 32;
const int PAD = 1;

__global__ void transpose(float *out, const float *in, int n)
{
    __shared__ float tile[TILE][TILE + PAD];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += blockDim.y)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];       // expect: 1-way, 32 wavefronts
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += blockDim.y)
        out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];      // expect: 1-way, 32 wavefronts, conflict-free
}

transpose<<<dim3(1, 1), dim3(32, 8)>>>(out, in, 1024);
