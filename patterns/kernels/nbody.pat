// SPDX-License-Identifier: GPL-3.0-or-later
// title: N-body tile: every lane reads the same float4
//
// All lanes read one body at a time. Equal addresses are one request's broadcast, and lanes that
// agree in pairs let a 16-byte load take its four quarters as two halves: 2 wavefronts, not 4.

#define TILE 128

__device__ float3 bodyBodyInteraction(float3 ai, float4 bi, float4 bj)
{
    float3 r;
    r.x = bj.x - bi.x;
    r.y = bj.y - bi.y;
    r.z = bj.z - bi.z;
    float distSqr = r.x * r.x + r.y * r.y + r.z * r.z;
    distSqr += 0.01f;
    float invDist = rsqrtf(distSqr);
    float s = bj.w * invDist * invDist * invDist;
    ai.x += r.x * s;
    ai.y += r.y * s;
    ai.z += r.z * s;
    return ai;
}

__global__ void integrateBodies(float4 *newPos, const float4 *oldPos, int numTiles)
{
    extern __shared__ float4 sharedPos[];
    float4 position = oldPos[blockIdx.x * blockDim.x + threadIdx.x];
    float3 acc = {0.0f, 0.0f, 0.0f};

    for (int tile = 0; tile < numTiles; tile++) {
        sharedPos[threadIdx.x] = oldPos[tile * blockDim.x + threadIdx.x];               // expect: 1-way, 32 wavefronts
        __syncthreads();
#pragma unroll 128
        for (unsigned int counter = 0; counter < blockDim.x; counter++) {
            acc = bodyBodyInteraction(acc, position, sharedPos[counter]);               // expect: 1-way, 2048 wavefronts
        }
        __syncthreads();
    }

    position.x += acc.x;
    position.y += acc.y;
    position.z += acc.z;
    newPos[blockIdx.x * blockDim.x + threadIdx.x] = position;
}

integrateBodies<<<1, TILE, TILE * sizeof(float4)>>>(newPos, oldPos, 2);
