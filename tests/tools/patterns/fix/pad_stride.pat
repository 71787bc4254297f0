// SPDX-License-Identifier: GPL-3.0-or-later
// title: a mistake: padded rows, indexed with the old stride
const int N = 32;
__shared__ float s[N * (N + 1)];
int t = threadIdx.x;
s[t * N + 1] = 1.0f;
float x = s[2 * N + t];
