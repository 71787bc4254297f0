// SPDX-License-Identifier: GPL-3.0-or-later
// title: a mistake: the swizzle counts bytes, the index counts halfs
__shared__ __align__(128) half s[64 * 64];
int t = threadIdx.x;
__ldmatrix_x4(&s[swizzle<3, 4, 3>(t % 16 * 64 + t / 16 * 8)]);
