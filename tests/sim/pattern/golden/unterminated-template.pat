template <int N = (>
__global__ void k() {}
k<1><<<1, 32>>>();
