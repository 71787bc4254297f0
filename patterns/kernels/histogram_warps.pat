// SPDX-License-Identifier: GPL-3.0-or-later
// title: Histogram with one copy of the bins for each warp
//
// A copy of the bins for each warp ends contention between warps, not within one: lanes on one
// bin still serialise where the sum of weights is added (a variable, so the lanes are not
// counted together), and bins 32 apart still share a bank. For data that is all alike the 32
// lanes of a warp queue at one word: 32 wavefronts a request, and no layout helps.
// assume: d_keys = 7

#define WARP_COUNT 6
#define WARP_SIZE 32
#define BINS 256

__global__ void histogram_warps(unsigned int *d_partial, const unsigned char *d_keys, const unsigned int *d_weights, int n)
{
    __shared__ unsigned int s_Hist[WARP_COUNT * BINS];
    unsigned int *s_WarpHist = s_Hist + (threadIdx.x / WARP_SIZE) * BINS;

    for (int i = threadIdx.x; i < WARP_COUNT * BINS; i += WARP_COUNT * WARP_SIZE)
        s_Hist[i] = 0;                                          // expect: 1-way, 48 wavefronts
    __syncthreads();

    for (int pos = threadIdx.x; pos < n; pos += WARP_COUNT * WARP_SIZE)
        atomicAdd(s_WarpHist + d_keys[pos], d_weights[pos]);    // expect: 1-way, 1920 wavefronts, 1860 excessive
    __syncthreads();

    for (int bin = threadIdx.x; bin < BINS; bin += WARP_COUNT * WARP_SIZE) {
        unsigned int sum = 0;
        for (int i = 0; i < WARP_COUNT; i++)
            sum += s_Hist[bin + i * BINS];                      // expect: 1-way, 48 wavefronts
        d_partial[blockIdx.x * BINS + bin] = sum;
    }
}

histogram_warps<<<1, WARP_COUNT * WARP_SIZE>>>(d_partial, d_keys, d_weights, 1920);
