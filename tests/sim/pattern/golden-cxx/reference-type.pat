__device__ void f(float &x) { x = 1; }
__shared__ float s[1024];
int t = threadIdx.x;
int i = 1;
f(i);
f(2.0f);
