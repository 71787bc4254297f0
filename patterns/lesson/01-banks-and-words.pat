// SPDX-License-Identifier: GPL-3.0-or-later
// title: Lesson 1: banks and words
//
// Shared memory is made of words of 4 bytes. Word w lies in bank w mod 32, so a row of 32
// neighbouring words uses every bank once, and word 32 is in bank 0 again. In one wavefront each
// bank gives one word. A request costs as many wavefronts as its busiest bank has different
// words to give.
//
// Question: which of these five requests costs more than one wavefront?
// Answer: the last. The first four are permutations or parts of a row of banks; in the last,
// lanes t and t + 16 want words 2t and 2t + 32, which share a bank.
//
// Exercise: change the last line so that 16 lanes still read every second word, but in one
// wavefront.

__shared__ float s[64];
int t = threadIdx.x;

float in_order = s[t];          // expect: 1-way, 1 wavefronts
float reversed = s[31 - t];     // expect: 1-way, 1 wavefronts
float shifted = s[t + 7];       // expect: 1-way, 1 wavefronts
float shuffled = s[t ^ 5];      // expect: 1-way, 1 wavefronts
float spread = s[2 * t];        // expect: 2-way, 2 wavefronts
