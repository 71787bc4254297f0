__shared__ float s[1024];
int t = threadIdx.x;
float *p = s + 1000;
p[t] = 1;
