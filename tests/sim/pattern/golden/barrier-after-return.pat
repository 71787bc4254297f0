__global__ void k()
{
    __shared__ float s[64];
    if (threadIdx.x >= 32) return;
    __syncthreads();
    s[threadIdx.x] = 1;
}
k<<<1, 64>>>();
