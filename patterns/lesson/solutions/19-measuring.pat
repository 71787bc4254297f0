// SPDX-License-Identifier: GPL-3.0-or-later
// title: Solution 19: wide loads
//
// 4 wavefronts each, and as many cycles: 256.

__shared__ float4 q[32];
float sum = 0;
for (int i = 0; i < 64; i++) {
    float4 v = q[(threadIdx.x + i) % 32];   // expect: 1-way, 256 wavefronts, 256 cycles
    sum += v.x + v.y + v.z + v.w;
}
