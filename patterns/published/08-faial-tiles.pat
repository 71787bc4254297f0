// SPDX-License-Identifier: GPL-3.0-or-later
// title: A tile by rows and by columns, with and without a column to spare (faial-bc)
// source: faial-bc, tests on float tile[32][32] and tile[32][33]
//
// Rows are free and columns are 32-way, for stores as for loads; [32][33] makes both free.

__global__ void rows(float *out)
{
    __shared__ float tile[32][32];
    tile[threadIdx.y][threadIdx.x] = 1.0f;              // expect: 1-way, 32 wavefronts
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.y][threadIdx.x];  // expect: 1-way, 32 wavefronts
}

__global__ void columns(float *out)
{
    __shared__ float tile[32][32];
    tile[threadIdx.x][threadIdx.y] = 1.0f;              // expect: 32-way, 1024 wavefronts
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x][threadIdx.y];  // expect: 32-way, 1024 wavefronts
}

__global__ void row_then_column(float *out)
{
    __shared__ float tile[32][32];
    tile[threadIdx.y][threadIdx.x] = 1.0f;              // expect: 1-way, 32 wavefronts
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x][threadIdx.y];  // expect: 32-way, 1024 wavefronts
}

__global__ void row_then_column_padded(float *out)
{
    __shared__ float tile[32][33];
    tile[threadIdx.y][threadIdx.x] = 1.0f;              // expect: 1-way, 32 wavefronts
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x][threadIdx.y];  // expect: 1-way, 32 wavefronts
}

rows<<<1, dim3(32, 32)>>>(out);
columns<<<1, dim3(32, 32)>>>(out);
row_then_column<<<1, dim3(32, 32)>>>(out);
row_then_column_padded<<<1, dim3(32, 32)>>>(out);
