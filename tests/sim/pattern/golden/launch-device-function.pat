__device__ void f() {}
f<<<1, 32>>>();
