// run: predict
// out: st.32 1-way 1
__global__ void k(float *x) { namespace cg = cooperative_groups; cg::thread_block b = cg::this_thread_block(); __shared__ float s[32]; s[threadIdx.x] = x[threadIdx.x]; b.sync(); }
k<<<1, 32>>>(x);
