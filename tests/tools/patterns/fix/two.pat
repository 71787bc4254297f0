// SPDX-License-Identifier: GPL-3.0-or-later
// title: two arrays with excess, one declaration each
const int N = 32;
__shared__ float a[N][N], b[N][N];
int t = threadIdx.x;
float x = a[t][1];      // expect: 32-way
float y = b[t][2];      // expect: 32-way, 31 excessive
a[2][t] = 1.0f;         // expect: conflict-free
b[3][t] = 1.0f;
