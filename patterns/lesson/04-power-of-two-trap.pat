// SPDX-License-Identifier: GPL-3.0-or-later
// title: Lesson 4: the power-of-two trap
//
// Trees, transforms and scans double their distance at each step, and people choose powers of
// two for widths. Both are the worst strides there are: gcd(2^k, 32) = 2^k, up to 32.
//
// Question: the loop below makes 6 requests, at strides 1, 2, 4, 8, 16 and 32. How many
// wavefronts?
// Answer: 1 + 2 + 4 + 8 + 16 + 32 = 63. The second loop leaves one word unused after every 32 (i
// + i / 32) and takes 6.
//
// Exercise: would leaving one word unused after every 16 do as well?

__shared__ int s[1024 + 32];
int t = threadIdx.x;
int sum = 0;

for (int d = 1; d <= 32; d *= 2)
    sum += s[t * d];                        // expect: 32-way, 63 wavefronts, 57 excessive

for (int d = 1; d <= 32; d *= 2)
    sum += s[t * d + t * d / 32];           // expect: 1-way, 6 wavefronts, 0 excessive
