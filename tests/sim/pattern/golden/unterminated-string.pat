__shared__ float s[1024];
int t = threadIdx.x;
printf("no end);
s[t] = 1;
