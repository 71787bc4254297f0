// run: predict
// not: warning
__global__ void k(float *o)
{
    __shared__ int bins[64], bytes[64], flag;
    __shared__ volatile int v[64];
    __shared__ unsigned char b[64];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    bins[t] = 0;
    b[t] = t;
    if (t == 0) flag = 0;
    __syncthreads();
    atomicAdd(&bins[t % 7], 1);
    atomicMax(&bins[t % 3], t);
    v[t] = t;                      // warp-synchronous: a warp's own words
    if (lane < 16) v[t] += v[t + 16];
    if (lane < 8) v[t] += v[t + 8];
    bytes[warp * 32 + (lane + 1) % 32] = b[t];
    bytes[t] += 1;
    __syncthreads();
    while (atomicCAS(&flag, 0, 1) != 0 && t == 0);
    if (lane == 0) { bytes[0] += t; atomicExch(&flag, 0); }
    __syncthreads();
    o[t] = bins[t] + bytes[63 - t] + v[63 - t];
}
k<<<1, 64>>>(o);
