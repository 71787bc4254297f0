// run: predict
// out: 'mbarrier.init.shared::cta.b64' is passed over
// out: 'mbarrier.try_wait.parity.shared::cta.b64' is passed over
// out: 'wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16' is passed over
// out: st.32 1-way
// not: error
__global__ void k(float *o)
{
    __shared__ unsigned long long bar;
    __shared__ float s[128];
    unsigned b = __cvta_generic_to_shared(&bar), done;
    float d0, d1, d2, d3;
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(b), "r"(1));
    asm volatile("fence.proxy.async;");
    asm volatile("{ .reg .pred P1; LAB_WAIT: mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1; "
                 "@P1 bra DONE; bra LAB_WAIT; DONE: }" ::"r"(b), "r"(0));
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; "
                 "selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(b), "r"(0));
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
                 : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3) : "l"(0ull), "l"(0ull));
    s[threadIdx.x] = d0;
}
k<<<1, 128>>>(o);
