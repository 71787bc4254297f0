__global__ void k(int n)
{
    __shared__ float s[32];
    s[threadIdx.x] = 1;
}
k<<<blocks, 32, bytes>>>(n);
