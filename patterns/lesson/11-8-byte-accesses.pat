// SPDX-License-Identifier: GPL-3.0-or-later
// title: Lesson 11: 8-byte accesses, and the first phases
//
// 32 lanes of 8 bytes want 64 words, more than a wavefront can give. So the hardware serves half
// a warp at a time: two phases of 16 lanes, each with wavefronts of its own. Conflicts count
// within a phase.
//
// Question: doubles in order take 2 wavefronts. Is that a conflict?
// Answer: no, it is the ideal: 256 bytes at 128 a wavefront. Doubles two apart are 2-way in each
// half: 4 wavefronts, 2 of them excessive.
//
// Question: half the lanes are off. Does the request cost half?
// Answer: one wavefront, yes, if they are all in one half. But its result takes 2 cycles to
// return.
//
// Exercise: a column of double tile[32][32] is 16-way. Which padding cures it?

__shared__ double s[1024];
int t = threadIdx.x;

double in_order = s[t];             // expect: 1-way, 2 wavefronts, 0 excessive
double second = s[2 * t];           // expect: 2-way, 4 wavefronts, 2 excessive
double column = s[32 * t];          // expect: 16-way, 32 wavefronts, 30 excessive
if (t < 16)
    double one_half = s[t];         // expect: 1-way, 1 wavefronts, 2 cycles
if (t % 16 < 8)
    double both_halves = s[t];      // expect: 1-way, 2 wavefronts, 2 cycles
