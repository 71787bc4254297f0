// run: predict
// out: nvcc may join
// run: predict --launch 'second<<<1, 32>>>()'
// not: nvcc may join
// run: predict --join
// out: st.32 4-way 16
__device__ void st(unsigned *p, unsigned v) { asm volatile("st.shared.u32 [%0], %1;" ::"l"(__cvta_generic_to_shared(p)), "r"(v)); }
__global__ void first() {
    __shared__ unsigned sf[128];
    for (unsigned i = 0; i < 4; ++i) st(sf + threadIdx.x * 4 + i, i);
}
__global__ void second() {
    __shared__ unsigned sf[128];
    for (unsigned i = 0; i < 4; ++i) st(sf + threadIdx.x * 4 + ((i + threadIdx.x) & 3), i);
}
void go() { first<<<1, 32>>>(); second<<<1, 32>>>(); }
