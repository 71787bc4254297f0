// SPDX-License-Identifier: GPL-3.0-or-later
// title: Even strides 2 to 32 (faial-bc)
// source: faial-bc, tests: int y[k * threadIdx.x]
//
// The lanes of stride k meet in gcd(k, 32) ways, so the excess is gcd(k, 32) - 1.

__shared__ int y[1024];

int v2 = y[2 * threadIdx.x];      // expect: 1 excessive, 2-way
int v4 = y[4 * threadIdx.x];      // expect: 3 excessive, 4-way
int v6 = y[6 * threadIdx.x];      // expect: 1 excessive, 2-way
int v8 = y[8 * threadIdx.x];      // expect: 7 excessive, 8-way
int v10 = y[10 * threadIdx.x];    // expect: 1 excessive, 2-way
int v12 = y[12 * threadIdx.x];    // expect: 3 excessive, 4-way
int v14 = y[14 * threadIdx.x];    // expect: 1 excessive, 2-way
int v16 = y[16 * threadIdx.x];    // expect: 15 excessive, 16-way
int v18 = y[18 * threadIdx.x];    // expect: 1 excessive, 2-way
int v20 = y[20 * threadIdx.x];    // expect: 3 excessive, 4-way
int v22 = y[22 * threadIdx.x];    // expect: 1 excessive, 2-way
int v24 = y[24 * threadIdx.x];    // expect: 7 excessive, 8-way
int v26 = y[26 * threadIdx.x];    // expect: 1 excessive, 2-way
int v28 = y[28 * threadIdx.x];    // expect: 3 excessive, 4-way
int v30 = y[30 * threadIdx.x];    // expect: 1 excessive, 2-way
int v32 = y[32 * threadIdx.x];    // expect: 31 excessive, 32-way
