__shared__ float s[1024];
int t = threadIdx.x;
s[thread] = 1;
s[nowhere] = 2;
