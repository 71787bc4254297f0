// SPDX-License-Identifier: GPL-3.0-or-later
// title: Block radix sort, one bit a pass, with a scan in shared memory
//
// Each pass counts the keys whose bit is 0 with a Hillis-Steele scan (free: neighbours), then
// scatters keys to their places. The scatter depends on the keys; it keeps two runs of
// neighbours for each warp, so lanes meet only where the two runs share banks. The keys are a
// permutation of 0 … 255.
// assume: d_keys = i * 77 % 256

const int THREADS = 256;
const int BITS = 8;

__global__ void radix_sort_block(unsigned int *d_keys)
{
    __shared__ unsigned int keys[THREADS];
    __shared__ unsigned int scan[2][THREADS];
    __shared__ unsigned int total_zeros;
    const int tid = threadIdx.x;

    keys[tid] = d_keys[tid];                                    // expect: 1-way, 8 wavefronts
    __syncthreads();

    for (int bit = 0; bit < BITS; bit++) {
        unsigned int key = keys[tid];                           // expect: 1-way, 64 wavefronts
        unsigned int zero = !((key >> bit) & 1u);

        // inclusive scan of the zeros, double-buffered
        int src = 0;
        scan[src][tid] = zero;                                  // expect: 1-way, 64 wavefronts
        __syncthreads();
        for (int d = 1; d < THREADS; d <<= 1) {
            unsigned int v = scan[src][tid];                    // expect: 1-way, 512 wavefronts
            if (tid >= d)
                v += scan[src][tid - d];                        // expect: 1-way, 456 wavefronts
            scan[src ^ 1][tid] = v;                             // expect: 1-way, 512 wavefronts
            src ^= 1;
            __syncthreads();
        }
        if (tid == THREADS - 1)
            total_zeros = scan[src][tid];                       // expect: 1-way, 16 wavefronts
        __syncthreads();

        unsigned int before = scan[src][tid] - zero;            // expect: 1-way, 64 wavefronts
        unsigned int dst = zero ? before : total_zeros + (tid - before);        // expect: 1-way, 64 wavefronts
        keys[dst] = key;                                        // expect: 2-way, 128 wavefronts, 64 excessive
        __syncthreads();
    }
    d_keys[tid] = keys[tid];                                    // expect: 1-way, 8 wavefronts
}

radix_sort_block<<<1, THREADS>>>(d_keys);
