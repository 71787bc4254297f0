// SPDX-License-Identifier: GPL-3.0-or-later
// title: a column of doubles
__shared__ double s[32][32];
s[threadIdx.x][0] = 1.0;
s[0][threadIdx.x] = 2.0;
