// SPDX-License-Identifier: GPL-3.0-or-later
// title: Lesson 5: strides 2, 3, 12 and 13
//
// Not the size of the stride matters but its factors of 2. Stride 3 is free and stride 2 is not;
// stride 13 is free and stride 12 is 4-way (12 = 4 * 3, and only the 4 counts).
//
// Question: with stride 12, which lanes meet lane 0 in bank 0?
// Answer: lanes 8, 16 and 24: 8 * 12 = 96 words are three whole rows of banks. See it with
//     bankwise explain lesson/05-strides-2-3-12-13 --line 18
//
// Exercise: with stride 20, which lanes meet lane 0?

__shared__ float s[512];
int t = threadIdx.x;

float two = s[2 * t];           // expect: 2-way, 2 wavefronts
float three = s[3 * t];         // expect: 1-way, 1 wavefronts
float twelve = s[12 * t];       // expect: 4-way, 4 wavefronts
float thirteen = s[13 * t];     // expect: 1-way, 1 wavefronts
