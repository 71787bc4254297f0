// SPDX-License-Identifier: GPL-3.0-or-later
// title: Solution 4: one unused word after every 16
//
// No. Stride 32 then becomes 34, which is 2-way, and stride 16 becomes 17, which is free: 2
// words of padding for every row of banks share a factor with 32. Padding must be odd.

__shared__ int s[1024 + 64];
int t = threadIdx.x;

int sixteen = s[t * 16 + t * 16 / 16];      // expect: 1-way
int thirty_two = s[t * 32 + t * 32 / 16];   // expect: 2-way
