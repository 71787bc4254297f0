// run: lower
// out: st.32 ffffffff 4 st.32 ffffffff 124
__global__ void k(float *o)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[__shfl_xor(t, 1)] = 1;
    s[__shfl(31 - t, 0)] = 1;
}
k<<<1, 32>>>(o);
