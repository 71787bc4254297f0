// run: predict --join --trials 2
// out: total 12.0
__global__ void k(const int *g, int *o)
{
    __shared__ int s[128];
    s[threadIdx.x] = g[threadIdx.x];
    s[threadIdx.x + 64] = g[threadIdx.x + 64];
    __syncthreads();
    int &a = s[threadIdx.x], &b = s[threadIdx.x + 64];
    if (a > b) { int t = a; a = b; b = t; }
}
// assume: g = random(65536)
k<<<1, 64>>>(g, o);
