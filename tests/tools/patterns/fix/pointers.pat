// SPDX-License-Identifier: GPL-3.0-or-later
// title: a flat tile that is reached through pointers only, in steps of its rows
__device__ void put(float *p, int row, float value) { p[row * 32] = value; }

__global__ void k(float *out)
{
    __shared__ float s[1024];
    int x = threadIdx.x;
    float *mine = s + x * 32, *half = s + 512;
    put(s, x, 1.0f);
    __syncthreads();
    for (int i = 0; i < 32; i++)
        out[x * 32 + i] = mine[i];
    out[x] = half[x];
}

k<<<1, 32>>>(0);
