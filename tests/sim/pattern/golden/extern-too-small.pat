__global__ void k() { extern __shared__ float s[]; s[threadIdx.x + 1] = 1; }
k<<<1, 32, 128>>>();
