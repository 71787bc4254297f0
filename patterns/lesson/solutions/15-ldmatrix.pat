// SPDX-License-Identifier: GPL-3.0-or-later
// title: Solution 15: rows of 16 halfs
//
// 32 bytes a row: rows 4 apart share their banks, 2-way, 8 wavefronts. 8 halfs of padding make
// 48 bytes, and 8 rows of 48 bytes fall into 8 different 16-byte places.

__shared__ __align__(16) half tile[16][16];
__shared__ __align__(16) half padded[16][16 + 8];
int t = threadIdx.x;

__ldmatrix_x4(&tile[t % 16][t / 16 * 8]);       // expect: 2-way, 8 wavefronts, 4 excessive
__ldmatrix_x4(&padded[t % 16][t / 16 * 8]);     // expect: 1-way, 4 wavefronts, 0 excessive
