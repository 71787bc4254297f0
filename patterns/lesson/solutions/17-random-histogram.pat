// SPDX-License-Identifier: GPL-3.0-or-later
// title: Solution 17: one bin a bank
//
// Different bins are in different banks, and equal bins are counted together: always 1
// wavefront.

__shared__ unsigned int bins[32];

atomicAdd(&bins[random(32)], 1);        // expect: 1-way, 1 wavefronts
