// run: predict
// exit: 2
// out: unknown-address
// not: st.32
__global__ void k(float *o, unsigned a)
{
    __shared__ unsigned s[4096];
    unsigned r, b = 0x00010001;
    asm volatile("add.f16x2 %0, %1, %2;" : "=r"(r) : "r"(b), "r"(b)); // halves, not an integer
    s[r & 4095] = 1;
}
k<<<1, 32>>>(o, 1);
