// SPDX-License-Identifier: GPL-3.0-or-later
// title: Lesson 15: ldmatrix
//
// ldmatrix loads 8 x 8 halfs for the matrix units: eight lanes give the addresses of eight rows
// of 16 bytes, x4 does it for four matrices with all 32 lanes. Each matrix is a phase: 8 rows of
// 16 bytes are 128 bytes, so 4 wavefronts are ideal for x4.
//
// Question: the rows of a tile of 64 halfs are 128 bytes apart. What does x4 cost?
// Answer: the 8 rows of a matrix start in the same bank: 8-way, 32 wavefronts. 8 halfs of
// padding (16 bytes) put each row one place on: 4 wavefronts. So does the bulk copy engine's
// 128-byte swizzle, which XORs the row's number into the 16-byte place.
//
// Exercise: rows of 16 halfs (32 bytes). How many ways, and which padding?

__shared__ __align__(128) half tile[16][64];
__shared__ __align__(16) half padded[16][64 + 8];
__shared__ __align__(1024) unsigned char bytes[16 * 128];
int t = threadIdx.x;

__ldmatrix_x4(&tile[t % 16][t / 16 * 8]);       // expect: 8-way, 32 wavefronts, 28 excessive
__ldmatrix_x4(&padded[t % 16][t / 16 * 8]);     // expect: 1-way, 4 wavefronts, 0 excessive
__ldmatrix_x4(&bytes[tma_swizzle_128B(t % 16 * 128 + t / 16 * 16)]);    // expect: 1-way, 4 wavefronts, 0 excessive
__ldmatrix_x2_trans(&tile[t % 16][0]);          // expect: 8-way, 16 wavefronts, 14 excessive
