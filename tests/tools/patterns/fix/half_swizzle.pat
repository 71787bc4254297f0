// SPDX-License-Identifier: GPL-3.0-or-later
// title: a mistake: the load is swizzled, the store is not
__global__ void k(float *out)
{
    __shared__ float tile[32][32];
    tile[threadIdx.y][threadIdx.x] = 1.0f;
    __syncthreads();
    const int column = threadIdx.y ^ threadIdx.x;
    out[0] = tile[threadIdx.x][column];
}

k<<<1, dim3(32, 32)>>>(out);
