struct S { float x; __device__ float get() const { return x; } };
struct C { int a; C(int b) : a(b) {} };
__shared__ S s[32];
s[threadIdx.x].x = 1;
