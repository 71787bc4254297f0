__device__ void f() { return 3; }
__device__ int g() { return; }
__shared__ float s[1024];
int t = threadIdx.x;
s[t] = 1;
