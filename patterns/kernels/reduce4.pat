// SPDX-License-Identifier: GPL-3.0-or-later
// title: Reduction 4: unroll the last warp
//
// Once 32 threads are left, a warp needs no barrier: the last six steps are unrolled, on a
// volatile pointer so that each store is seen. All 32 lanes take part in each of them, needed or
// not.

__device__ void warpReduce(volatile int *sdata, unsigned int tid)
{
    sdata[tid] += sdata[tid + 32];          // expect: 1-way, 12 wavefronts
    sdata[tid] += sdata[tid + 16];          // expect: 1-way, 12 wavefronts
    sdata[tid] += sdata[tid + 8];           // expect: 1-way, 12 wavefronts
    sdata[tid] += sdata[tid + 4];           // expect: 1-way, 12 wavefronts
    sdata[tid] += sdata[tid + 2];           // expect: 1-way, 12 wavefronts
    sdata[tid] += sdata[tid + 1];           // expect: 1-way, 12 wavefronts
}

__global__ void reduce4(int *g_idata, int *g_odata)
{
    extern __shared__ int sdata[];

    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;
    sdata[tid] = g_idata[i] + g_idata[i + blockDim.x];  // expect: 1-way, 32 wavefronts
    __syncthreads();

    for (unsigned int s = blockDim.x / 2; s > 32; s >>= 1) {
        if (tid < s)
            sdata[tid] += sdata[tid + s];   // expect: 1-way, 72 wavefronts
        __syncthreads();
    }

    if (tid < 32) warpReduce(sdata, tid);

    if (tid == 0) g_odata[blockIdx.x] = sdata[0];       // expect: 1-way, 4 wavefronts
}

reduce4<<<4, 256, 256 * sizeof(int)>>>(g_idata, g_odata);
