// SPDX-License-Identifier: GPL-3.0-or-later
// title: Lesson 6: column, row and diagonal
//
// A tile of 32 x 32 floats has a row of banks for each of its rows. Its columns are single
// banks.
//
// Question: a warp reads a row, a column, the diagonal, and a column where each row was turned
// by its number. What does each cost?
// Answer: the row 1 wavefront, the column 32. The diagonal takes a different bank in each row:
// 1. Turning makes a diagonal of every column: 1.
//
// Exercise: the tile is 16 floats wide. What does a column cost?

const int COLUMN = 3;
__shared__ float tile[32][32];
int t = threadIdx.x;

float row = tile[COLUMN][t];                // expect: 1-way, 1 wavefronts
float column = tile[t][COLUMN];             // expect: 32-way, 32 wavefronts
float diagonal = tile[t][t];                // expect: 1-way, 1 wavefronts
float turned = tile[t][(COLUMN + t) % 32];  // expect: 1-way, 1 wavefronts
