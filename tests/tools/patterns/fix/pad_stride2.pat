// SPDX-License-Identifier: GPL-3.0-or-later
// title: a mistake: padded rows, walked over by a pointer with the old stride
__shared__ float s[32][33];
int t = threadIdx.x;
float *p = &s[0][0];
p[t * 32 + 1] = 1.0f;
