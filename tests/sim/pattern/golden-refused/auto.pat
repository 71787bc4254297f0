__shared__ float s[32];
auto i = 3;
auto *p = s;
__device__ auto f(int x) { return x; }
s[threadIdx.x] = 1;
