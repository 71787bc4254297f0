float *data;
__shared__ float s[1024];
int t = threadIdx.x;
if (data[t] > 0)
    s[t] = 1;
