#define
#define F(a, b) a + b
#if 1 +
#endif
#else
#endif
#elif 1
#error stop here
#nonsense
__shared__ float s[1024];
int t = threadIdx.x;
s[F(1)] = 1;
s[F(1, 2, 3)] = 1;
