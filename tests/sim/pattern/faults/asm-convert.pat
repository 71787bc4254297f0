// run: lower
// out: st.8 ffffffff 120 st.8 ffffffff 4088 st.8 ffffffff 4095 st.8 ffffffff 7
__global__ void k(float *o)
{
    __shared__ unsigned char s[4096];
    unsigned r;
    asm volatile("cvt.u32.u8 %0, %1;" : "=r"(r) : "r"(0x12345678));
    s[r & 4095] = 1;
    asm volatile("cvt.s32.s8 %0, %1;" : "=r"(r) : "r"(0xf8));
    s[r & 4095] = 1;
    asm volatile("cvt.u32.u16 %0, %1;" : "=r"(r) : "r"(-1));
    s[r & 4095] = 1;
    asm volatile("cvt.rzi.s32.f32 %0, %1;" : "=r"(r) : "f"(7.9f));
    s[r & 4095] = 1;
}
k<<<1, 32>>>(o);
