#if 1 / 0
#endif
__shared__ float s[1024];
int t = threadIdx.x;
s[t] = 1;
