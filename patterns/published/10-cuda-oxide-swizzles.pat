// SPDX-License-Identifier: GPL-3.0-or-later
// title: Column strides and partial swizzles (cuda-oxide)
// source: cuda-oxide, tests of its bank-conflict analysis
//
// Rows of 32, 64 and 16 floats by column, one of 33, and the 32-float rows under CuTe's
// swizzles. A Swizzle<B, 0, 5> spreads a column over 2^B banks: all 32 lanes at B = 5, four to a
// bank at B = 3, eight at B = 2.

__shared__ float s[64 * 32];

int t = threadIdx.x;
float c32 = s[t * 32];                      // expect: 32-way
float c64 = s[t * 64];                      // expect: 32-way
float c16 = s[t * 16];                      // expect: 16-way
float c33 = s[t * 33];                      // expect: 1-way
float full = s[swizzle<5, 0, 5>(t * 32)];   // expect: 1-way
float three = s[swizzle<3, 0, 5>(t * 32)];  // expect: 4-way
float two = s[swizzle<2, 0, 5>(t * 32)];    // expect: 8-way
