struct P { int n; float *p; };
__global__ void k(P p) { __shared__ float s[64]; s[threadIdx.x * p.n] = 1; }
k<<<1, 32>>>(params);
