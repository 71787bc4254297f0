float *data;
__shared__ float s[1024];
int t = threadIdx.x;
int i = (int)data[t];
s[i] = 1;
