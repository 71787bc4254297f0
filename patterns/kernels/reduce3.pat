// SPDX-License-Identifier: GPL-3.0-or-later
// title: Reduction 3: first add during load
//
// Half the threads would idle in the first step; they add while they load instead. Shared memory
// sees the same as before, for twice the elements.

template <class T>
__global__ void reduce3(T *g_idata, T *g_odata, unsigned int n)
{
    extern __shared__ T sdata[];

    // perform first level of reduction,
    // reading from global memory, writing to shared memory
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;

    T mySum = (i < n) ? g_idata[i] : 0;

    if (i + blockDim.x < n) mySum += g_idata[i + blockDim.x];

    sdata[tid] = mySum;                                     // expect: 1-way, 32 wavefronts
    __syncthreads();

    // do reduction in shared mem
    for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) {
            sdata[tid] = mySum = mySum + sdata[tid + s];    // expect: 1-way, 96 wavefronts
        }

        __syncthreads();
    }

    // write result for this block to global mem
    if (tid == 0) g_odata[blockIdx.x] = mySum;
}

reduce3<int><<<4, 256, 256 * sizeof(int)>>>(g_idata, g_odata, 2048);
