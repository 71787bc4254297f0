__shared__ float s[1024];
int t = threadIdx.x;
s[5 / 0] = 1;
