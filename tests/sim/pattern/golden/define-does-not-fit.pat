// run: -D N=300
const unsigned char N = 2;
__shared__ float s[1024];
int t = threadIdx.x;
s[t * N] = 1;
