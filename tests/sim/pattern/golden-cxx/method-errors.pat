struct S {
    int n;
    __device__ S(int n) : n(n) {}
    __device__ int get(int i) const { return n + i; }
    static __device__ int zero() { return n; }
};
struct R { int n; __device__ R(int k) : m(k) {} };
template <typename T> struct P { T *p; __device__ T &operator[](int i) { return p[i]; } };
__shared__ int s[64];
int t = threadIdx.x;
S a(1, 2), b(3);
s[b.get()] = 1;
s[b.size()] = 1;
s[b(t)] = 1;
s[b[t]] = 1;
s[b + 1] = 1;
s[S::get(1)] = 1;
P<int> q = {s};
q["x"] = 1;
