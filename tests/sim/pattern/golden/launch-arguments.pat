__global__ void k(float *p, int n) { __shared__ int s[32]; s[threadIdx.x] = n; }
k<<<1, 32>>>(p);
k<<<1, 32>>>(p, 1, 2);
