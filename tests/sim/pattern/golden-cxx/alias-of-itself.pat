template <typename T> using A = A<T>;
__shared__ int t[32];
A<int> x;
t[threadIdx.x] = 0;
