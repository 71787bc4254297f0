__global__ void k()
{
    __shared__ float s[32];
    s[threadIdx.x] = 1;
}
dim3 block(32);
k<<<1, block>>>();
