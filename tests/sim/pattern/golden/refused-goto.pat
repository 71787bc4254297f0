__shared__ float s[1024];
int t = threadIdx.x;
again: s[t] = 1;
goto again;
