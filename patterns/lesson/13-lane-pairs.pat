// SPDX-License-Identifier: GPL-3.0-or-later
// title: Lesson 13: lane pairs that merge
//
// If every lane has the same address as its neighbour (lane xor 1), or every lane the same as
// the one two on (lane xor 2), a wide load has half as many different addresses, and the
// hardware serves twice as many lanes together: 8-byte loads the whole warp, 16-byte loads half
// a warp. One rule must hold for the whole warp, and only loads do it.
//
// Question: 8-byte loads, two lanes for each double, take 1 wavefront. When the same 16 doubles
// are read in order, twice, by both halves of the warp?
// Answer: 2. The halves agree, but that is lane xor 16, which does not count.
//
// Question: the first half pairs neighbours, the second half lanes two apart?
// Answer: neither rule holds everywhere: 2 wavefronts.
//
// Question: every second lane is off?
// Answer: a lane that is off agrees with anyone, so this merges, and that is no gain: lanes 0
// and 16 now share a phase and meet in a bank.
//
// Exercise: let 32 lanes read 8 different float4, 4 lanes each, in 1 + 1 wavefronts.

__shared__ double s[64];
__shared__ float4 q[64];
int t = threadIdx.x;

double neighbours = s[t / 2];               // expect: 1-way, 1 wavefronts
double two_on = s[t / 4 * 2 + t % 2];       // expect: 1-way, 1 wavefronts
double both_halves = s[t % 16];             // expect: 1-way, 2 wavefronts
double mixed = s[t < 16 ? t / 2 : t / 4 * 2 + t % 2];   // expect: 1-way, 2 wavefronts
float4 quads = q[t / 2];                    // expect: 1-way, 2 wavefronts
float4 everyone = q[0];                     // expect: 1-way, 2 wavefronts
if (t % 2 == 0)
    double sparse = s[t];                   // expect: 2-way, 2 wavefronts, 1 excessive
s[t / 2] = 1.0;                             // expect: 1-way, 2 wavefronts
