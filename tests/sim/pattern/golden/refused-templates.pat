template <typename T, int N> struct Vec { T v[N]; };
template <typename... Ts> __device__ void f(Ts... ts) {}
template <typename T> using ptr = T *;
__shared__ float s[1024];
int t = threadIdx.x;
s[t] = 1;
