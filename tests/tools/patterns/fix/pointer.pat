// SPDX-License-Identifier: GPL-3.0-or-later
// title: a pointer walks over the tile with a stride of its own: it must step by the padded row
__shared__ float tile[32][32];
int t = threadIdx.x;
float *p = &tile[0][0];
p[t * 32 + 1] = 1.0f;
float x = tile[3][t];
