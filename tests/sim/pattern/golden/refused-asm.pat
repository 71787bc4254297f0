__shared__ float s[1024];
int t = threadIdx.x;
unsigned a = (unsigned)__cvta_generic_to_shared(&s[t]), x;
asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(a));
asm volatile("cp.async.bulk.shared::cluster.global [%0], [%1], 16;" :: "r"(a), "l"(a));
asm("mov.u32 %[o], 1;" : [o] "=r"(x));
asm volatile("ld.shared.u32 %3, [%0];" :: "r"(a));
asm volatile("ld.shared.u32 %0" : "=r"(x));
asm volatile("cp.async.cg.shared.global [%0], [%0], 8;" :: "r"(a));
