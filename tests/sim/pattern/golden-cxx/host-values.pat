// run: -D n=640 --block 64
__global__ void k(float *o, int n)
{
    extern __shared__ float s[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        s[threadIdx.x] = 1;
}

void run(float *d, int n, int threads)
{
    k<<<(n + 63) / 64, threads, n * sizeof(float)>>>(d, n);
}
