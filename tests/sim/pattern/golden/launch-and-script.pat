__global__ void k() { __shared__ int s[32]; s[threadIdx.x] = 1; }
int x = 3;
x = 4;
k<<<1, 32>>>();
