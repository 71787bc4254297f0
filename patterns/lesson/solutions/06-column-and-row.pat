// SPDX-License-Identifier: GPL-3.0-or-later
// title: Solution 6: a column of a tile 16 wide
//
// Two rows fill a row of banks, so a column has two banks with 16 words each.

__shared__ float tile[32][16];
float column = tile[threadIdx.x][3];        // expect: 16-way, 16 wavefronts
