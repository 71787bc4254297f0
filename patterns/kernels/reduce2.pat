// SPDX-License-Identifier: GPL-3.0-or-later
// title: Reduction 2: sequential addressing
//
// The busy threads are the first s, the partner is s away: lanes read and write neighbours, and
// no step conflicts.

__global__ void reduce2(int *g_idata, int *g_odata)
{
    extern __shared__ int sdata[];

    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    sdata[tid] = g_idata[i];                // expect: 1-way, 32 wavefronts
    __syncthreads();

    for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) {
            sdata[tid] += sdata[tid + s];   // expect: 1-way, 144 wavefronts
        }
        __syncthreads();
    }

    if (tid == 0) g_odata[blockIdx.x] = sdata[0];   // expect: 1-way, 4 wavefronts
}

reduce2<<<4, 256, 256 * sizeof(int)>>>(g_idata, g_odata);
