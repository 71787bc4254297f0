// Reduction with a templated block size and an unrolled warp tail.
template <unsigned int blockSize, typename T>
__device__ void warpReduce(volatile T *sdata, unsigned int tid)
{
    if (blockSize >= 64) sdata[tid] += sdata[tid + 32];
    if (blockSize >= 32) sdata[tid] += sdata[tid + 16];
    if (blockSize >= 16) sdata[tid] += sdata[tid + 8];
    if (blockSize >= 8) sdata[tid] += sdata[tid + 4];
    if (blockSize >= 4) sdata[tid] += sdata[tid + 2];
    if (blockSize >= 2) sdata[tid] += sdata[tid + 1];
}

template <unsigned int blockSize, bool nIsPow2, typename T>
__global__ void reduce6(const T *__restrict__ g_idata, T *__restrict__ g_odata, unsigned int n)
{
    extern __shared__ T sdata[];
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * (blockSize * 2) + tid;
    unsigned int gridSize = blockSize * 2 * gridDim.x;
    T mySum = 0;
    while (i < n) {
        mySum += g_idata[i];
        if (nIsPow2 || i + blockSize < n)
            mySum += g_idata[i + blockSize];
        i += gridSize;
    }
    sdata[tid] = mySum; // expect: conflict-free, 8 wavefronts
    __syncthreads();
    if (blockSize >= 512) { if (tid < 256) { sdata[tid] = mySum = mySum + sdata[tid + 256]; } __syncthreads(); }
    if (blockSize >= 256) { if (tid < 128) { sdata[tid] = mySum = mySum + sdata[tid + 128]; } __syncthreads(); } // expect: 8 wavefronts
    if (blockSize >= 128) { if (tid < 64) { sdata[tid] = mySum = mySum + sdata[tid + 64]; } __syncthreads(); }
    if (tid < 32) warpReduce<blockSize>(sdata, tid);
    if (tid == 0) g_odata[blockIdx.x] = sdata[0]; // expect: 1 wavefronts
}

int main(int argc, char **argv)
{
    int size = 1 << 20;
    const int threads = 256;
    int blocks = size / (threads * 2);
    size_t smemSize = (threads <= 32) ? 2 * threads * sizeof(float) : threads * sizeof(float);
    float *d_idata = NULL, *d_odata = NULL;
    checkCudaErrors(cudaMalloc((void **)&d_idata, size * sizeof(float)));
    reduce6<threads, true, float><<<1, threads, smemSize>>>(d_idata, d_odata, 4096);
}
