// SPDX-License-Identifier: GPL-3.0-or-later
// title: Reduction 6: many elements a thread
//
// The last of the classic stages: each thread first sums many elements from global memory,
// adding them to its own word of shared memory as the original does. 65,536 elements, 4 blocks
// of 256 threads and two elements a step make 32 steps.

template <unsigned int blockSize>
__device__ void warpReduce(volatile int *sdata, unsigned int tid)
{
    if (blockSize >= 64) sdata[tid] += sdata[tid + 32];     // expect: 1-way, 12 wavefronts
    if (blockSize >= 32) sdata[tid] += sdata[tid + 16];     // expect: 1-way, 12 wavefronts
    if (blockSize >= 16) sdata[tid] += sdata[tid + 8];      // expect: 1-way, 12 wavefronts
    if (blockSize >= 8) sdata[tid] += sdata[tid + 4];       // expect: 1-way, 12 wavefronts
    if (blockSize >= 4) sdata[tid] += sdata[tid + 2];       // expect: 1-way, 12 wavefronts
    if (blockSize >= 2) sdata[tid] += sdata[tid + 1];       // expect: 1-way, 12 wavefronts
}

template <unsigned int blockSize>
__global__ void reduce6(int *g_idata, int *g_odata, unsigned int n)
{
    extern __shared__ int sdata[];
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * (blockSize * 2) + tid;
    unsigned int gridSize = blockSize * 2 * gridDim.x;
    sdata[tid] = 0;                                         // expect: 1-way, 32 wavefronts

    while (i < n) { sdata[tid] += g_idata[i] + g_idata[i + blockSize]; i += gridSize; }     // expect: 1-way, 2048 wavefronts
    __syncthreads();

    if (blockSize >= 512) { if (tid < 256) { sdata[tid] += sdata[tid + 256]; } __syncthreads(); }
    if (blockSize >= 256) { if (tid < 128) { sdata[tid] += sdata[tid + 128]; } __syncthreads(); }   // expect: 1-way, 48 wavefronts
    if (blockSize >= 128) { if (tid < 64) { sdata[tid] += sdata[tid + 64]; } __syncthreads(); }     // expect: 1-way, 24 wavefronts

    if (tid < 32) warpReduce<blockSize>(sdata, tid);
    if (tid == 0) g_odata[blockIdx.x] = sdata[0];           // expect: 1-way, 4 wavefronts
}

reduce6<256><<<4, 256, 256 * sizeof(int)>>>(g_idata, g_odata, 65536);
