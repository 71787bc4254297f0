// SPDX-License-Identifier: GPL-3.0-or-later
// title: Lesson 16: atomics
//
// A broadcast gives one word to many lanes at once. An atomic cannot: each lane must see what
// the lane before it left. So equal addresses serialise, and no layout helps; different words of
// one bank wait for each other as ever.
//
// Question: 32 lanes add to one counter. How many wavefronts?
// Answer: that depends on what they add. A variable: 32. The constant 1, result unused: the
// compiler lets the lanes be counted together, 1. A float: there is no such instruction; the
// loop of load, add and compare-and-swap goes round 32 times with 1 + 2 wavefronts: 96. A 64-bit
// integer: half-warps, 16 rounds of 1 + 4: 80.
//
// Exercise: one counter for each of 8 groups of lanes (t % 8), and a variable to add. Does it
// matter where the 8 counters lie?

__shared__ int counter, bins[64];
__shared__ float sums[32];
__shared__ unsigned long long wide[32];
int t = threadIdx.x;

atomicAdd(&counter, t);         // expect: 1-way, 32 wavefronts
atomicAdd(&counter, 1);         // expect: 1-way, 1 wavefronts
atomicAdd(&bins[t], t);         // expect: 1-way, 1 wavefronts
atomicAdd(&bins[2 * t], t);     // expect: 2-way, 2 wavefronts
atomicAdd(&bins[t / 4], t);     // expect: 1-way, 4 wavefronts
atomicMax(&counter, t);         // expect: 1-way, 32 wavefronts
atomicExch(&bins[t / 2], t);    // expect: 1-way, 2 wavefronts
atomicCAS(&bins[t], 0, t);      // expect: 1-way, 2 wavefronts
atomicAdd(&sums[t], 1.0f);      // expect: 1-way, 3 wavefronts
atomicAdd(&sums[0], 1.0f);      // expect: 1-way, 96 wavefronts
atomicAdd(&wide[0], (unsigned long long)t);     // expect: 1-way, 128 wavefronts
