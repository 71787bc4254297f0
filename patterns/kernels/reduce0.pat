// SPDX-License-Identifier: GPL-3.0-or-later
// title: Reduction 0: interleaved addressing, divergent
//
// First of the seven classic stages of a sum in shared memory. Threads whose number is a
// multiple of 2s add their neighbour at distance s. The modulo keeps every warp busy with few
// lanes; the active lanes are 2s words apart, but there are only 32 / 2s of them, so no two meet
// in a bank.

__global__ void reduce0(int *g_idata, int *g_odata)
{
    extern __shared__ int sdata[];

    // each thread loads one element from global to shared mem
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    sdata[tid] = g_idata[i];                // expect: 1-way, 32 wavefronts
    __syncthreads();

    // do reduction in shared mem
    for (unsigned int s = 1; s < blockDim.x; s *= 2) {
        if (tid % (2 * s) == 0) {
            sdata[tid] += sdata[tid + s];   // expect: 1-way, 564 wavefronts
        }
        __syncthreads();
    }

    // write result for this block to global mem
    if (tid == 0)
        g_odata[blockIdx.x] = sdata[0];     // expect: 1-way, 4 wavefronts
}

reduce0<<<4, 256, 256 * sizeof(int)>>>(g_idata, g_odata);
