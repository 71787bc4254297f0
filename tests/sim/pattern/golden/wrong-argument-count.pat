__device__ int f(int a, int b = 1) { return a + b; }
__shared__ float s[1024];
int t = threadIdx.x;
s[f()] = 1;
s[f(1, 2, 3)] = 1;
s[min(t)] = 1;
__syncthreads(1);
