// run: --block 64x32
__shared__ float s[1024];
int t = threadIdx.x;
s[t] = 1;
