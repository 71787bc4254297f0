__device__ int f(int a) { return a; }
__device__ int f(float a) { return 2; }
__shared__ int s[32];
s[f(1)] = 1;
