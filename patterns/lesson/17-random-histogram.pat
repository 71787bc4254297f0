// SPDX-License-Identifier: GPL-3.0-or-later
// title: Lesson 17: histograms and random indices
//
// When indices come from data, a request has no one cost: it has a distribution. random(n) draws
// a uniform number for each lane, zipf(n, s) prefers small ones, as words of a text or keys of a
// table do. `bankwise predict` shows mean, quantiles and range over --trials; lines like these
// get no expectation.
//
// Question: 32 lanes load random words of a large array. How many ways is that?
// Answer: 3.52 on the average: random is worse than any odd stride, and better than stride 4.
// Counting (adding 1) in 256 uniform bins takes 3.15: equal bins cost nothing extra. With a
// variable to add, equal bins serialise, 3.53; with zipf they do so badly, 6.06.
//
// Exercise: counting with 32 bins, one for each bank. What is the cost for uniform data?

__shared__ int table[8192];
__shared__ unsigned int bins[256];
int t = threadIdx.x;

for (int i = t; i < 256; i += 32)
    bins[i] = 0;                        // expect: 1-way, 8 wavefronts

int v = table[random(8192)];            // mean 3.52 wavefronts
atomicAdd(&bins[random(256)], 1);       // mean 3.15 wavefronts
atomicAdd(&bins[random(256)], t);       // mean 3.53 wavefronts
atomicAdd(&bins[zipf(256, 1.0)], t);    // mean 6.06 wavefronts
