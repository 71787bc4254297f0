// SPDX-License-Identifier: GPL-3.0-or-later
// title: two arrays of one struct, declared together: padding it pads both
struct P { float a, b, c, d; };

__global__ void k()
{
    __shared__ P p[64], q[64];
    int i = threadIdx.x;
    p[i].a = 1;
    q[i].b = 2;
    p[i].c = q[i].d;
}

k<<<1, 64>>>();
