// SPDX-License-Identifier: GPL-3.0-or-later
// title: Reductions with cooperative groups
//
// The block handle's barrier around a tree in shared memory, and the version with warp tiles:
// shuffles inside a warp, one word of shared memory for each warp.

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__device__ int reduce_sum(cg::thread_block g, int *temp, int val)
{
    int lane = g.thread_rank();

    // Each iteration halves the number of active threads
    // Each thread adds its partial sum[i] to sum[lane+i]
    for (int i = g.size() / 2; i > 0; i /= 2) {
        temp[lane] = val;                       // expect: 1-way, 128 wavefronts
        g.sync(); // wait for all threads to store
        if (lane < i) val += temp[lane + i];    // expect: 1-way, 24 wavefronts
        g.sync(); // wait for all threads to load
    }
    return val; // note: only thread 0 will return full sum
}

__global__ void sum_kernel_block(int *sum, int *input, int n)
{
    int my_sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += blockDim.x * gridDim.x) {
        int4 in = ((int4 *)input)[i];
        my_sum += in.x + in.y + in.z + in.w;
    }

    extern __shared__ int temp[];
    cg::thread_block g = cg::this_thread_block();
    int block_sum = reduce_sum(g, temp, my_sum);

    if (g.thread_rank() == 0) atomicAdd(sum, block_sum);
}

__global__ void reduce_tiles(float *g_idata, float *g_odata, unsigned int n)
{
    cg::thread_block cta = cg::this_thread_block();
    cg::thread_block_tile<32> tile32 = cg::tiled_partition<32>(cta);
    __shared__ float sdata[32];

    unsigned int tid = cta.thread_rank();
    float mySum = 0;
    for (unsigned int i = blockIdx.x * blockDim.x + tid; i < n; i += gridDim.x * blockDim.x)
        mySum += g_idata[i];

    for (int offset = tile32.size() / 2; offset > 0; offset /= 2)
        mySum += tile32.shfl_down(mySum, offset);
    if (tile32.thread_rank() == 0)
        sdata[tid / 32] = mySum;                // expect: 1-way, 16 wavefronts
    cg::sync(cta);

    if (tid < 32) {
        mySum = tid < cta.size() / 32 ? sdata[tid] : 0.0f;      // expect: 1-way, 2 wavefronts
        for (int offset = 16; offset > 0; offset /= 2)
            mySum += tile32.shfl_down(mySum, offset);
        if (tid == 0) g_odata[blockIdx.x] = mySum;
    }
}

sum_kernel_block<<<2, 256, 256 * sizeof(int)>>>(sum, input, 8192);
reduce_tiles<<<2, 256>>>(g_idata, g_odata, 8192);
