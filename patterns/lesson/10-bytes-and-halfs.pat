// SPDX-License-Identifier: GPL-3.0-or-later
// title: Lesson 10: bytes and halfs
//
// Banks give words. Lanes that want different bytes of one word share it, for loads and for
// stores. What counts for small types is the stride in words.
//
// Question: a column of a 32 x 32 tile of chars, of halfs, of floats?
// Answer: 32 chars are 8 words a row: 8-way. 32 halfs are 16 words: 16-way. 32 floats are
// 32-way.
//
// Exercise: pad the tile of chars so that its columns are free, and rows stay free.

__shared__ char c[1024];
__shared__ half h[1024];
__shared__ char bytes[32][32];
__shared__ half halfs[32][32];
__shared__ half padded[32][34];
int t = threadIdx.x;

char neighbours = c[t];             // expect: 1-way, 1 wavefronts
char a_word_each = c[4 * t];        // expect: 1-way, 1 wavefronts
char two_words = c[8 * t];          // expect: 2-way, 2 wavefronts
half half_words = h[t];             // expect: 1-way, 1 wavefronts
c[t] = neighbours;                  // expect: 1-way, 1 wavefronts
char byte_column = bytes[t][0];     // expect: 8-way, 8 wavefronts
half half_column = halfs[t][0];     // expect: 16-way, 16 wavefronts
half free_column = padded[t][0];    // expect: 1-way, 1 wavefronts
