// SPDX-License-Identifier: GPL-3.0-or-later
// title: Solution 11: one double
//
// Rows of 33 doubles are 66 words: 2 banks on for each lane, and 16 lanes of 2 words fill the 32
// banks.

__shared__ double tile[32][33];
double column = tile[threadIdx.x][0];   // expect: 1-way, 2 wavefronts, 0 excessive
