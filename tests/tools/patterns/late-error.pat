// title: An error after many requests
__shared__ float s[1024];
for (int i = 0; i < 40; i++)
    s[i * 32 + threadIdx.x] = 0;
