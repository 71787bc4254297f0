// SPDX-License-Identifier: GPL-3.0-or-later
// title: Solution 14: a swizzle on one side only
//
// The plain column read is 32-way as if there were no swizzle, and it reads the wrong elements:
// (r, c) holds what was stored for column c ^ r.

__shared__ int tile[32 * 32];
int t = threadIdx.x;
const int c = 5;

for (int r = 0; r < 32; r++)
    tile[r * 32 + (t ^ r)] = t;         // expect: 1-way, 32 wavefronts
__syncwarp();
int wrong = tile[t * 32 + c];           // expect: 32-way, 32 wavefronts
assert(wrong == (c ^ t));
