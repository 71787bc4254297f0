// SPDX-License-Identifier: GPL-3.0-or-later
// title: Solution 1: half the lanes, every second word
//
// 16 lanes at stride 2 need 16 words out of a row of 32: no bank is asked twice. Two such
// requests, one for each half of the warp, cost as much as the one of the lesson.

__shared__ float s[64];
int t = threadIdx.x;

if (t < 16)
    float spread = s[2 * t];    // expect: 1-way, 1 wavefronts
