// SPDX-License-Identifier: GPL-3.0-or-later
// title: Lesson 2: broadcast and multicast
//
// A bank that gives a word gives it to every lane that asks for it. Lanes conflict only when
// they want different words of one bank.
//
// Question: all 32 lanes read word 0. Is that 32-way? And when they read words 0 and 32 in turn?
// Answer: the first is a broadcast: 1 wavefront. The second asks bank 0 for two words: 2
// wavefronts, however many lanes ask. Stores are alike: lanes that write one word do it in one
// wavefront (and only one value stays).
//
// Exercise: let the lanes read 8 different words with 4 lanes each, in one wavefront, not 8.

__shared__ int s[1024];
int t = threadIdx.x;

int broadcast = s[0];           // expect: 1-way, 1 wavefronts
int multicast = s[t / 4];       // expect: 1-way, 1 wavefronts
int odd_even = s[t % 2];        // expect: 1-way, 1 wavefronts
int two_words = s[t % 2 * 32];  // expect: 2-way, 2 wavefronts
int eight_words = s[t % 8 * 32];    // expect: 8-way, 8 wavefronts
s[0] = t;                       // expect: 1-way, 1 wavefronts
