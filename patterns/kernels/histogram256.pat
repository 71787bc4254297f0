// SPDX-License-Identifier: GPL-3.0-or-later
// title: Histogram of bytes with 256 bins in shared memory
//
// Each lane counts a byte in the block's own bins. The bins a warp hits are random: the counting
// line is a distribution, not a number, and has no expectation. nvcc counts lanes that add 1 to
// the same bin together, so for uniform bytes only different bins of one bank wait for each
// other.
// assume: d_data = random(256)

#define HISTOGRAM256_BIN_COUNT 256

__global__ void histogram256(unsigned int *d_histogram, const unsigned char *d_data, unsigned int byteCount)
{
    __shared__ unsigned int s_Hist[HISTOGRAM256_BIN_COUNT];

    for (unsigned int i = threadIdx.x; i < HISTOGRAM256_BIN_COUNT; i += blockDim.x)
        s_Hist[i] = 0;                          // expect: 1-way, 8 wavefronts
    __syncthreads();

    for (unsigned int pos = blockIdx.x * blockDim.x + threadIdx.x; pos < byteCount; pos += blockDim.x * gridDim.x)
        atomicAdd(&s_Hist[d_data[pos]], 1);     // mean 3.15 wavefronts a request
    __syncthreads();

    for (unsigned int i = threadIdx.x; i < HISTOGRAM256_BIN_COUNT; i += blockDim.x)
        atomicAdd(&d_histogram[i], s_Hist[i]);  // expect: 1-way, 8 wavefronts
}

histogram256<<<1, 192>>>(d_histogram, d_data, 6144);
