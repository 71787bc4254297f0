// assume: data = data[i] + 1
__device__ int data[64];
__shared__ float s[1024];
int t = threadIdx.x;
s[data[t]] = 1;
