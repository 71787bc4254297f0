// SPDX-License-Identifier: GPL-3.0-or-later
// title: a pointer to one array or the other: what it asks for cannot be moved in one of them
__global__ void k(float *out)
{
    __shared__ float a[1024], b[1024];
    int x = threadIdx.x;
    float *p = x & 1 ? a : b;
    p[x / 2 * 32] = 1.0f;
    a[x * 32] = 2.0f;
    out[x] = b[x];
}

k<<<1, 32>>>(0);
