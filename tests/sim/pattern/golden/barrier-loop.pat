__shared__ float s[1024];
int t = threadIdx.x;
for (int i = 0; i < t; i++)
    __syncthreads();
s[t] = 1;
