// SPDX-License-Identifier: GPL-3.0-or-later
// title: a macro hides the index, and a pointer the array: only what can be written is offered
#define AT(r, c) tile[r][c]
__shared__ float tile[32][32];
int t = threadIdx.x;
AT(t, 0) = 1.0f;
float x = AT(0, t);
