// run: --max-steps 1000
__shared__ float s[1024];
int t = threadIdx.x;
for (int i = 0; i < 1000000; i++)
    s[t] = i;
