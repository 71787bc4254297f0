// SPDX-License-Identifier: GPL-3.0-or-later
// title: a mistake: a byte offset is used as an element's index
__shared__ __align__(1024) float s[64 * 32];
int t = threadIdx.x;
float x = s[tma_swizzle_128B(t * 32)];
