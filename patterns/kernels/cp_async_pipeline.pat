// SPDX-License-Identifier: GPL-3.0-or-later
// title: A double-buffered pipeline of asynchronous copies
//
// While one stage is computed, the next is copied from global to shared memory without
// registers, by the intrinsics and by the asm lines that kernels carry. Each thread copies 16
// bytes and reads floats: contiguous both ways.

#include <cuda_pipeline.h>

#define STAGES 2
#define THREADS 128

__global__ void pipelined_sum(const float *__restrict__ in, float *__restrict__ out, int tiles)
{
    __shared__ __align__(16) float buf[STAGES][THREADS * 4];
    const int tid = threadIdx.x;
    float acc = 0.0f;

    // prologue: fill the first stage
    __pipeline_memcpy_async(&buf[0][tid * 4], &in[tid * 4], sizeof(float4));    // expect: 1-way
    __pipeline_commit();

    for (int tile = 0; tile < tiles; ++tile) {
        const int stage = tile % STAGES;
        if (tile + 1 < tiles) {
            __pipeline_memcpy_async(&buf[stage ^ 1][tid * 4], &in[(tile + 1) * THREADS * 4 + tid * 4], sizeof(float4));     // expect: 1-way
        }
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();

#pragma unroll
        for (int k = 0; k < 4; ++k)
            acc += buf[stage][k * THREADS + tid];       // expect: 1-way, 512 wavefronts
        __syncthreads();
    }
    out[blockIdx.x * THREADS + tid] = acc;
}

__global__ void pipelined_sum_asm(const float *in, float *out, int tiles)
{
    extern __shared__ __align__(16) unsigned char raw[];
    float *buf = reinterpret_cast<float *>(raw);
    const unsigned tid = threadIdx.x;
    float acc = 0.0f;

    unsigned dst = (unsigned)__cvta_generic_to_shared(buf + tid);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(dst), "l"(in + tid) : "memory");     // expect: 1-way, 4 wavefronts
    asm volatile("cp.async.commit_group;");

    for (int tile = 0; tile < tiles; ++tile) {
        const int stage = tile & 1;
        if (tile + 1 < tiles) {
            unsigned next = (unsigned)__cvta_generic_to_shared(buf + (stage ^ 1) * THREADS + tid);
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(next), "l"(in + (tile + 1) * THREADS + tid) : "memory");     // expect: 1-way, 28 wavefronts
        }
        asm volatile("cp.async.commit_group;");
        asm volatile("cp.async.wait_group 1;");
        __syncthreads();
        acc += buf[stage * THREADS + tid];              // expect: 1-way, 32 wavefronts
        __syncthreads();
    }
    out[tid] = acc;
}

pipelined_sum<<<4, THREADS>>>(in, out, 8);
pipelined_sum_asm<<<1, THREADS, STAGES * THREADS * sizeof(float)>>>(in, out, 8);
