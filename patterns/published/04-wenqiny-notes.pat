// SPDX-License-Identifier: GPL-3.0-or-later
// title: Four access widths, one table (wenqiny's study notes)
// source: wenqiny, study notes on shared memory: wavefronts 32, 16, 1, 2
//
// The same index costs different amounts at different widths: 32 halfs are 64 bytes, 16 words,
// so only every second lane returns to a bank. Halfs that share a word are read together. 8-byte
// loads take a wavefront for each half-warp.

__shared__ int s_int[1024];
__shared__ half s_half[1024];
__shared__ float2 s_pair[32];

int t = threadIdx.x;
int a = s_int[32 * t];      // expect: 32-way, 32 wavefronts
half b = s_half[32 * t];    // expect: 16-way, 16 wavefronts
half c = s_half[t];         // expect: 1-way, 1 wavefronts
float2 d = s_pair[t];       // expect: 1-way, 2 wavefronts, 0 excessive
