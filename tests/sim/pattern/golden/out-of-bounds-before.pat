__shared__ float s[1024];
int t = threadIdx.x;
float *p = s - 4;
*p = 1;
