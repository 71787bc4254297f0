// run: --max-steps 100000
__shared__ float s[1024];
int t = threadIdx.x;
while (true)
    s[t] = 1;
