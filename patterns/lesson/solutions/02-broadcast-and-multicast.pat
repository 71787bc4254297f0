// SPDX-License-Identifier: GPL-3.0-or-later
// title: Solution 2: eight words in eight banks
//
// 33 words apart, word number k lies in bank k.

__shared__ int s[1024];
int t = threadIdx.x;

int eight_words = s[t % 8 * 33];    // expect: 1-way, 1 wavefronts
