// SPDX-License-Identifier: GPL-3.0-or-later
// title: so near the limit of static shared memory that only a little padding fits
__shared__ float s[64][32], rest[10000];
s[threadIdx.x][0] = 1.0f;
