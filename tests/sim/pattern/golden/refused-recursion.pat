__device__ int f(int n) { return n <= 1 ? 1 : n * f(n - 1); }
__shared__ float s[1024];
int t = threadIdx.x;
s[f(t)] = 1;
