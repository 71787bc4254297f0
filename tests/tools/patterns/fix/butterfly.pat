// SPDX-License-Identifier: GPL-3.0-or-later
// title: no mistake: a partner's index is an XOR, and no swizzle
__global__ void k(float *out)
{
    __shared__ float s[32][32], tile[32][33];
    for (int step = 1; step < 32; step *= 2) {
        s[threadIdx.y][threadIdx.x] = 1.0f;
        out[0] = s[threadIdx.y][threadIdx.x ^ step];
    }
    tile[threadIdx.y][threadIdx.x] = 1.0f;
    __syncthreads();
    out[1] = tile[threadIdx.x][threadIdx.y];
}

k<<<1, dim3(32, 32)>>>(out);
