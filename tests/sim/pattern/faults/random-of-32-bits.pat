// run: predict --trials 3
// out: st.32
// not: error:
// assume: g = random(4294967296)
__global__ void k(const unsigned *g) { __shared__ int s[256]; s[g[threadIdx.x] >> 24] = 1; }
k<<<1, 64>>>(g);
