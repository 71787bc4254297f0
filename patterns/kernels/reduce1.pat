// SPDX-License-Identifier: GPL-3.0-or-later
// title: Reduction 1: interleaved addressing, with bank conflicts
//
// The modulo is gone: thread t works on index 2st, so busy lanes are packed into few warps. They
// are now 2s words apart in a full warp: conflicts grow with every step until the lanes run out.

__global__ void reduce1(int *g_idata, int *g_odata)
{
    extern __shared__ int sdata[];

    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    sdata[tid] = g_idata[i];                    // expect: 1-way, 32 wavefronts
    __syncthreads();

    for (unsigned int s = 1; s < blockDim.x; s *= 2) {
        int index = 2 * s * tid;

        if (index < blockDim.x) {
            sdata[index] += sdata[index + s];   // expect: 8-way, 564 wavefronts, 420 excessive
        }
        __syncthreads();
    }

    if (tid == 0) g_odata[blockIdx.x] = sdata[0];   // expect: 1-way, 4 wavefronts
}

reduce1<<<4, 256, 256 * sizeof(int)>>>(g_idata, g_odata);
