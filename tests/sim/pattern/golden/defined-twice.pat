__device__ int f(int a) { return a; }
__device__ int f(int b) { return b; }
__shared__ float s[1024];
int t = threadIdx.x;
s[f(t)] = 1;
