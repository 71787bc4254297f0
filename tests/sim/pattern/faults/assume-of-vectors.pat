// run: predict --trials 3
// out: red.inc.u32
// not: error:
// assume: g = random(65536)
__global__ void k(uint4 *g) { __shared__ int s[256]; uint4 v = g[threadIdx.x]; atomicAdd(&s[v.x & 255], 1); }
k<<<1, 64>>>(g);
