// SPDX-License-Identifier: GPL-3.0-or-later
// title: threads along columns where they could go along rows
__global__ void k(float *out)
{
    __shared__ float tile[32][32];
    tile[threadIdx.x][threadIdx.y] = out[threadIdx.x];
}

k<<<1, dim3(32, 32)>>>(out);
