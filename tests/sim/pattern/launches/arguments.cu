// run: predict --block 32 -D n=16
// out: sm_90, n=16
// out: st.32 1-way 1 1
// run: predict --block 32 --arg n=16
// out: st.32 1-way 1 1
// run: predict --block 32 --arg 1=u32:16
// out: st.32 1-way 1 1
// run: predict --block 32 --arg k:n=16
// out: st.32 1-way 1 1
// run: predict --block 32
// exit: 2
// out: kernel argument 'n'
// out: -D n=16
// run: predict --block 32 --arg m=16
// exit: 2
// out: --arg m=16: no kernel that is launched has it
// out: the parameters are: k:x, k:n
// run: predict --block 32 --arg j:n=16
// exit: 2
// out: no kernel that is launched has it
// run: predict --block 32 --arg n=1 --arg n=16
// out: st.32 1-way 1 1
// run: sweep --block 32 --arg n=16:18
// out: n
// out: 16 1-way 1
// out: 18 1-way 1
// run: sweep --block 32 --arg 1=8,16
// out: arg 1
__global__ void k(float *x, int n)
{
    __shared__ float s[32];
    if (threadIdx.x < n)
        s[threadIdx.x] = x[threadIdx.x];
}
