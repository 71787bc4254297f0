__device__ int f(int x) noexcept { return x; }
__device__ int g(int x) -> int { return x; }
__device__ int h(int x) const { return x; }
__shared__ float s[32];
s[threadIdx.x] = 1;
