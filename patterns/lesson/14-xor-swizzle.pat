// SPDX-License-Identifier: GPL-3.0-or-later
// title: Lesson 14: XOR swizzles
//
// A swizzle keeps the tile's size and permutes each row: element (r, c) lies at column c ^ r.
// XOR with a fixed r is a permutation of the columns, so rows stay free; down a column, c ^ r
// takes 32 different values, so columns become free. It costs an instruction, and no memory.
//
// Question: what if only 3 bits of the row take part (c ^ (r & 7))?
// Answer: a column falls into 8 banks: 4-way. CuTe writes these maps as Swizzle<B, M, S>: B bits
// of the element's number, from bit M + S on, are XORed into the B bits from bit M on.
//
// Exercise: swizzle the store but read without. What does the column read cost, and what else is
// wrong?

__shared__ float tile[32 * 32];
int t = threadIdx.x;
const int c = 5;

for (int r = 0; r < 32; r++)
    tile[r * 32 + (t ^ r)] = 1.0f;                      // expect: 1-way, 32 wavefronts
__syncwarp();
float column = tile[t * 32 + (c ^ t)];                  // expect: 1-way, 1 wavefronts
float three_bits = tile[t * 32 + (c ^ (t & 7))];        // expect: 4-way, 4 wavefronts

float cute_full = tile[swizzle<5, 0, 5>(t * 32 + c)];   // expect: 1-way, 1 wavefronts
float cute_three = tile[swizzle<3, 0, 5>(t * 32 + c)];  // expect: 4-way, 4 wavefronts
float cute_row = tile[swizzle<5, 0, 5>(c * 32 + t)];    // expect: 1-way, 1 wavefronts
