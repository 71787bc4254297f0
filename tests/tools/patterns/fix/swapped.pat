// SPDX-License-Identifier: GPL-3.0-or-later
// title: a mistake: [x][y] for [y][x]
__global__ void k(float *out)
{
    __shared__ float tile[32][32];
    tile[threadIdx.x][threadIdx.y] = 1.0f;
    out[0] = tile[threadIdx.x][threadIdx.y];
}

k<<<1, dim3(32, 32)>>>(out);
