// SPDX-License-Identifier: GPL-3.0-or-later
// title: flat rows of matrix operands: padding goes where the index multiplies by the row's length
__global__ void k()
{
    __shared__ half s[32 * 64];
    int lane = threadIdx.x;
    __ldmatrix_x4(&s[lane % 16 * 64 + lane / 16 * 8]);
}

k<<<1, 32>>>();
