template <int N, typename T> __device__ T f(T a) { return a + N; }
__shared__ float s[1024];
int t = threadIdx.x;
s[f(t)] = 1;
s[f<1, int, 3>(t)] = 1;
s[f<t>(t)] = 1;
