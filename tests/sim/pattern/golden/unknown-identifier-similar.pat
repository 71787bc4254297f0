const int STRIDE = 2;
__shared__ float s[1024];
int t = threadIdx.x;
s[t * STRDE] = 1;
s[threadIdy.x] = 1;
