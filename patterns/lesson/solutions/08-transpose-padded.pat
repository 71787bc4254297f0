// SPDX-License-Identifier: GPL-3.0-or-later
// title: Solution 8: a tile of 64 x 64
//
// Also 1: rows of 65 words are an odd stride.

__shared__ float tile[64][64 + 1];
int t = threadIdx.x;

for (int c = 0; c < 64; c++)
    float column = tile[t][c];      // expect: 1-way, 64 wavefronts
for (int r = 0; r < 64; r++)
    float row = tile[r][t];         // expect: 1-way, 64 wavefronts
