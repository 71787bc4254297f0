// run: predict --quiet
// out: means over 10 trials
// out: An estimate: each trial ran
// out: of 4096 blocks
// out: 17 ld.32 1-way 4194304.0 4194304.0 0.0
// run: predict --quiet --grid 2 --trials 3
// out: means over 3 trials
// out: standard error of the mean
// out: 17 ld.32 1-way 2048.0 2048.0 0.0
// not: An estimate
// assume: g = random(65536)
__global__ void k(const unsigned *g)
{
    __shared__ unsigned s[512];
    s[threadIdx.x] = g[blockIdx.x * 512 + threadIdx.x];
    __syncthreads();
    for (int i = 0; i < 64; i++) { atomicAdd(&s[(s[threadIdx.x] + i) % 512], 1); __syncthreads(); }
}
k<<<4096, 512>>>(g);
