// SPDX-License-Identifier: GPL-3.0-or-later
// title: Solution 10: four bytes of padding
//
// Rows of 36 bytes are 9 words, an odd stride.

__shared__ char bytes[32][36];
int t = threadIdx.x;

char column = bytes[t][0];      // expect: 1-way, 1 wavefronts
char row = bytes[0][t];         // expect: 1-way, 1 wavefronts
