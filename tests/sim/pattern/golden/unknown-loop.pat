int *data;
__shared__ float s[1024];
int t = threadIdx.x;
for (int i = 0; i < data[0]; i++)
    s[t] = 1;
