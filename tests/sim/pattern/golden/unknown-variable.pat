__shared__ float s[1024];
int t = threadIdx.x;
int i;
s[i] = 1;
