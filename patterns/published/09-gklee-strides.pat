// SPDX-License-Identifier: GPL-3.0-or-later
// title: Strides 2, 4 and 8 (GKLEE)
// source: GKLEE, bank conflict tests
//
// A stride of 2^n words meets in 2^n ways.

__shared__ int smem[256];

int a = smem[2 * threadIdx.x];  // expect: 2-way
int b = smem[4 * threadIdx.x];  // expect: 4-way
int c = smem[8 * threadIdx.x];  // expect: 8-way
