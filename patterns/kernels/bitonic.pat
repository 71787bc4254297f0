// SPDX-License-Identifier: GPL-3.0-or-later
// title: Bitonic sort in shared memory
//
// 512 keys, one a thread. At distance j thread tid compares with tid ^ j, a permutation of the
// warp's 32 neighbouring words: no two lanes share a bank. How often lanes swap depends on the
// keys, so the file says what they are, a permutation of 0 … 511.
// assume: values = i * 167 % 512

#define NUM 512

__device__ inline void swap(int *a, int *b)
{
    int tmp = *a;   // expect: 1-way, 783 wavefronts
    *a = *b;        // expect: 1-way, 1566 wavefronts
    *b = tmp;       // expect: 1-way, 783 wavefronts
}

__global__ static void bitonicSort(int *values)
{
    extern __shared__ int shared[];

    const unsigned int tid = threadIdx.x;

    // Copy input to shared mem.
    shared[tid] = values[tid];                      // expect: 1-way, 16 wavefronts

    __syncthreads();

    // Parallel bitonic sort.
    for (unsigned int k = 2; k <= NUM; k *= 2) {
        // Bitonic merge:
        for (unsigned int j = k / 2; j > 0; j /= 2) {
            unsigned int ixj = tid ^ j;

            if (ixj > tid) {
                if ((tid & k) == 0) {
                    if (shared[tid] > shared[ixj]) {    // expect: 1-way, 912 wavefronts
                        swap(&shared[tid], &shared[ixj]);
                    }
                } else {
                    if (shared[tid] < shared[ixj]) {    // expect: 1-way, 688 wavefronts
                        swap(&shared[tid], &shared[ixj]);
                    }
                }
            }

            __syncthreads();
        }
    }

    // Write result.
    values[tid] = shared[tid];                      // expect: 1-way, 16 wavefronts
}

bitonicSort<<<1, NUM, sizeof(int) * NUM>>>(values);
