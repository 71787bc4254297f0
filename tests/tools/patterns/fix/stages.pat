// SPDX-License-Identifier: GPL-3.0-or-later
// title: a tile of two stages, and a pointer to the one at hand
__global__ void k(float *out)
{
    __shared__ float tile[2][32][32];
    int x = threadIdx.x, stage = 0;
    for (int i = 0; i < 8; i++) {
        float (*now)[32] = tile[stage];
        now[x][i] = 1.0f;
        __syncthreads();
        out[i] = now[i][x];
        stage ^= 1;
    }
}

k<<<1, 32>>>(0);
