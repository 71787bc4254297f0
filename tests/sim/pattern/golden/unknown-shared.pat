__shared__ float s[1024];
int t = threadIdx.x;
int i = (int)s[t];
s[i] = 1;
