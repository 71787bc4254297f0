// SPDX-License-Identifier: GPL-3.0-or-later
// title: Solution 13: eight float4, four lanes each
//
// Lanes 4k to 4k + 3 read float4 number k: neighbours agree, so each half of the warp is one
// phase and reads 4 different float4 in one wavefront. Read as q[t % 8], no pair agrees: 4
// wavefronts.

__shared__ float4 q[8];
int t = threadIdx.x;

float4 merged = q[t / 4];       // expect: 1-way, 2 wavefronts
float4 not_merged = q[t % 8];   // expect: 1-way, 4 wavefronts
