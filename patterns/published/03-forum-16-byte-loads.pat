// SPDX-License-Identifier: GPL-3.0-or-later
// title: 16-byte loads, contiguous and 128 bytes apart (NVIDIA forum 359822)
// source: NVIDIA developer forum, thread 359822: 8,844,480 load instructions in each kernel
//
// A 16-byte load is served by quarter-warps, so 4 wavefronts are its ideal: 35,377,920 in all.
// With 128 bytes between lanes, the 8 lanes of a quarter want the same four banks: 32
// wavefronts, 283,023,360 in all. The thread gives totals and no grid; 360 blocks of 8 warps and
// 3071 steps make as many instructions.

const int STEPS = 3071;

__global__ void contiguous(float *out)
{
    extern __shared__ float4 data[];
    float sum = 0;
    for (int i = 0; i < STEPS; i++) {
        float4 v = data[threadIdx.x];               // expect: 1-way, 35377920 wavefronts, 0 excessive
        sum += v.x + v.y + v.z + v.w;
    }
    out[threadIdx.x] = sum;
}

__global__ void strided(float *out)
{
    extern __shared__ float4 data[];
    float sum = 0;
    for (int i = 0; i < STEPS; i++) {
        float4 v = data[threadIdx.x * 8];           // expect: 8-way, 283023360 wavefronts, 247645440 excessive
        sum += v.x + v.y + v.z + v.w;
    }
    out[threadIdx.x] = sum;
}

contiguous<<<360, 256, 256 * sizeof(float4)>>>(out);
strided<<<360, 256, 256 * 8 * sizeof(float4)>>>(out);
