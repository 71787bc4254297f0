__shared__ float s[1024];
int t = threadIdx.x;
s[t = 1;
s[t + 1] = 2;
