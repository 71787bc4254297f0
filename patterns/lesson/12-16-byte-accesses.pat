// SPDX-License-Identifier: GPL-3.0-or-later
// title: Lesson 12: 16-byte accesses
//
// A float4 a lane is served by quarters: four phases of 8 lanes, 8 * 16 = 128 bytes each. So 4
// wavefronts are ideal, and only lanes of one quarter can conflict.
//
// Question: lanes 128 bytes apart (every eighth float4)?
// Answer: the 8 lanes of a quarter want the same four banks: 8 wavefronts for each quarter, 32
// in all.
//
// Question: why not pad float4 rows by one float?
// Answer: the next row would start at an address that 16 does not divide. Pad by a float4.
//
// Exercise: a column of float4 tile[32][2]?

__shared__ float4 s[256];
__shared__ float4 tile[32][8];
__shared__ float4 padded[32][9];
int t = threadIdx.x;

float4 in_order = s[t];                 // expect: 1-way, 4 wavefronts, 0 excessive
float4 second = s[2 * t];               // expect: 2-way, 8 wavefronts, 4 excessive
float4 far = s[8 * t];                  // expect: 8-way, 32 wavefronts, 28 excessive
float4 column = tile[t][0];             // expect: 8-way, 32 wavefronts, 28 excessive
float4 free_column = padded[t][0];      // expect: 1-way, 4 wavefronts, 0 excessive
tile[t][0] = in_order;                  // expect: 8-way, 32 wavefronts, 28 excessive
