// SPDX-License-Identifier: GPL-3.0-or-later
// title: a tile that functions get as a parameter, and a pointer to its rows
__device__ float get(const float tile[32][32], int row, int column) { return tile[row][column]; }

__device__ void fill(float (*to)[32], int row) { to[row][threadIdx.x] = 1.0f; }

__global__ void k(float *out)
{
    __shared__ float tile[32][32];
    float (*rows)[32] = tile;
    for (int j = 0; j < 32; j++)
        fill(rows, j);
    __syncthreads();
    for (int j = 0; j < 32; j++)
        out[j] = get(tile, threadIdx.x, j);
}

k<<<1, 32>>>(0);
