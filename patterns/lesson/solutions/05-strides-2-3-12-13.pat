// SPDX-License-Identifier: GPL-3.0-or-later
// title: Solution 5: stride 20
//
// 20 = 4 * 5, so gcd(20, 32) = 4 and every 32 / 4 = 8th lane meets: 0, 8, 16 and 24, as with 12.

__shared__ float s[640];
int t = threadIdx.x;

float twenty = s[20 * t];       // expect: 4-way, 4 wavefronts
if (t % 8 == 0)
    float meet = s[20 * t];     // expect: 4-way, 4 wavefronts
