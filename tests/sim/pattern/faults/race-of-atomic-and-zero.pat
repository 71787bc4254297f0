// run: predict
// out: warp 1 writes here what warp 0 wrote
// out: [-Wrace]
__global__ void k(float *o)
{
    __shared__ int bins[32];
    if (threadIdx.x < 32) bins[threadIdx.x] = 0;
    atomicAdd(&bins[threadIdx.x % 32], 1);
}
k<<<1, 64>>>(o);
