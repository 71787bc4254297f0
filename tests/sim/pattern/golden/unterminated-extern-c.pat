extern "C" {
__global__ void k() { __shared__ int s[32]; s[threadIdx.x] = 1; }
k<<<1, 32>>>();
