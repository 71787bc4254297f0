// SPDX-License-Identifier: GPL-3.0-or-later
// title: Solution 18: the number that counts
//
// Excessive wavefronts, of the kernel's total: padding removes 992 of 1056 here, and leaves 64.
// If the kernel is bound by something else, that time is not all saved.

__shared__ float tile[32][33];
int t = threadIdx.x;

for (int r = 0; r < 32; r++)
    tile[r][t] = 1.0f;              // expect: 1-way, 32 wavefronts, 0 excessive
for (int c = 0; c < 32; c++)
    float v = tile[t][c];           // expect: 1-way, 32 wavefronts, 0 excessive
