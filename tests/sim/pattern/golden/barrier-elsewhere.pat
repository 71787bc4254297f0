__global__ void k()
{
    __shared__ float s[64];
    if (threadIdx.x < 32) {
        s[threadIdx.x] = 1;
        __syncthreads();
    } else {
        __syncthreads();
    }
}
k<<<1, 64>>>();
