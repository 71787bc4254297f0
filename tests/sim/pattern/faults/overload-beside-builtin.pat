// run: predict
// out: st.32 1-way
// out: ld.32 1-way
__device__ float2 make_float2(float s) { return make_float2(s, s); }
__global__ void k(float *out)
{
    __shared__ float s[32];
    s[threadIdx.x] = make_float2(1.0f).x;
    out[threadIdx.x] = s[threadIdx.x];
}
k<<<1, 32>>>(o);
