// SPDX-License-Identifier: GPL-3.0-or-later
// title: half [16][16] read by ldmatrix
__shared__ __align__(16) half s[16][16];
int t = threadIdx.x;
__ldmatrix_x4(&s[t % 16][t / 16 * 8]);
