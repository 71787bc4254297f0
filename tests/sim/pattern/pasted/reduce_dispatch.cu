// A reduction whose block size is a template argument, dispatched by the host.
#include <cuda_runtime.h>
#include <stdio.h>

template <class T, unsigned int blockSize>
__global__ void reduce(T *g_idata, T *g_odata, unsigned int n)
{
    extern __shared__ T sdata[];
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * (blockSize * 2) + tid;
    unsigned int gridSize = blockSize * 2 * gridDim.x;
    T sum = 0;
    while (i < n) {
        sum += g_idata[i];
        if (i + blockSize < n)
            sum += g_idata[i + blockSize];
        i += gridSize;
    }
    sdata[tid] = sum; // expect: 1-way, 128 wavefronts
    __syncthreads();
    for (unsigned int s = 1; s < blockSize; s *= 2) {
        int index = 2 * s * tid;
        if (index < blockSize)
            sdata[index] += sdata[index + s]; // expect: 2-way, 2112 wavefronts
        __syncthreads();
    }
    if (tid == 0)
        g_odata[blockIdx.x] = sdata[0]; // expect: 64 wavefronts
}

static void getNumBlocksAndThreads(int n, int maxThreads, int &blocks, int &threads);
static void report(int n, int blocks);

int main(int argc, char **argv)
{
    int size = 1 << 18;
    int threads, maxBlocks = 64;
    int blocks = 1;
    float *d_idata = NULL, *d_odata = NULL;
    cudaMalloc((void **)&d_idata, size * sizeof(float));
    cudaMalloc((void **)&d_odata, maxBlocks * sizeof(float));
    getNumBlocksAndThreads(size, 256, blocks, threads);
    threads = 64;
    blocks = (size + threads * 2 - 1) / (threads * 2);
    blocks = min(maxBlocks, blocks);
    report(size, blocks);
    dim3 dimBlock, dimGrid;
    dimBlock.x = threads;
    dimGrid.x = blocks;
    int smemSize = threads * sizeof(float);
    for (int i = 0; i < 100; i++) {
        cudaDeviceSynchronize();
        switch (threads) {
        case 512:
            reduce<float, 512><<<dimGrid, dimBlock, smemSize>>>(d_idata, d_odata, size);
            break;
        case 64:
            reduce<float, 64><<<dimGrid, dimBlock, smemSize>>>(d_idata, d_odata, size);
            break;
        }
    }
    cudaFree(d_idata);
    return 0;
}

static void getNumBlocksAndThreads(int n, int maxThreads, int &blocks, int &threads)
{
    threads = n < maxThreads ? n : maxThreads;
    blocks = (n + threads - 1) / threads;
}

static void report(int n, int blocks)
{
    printf("%d elements, %d blocks\n", n, blocks);
}
