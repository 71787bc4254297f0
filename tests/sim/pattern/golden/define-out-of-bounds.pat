// run: -D N=64
const int N = 2;
__shared__ float s[1024];
int t = threadIdx.x;
s[t * N] = 1;
