__device__ int f(int a, float b) { return a; }
__device__ int f(float a, int b) { return b; }
__shared__ float s[1024];
int t = threadIdx.x;
s[f(1, 2)] = 1;
s[f(s, s)] = 1;
