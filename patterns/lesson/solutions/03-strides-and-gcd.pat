// SPDX-License-Identifier: GPL-3.0-or-later
// title: Solution 3: structs of 24 bytes and their neighbours
//
// 24 bytes are 6 words, and gcd(6, 32) is 2. 5 and 7 words are free; 8 words would be 8-way.

__shared__ float s[256];
int t = threadIdx.x;

float six = s[6 * t];       // expect: 2-way
float five = s[5 * t];      // expect: 1-way
float seven = s[7 * t];     // expect: 1-way
float eight = s[8 * t];     // expect: 8-way
