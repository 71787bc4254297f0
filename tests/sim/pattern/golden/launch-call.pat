__global__ void k() { __shared__ int s[32]; s[threadIdx.x] = 1; }
__global__ void m() { k(); }
m<<<1, 32>>>();
