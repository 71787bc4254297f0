// run: predict
// out: [-Wvector-attribute]
// out: ld.32 32-way 32
typedef float f4 __attribute__((ext_vector_type(4)));
__global__ void k() { __shared__ float lds[1024]; f4 v = *(f4 *)&lds[threadIdx.x * 32]; }
void go() { k<<<1, 32>>>(); }
