// run: -D N=-2
const int N = 2;
__shared__ float s[1024];
int t = threadIdx.x;
s[40 + t * N] = 1;
