// SPDX-License-Identifier: GPL-3.0-or-later
// title: Solution 16: eight counters
//
// Four lanes share a counter, so 4 wavefronts are the least. In neighbouring words they are
// reached; in one bank the 8 counters queue as well: 32.

__shared__ int bins[256];
int t = threadIdx.x;

atomicAdd(&bins[t % 8], t);         // expect: 1-way, 4 wavefronts
atomicAdd(&bins[t % 8 * 32], t);    // expect: 8-way, 32 wavefronts
