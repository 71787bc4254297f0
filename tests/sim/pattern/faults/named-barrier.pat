// run: predict
// out: st.32 2-way 8
// not: warning
__global__ void k() {
    __shared__ float s[256];
    s[threadIdx.x * 2] = 1;
    asm volatile("bar.sync %0, 128;" ::"r"(1) : "memory");
}
void go() { k<<<1, 128>>>(); }
