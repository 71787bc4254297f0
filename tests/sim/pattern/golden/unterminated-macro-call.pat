#define F(a) a
__shared__ float s[1024];
int t = threadIdx.x;
s[F(t] = 1;
