// SPDX-License-Identifier: GPL-3.0-or-later
// title: all lanes add to one word: no layout helps
__shared__ unsigned counter[4];
unsigned old = atomicAdd(&counter[1], threadIdx.x);
