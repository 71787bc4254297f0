// SPDX-License-Identifier: GPL-3.0-or-later
// title: Reduction 5: completely unrolled
//
// The block size is a template parameter, so that the compiler drops what it does not need: of
// the three tests in the kernel, only those for 256 and 128 threads leave code.

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
__global__ void reduce5(int *g_idata, int *g_odata)
{
    extern __shared__ int sdata[];

    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * (blockSize * 2) + tid;
    sdata[tid] = g_idata[i] + g_idata[i + blockSize];       // expect: 1-way, 32 wavefronts
    __syncthreads();

    if (blockSize >= 512) { if (tid < 256) { sdata[tid] += sdata[tid + 256]; } __syncthreads(); }
    if (blockSize >= 256) { if (tid < 128) { sdata[tid] += sdata[tid + 128]; } __syncthreads(); }   // expect: 1-way, 48 wavefronts
    if (blockSize >= 128) { if (tid < 64) { sdata[tid] += sdata[tid + 64]; } __syncthreads(); }     // expect: 1-way, 24 wavefronts

    if (tid < 32) warpReduce<blockSize>(sdata, tid);
    if (tid == 0) g_odata[blockIdx.x] = sdata[0];           // expect: 1-way, 4 wavefronts
}

reduce5<256><<<4, 256, 256 * sizeof(int)>>>(g_idata, g_odata);
