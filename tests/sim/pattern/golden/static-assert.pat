const int N = 30;
static_assert(N % 32 == 0, "N must be a multiple of 32");
__shared__ float s[1024];
int t = threadIdx.x;
s[t] = N;
