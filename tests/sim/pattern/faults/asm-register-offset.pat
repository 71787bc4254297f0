// run: predict
// exit: 2
// out: the instruction '[a + b]' is not in the language
// out: PTX adds a number to an address, not a register
__global__ void k(float *o)
{
    __shared__ unsigned char s[4096];
    unsigned r;
    int off = 8;
    asm volatile("ld.shared.u8 %0, [%1 + %2];" : "=r"(r) : "r"(16), "r"(off));
}
k<<<1, 32>>>(o);
