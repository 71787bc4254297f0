__shared__ float s[1024];
int t = threadIdx.x;
if (t < 16)
    __syncthreads();
s[t] = 1;
