__device__ float4 operator+(float4 a, float4 b) { return a; }
__shared__ float s[1024];
int t = threadIdx.x;
s[t] = 1;
