template <typename... Ts> __device__ void f(Ts... ts) {}
template <template <typename> class Op> __device__ void g() {}
template <int N> constexpr int twice = 2 * N;
template <typename T, int N> struct Vec { T v[N]; };
template <typename T> struct Vec<T, 1> { T x; };
template <int N> struct Endless { Endless<N + 1> *next; Endless<N + 1> x; };
template <typename T> struct Declared;
__shared__ int s[64];
Vec v;
Vec<float> w;
Vec<float, 1, 2> x;
Endless<0> e;
Declared<int> d;
s[Vec<int, 4>::rows] = 1;
