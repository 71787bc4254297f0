// SPDX-License-Identifier: GPL-3.0-or-later
// title: dynamic shared memory, carved into two arrays by hand
__global__ void k()
{
    extern __shared__ char raw[];
    float *a = (float *)raw, *b = a + 1024;
    int x = threadIdx.x;
    a[x * 32] = 1;
    b[x * 32 + 1] = 2;
}

k<<<1, 32, 8192>>>();
