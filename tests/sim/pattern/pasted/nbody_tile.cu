// N-body: a tile of positions as float4 in dynamic shared memory, float3 helpers with operators by name.
#include <math.h>
typedef struct {
    float4 *pos[2];
    float3 force;
} DeviceData;

__constant__ float softeningSquared = 0.00125f;

__device__ float3 bodyBodyInteraction(float3 ai, float4 bi, float4 bj)
{
    float3 r;
    r.x = bj.x - bi.x;
    r.y = bj.y - bi.y;
    r.z = bj.z - bi.z;
    float distSqr = r.x * r.x + r.y * r.y + r.z * r.z;
    distSqr += softeningSquared;
    float invDist = rsqrtf(distSqr);
    float invDistCube = invDist * invDist * invDist;
    float s = bj.w * invDistCube;
    ai.x += r.x * s;
    ai.y += r.y * s;
    ai.z += r.z * s;
    return ai;
}

__device__ float3 computeBodyAccel(float4 bodyPos, float4 *positions, int numTiles)
{
    extern __shared__ float4 sharedPos[];
    float3 acc = {0.0f, 0.0f, 0.0f};
    for (int tile = 0; tile < numTiles; tile++) {
        sharedPos[threadIdx.x] = positions[tile * blockDim.x + threadIdx.x];
        __syncthreads();
#pragma unroll 128
        for (unsigned int counter = 0; counter < blockDim.x; counter++)
            acc = bodyBodyInteraction(acc, bodyPos, sharedPos[counter]);        // expect: 1-way
        __syncthreads();
    }
    return acc;
}

__global__ void integrateBodies(float4 *__restrict__ newPos, float4 *__restrict__ oldPos, float4 *vel,
                                unsigned int deviceNumBodies, float deltaTime, int numTiles)
{
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= deviceNumBodies) return;
    float4 position = oldPos[index];
    float3 accel = computeBodyAccel(position, oldPos, numTiles);
    float4 velocity = vel[index];
    velocity.x += accel.x * deltaTime;
    position.x += velocity.x * deltaTime;
    newPos[index] = position;
    vel[index] = velocity;
}

int main(int argc, const char **argv)
{
    const int numBodies = 1024, blockSize = 256;
    int numBlocks = (numBodies + blockSize - 1) / blockSize;
    int numTiles = (numBodies + blockSize - 1) / blockSize;
    int sharedMemSize = blockSize * 4 * sizeof(float);
    DeviceData data;
    cudaEvent_t start, stop;
    cudaEventCreate(&start);
    integrateBodies<<<numBlocks, blockSize, sharedMemSize>>>((float4 *)data.pos[0], (float4 *)data.pos[1], vel,
                                                             numBodies, 0.01f, numTiles);
    getLastCudaError("Kernel execution failed");
}
