float *data;
__shared__ float s[1024];
int t = threadIdx.x;
float v = data[t];
if (v > 0) data[t] = v * 2;
s[t] = v;
