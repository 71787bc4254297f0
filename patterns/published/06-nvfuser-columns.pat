// SPDX-License-Identifier: GPL-3.0-or-later
// title: A column of floats and a column of bools (nvFuser TransposeTest)
// source: nvFuser, TransposeTest, "bank conflict 1" and "bank conflict 3"
//
// A row of 32 floats is 32 words: all lanes of a column meet in one bank. A row of 32 bools is 8
// words: lanes 4 apart meet, 8 words in each of 4 banks.

__shared__ float f[32][32];
__shared__ bool b[32][32];

float x = f[threadIdx.x][0];    // expect: 32-way, 32 wavefronts
bool y = b[threadIdx.x][0];     // expect: 8-way, 8 wavefronts
