// SPDX-License-Identifier: GPL-3.0-or-later
// title: one index counts up as it is read, another is computed by a function without effects
__device__ int next(int *i)
{
    return (*i)++ * 32;
}

__device__ int at(int r, int c)
{
    return r * 32 + c;
}

__global__ void k(float *out)
{
    __shared__ float s[1024], u[1024];
    int i = threadIdx.x;
    out[threadIdx.x] = s[next(&i)];
    out[threadIdx.x] = u[at(threadIdx.x, 3)];
}

k<<<1, 32>>>(0);
