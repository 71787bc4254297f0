#define f(x) (f(x) + 1)
#define g h
#define h g
int g = 1;
__shared__ float s[1024];
int t = threadIdx.x;
s[f(t)] = 1;
