// run: predict
// out: st.32 1-way 1
namespace wt { __device__ void load(float *s, const float *x) { s[threadIdx.x] = x[threadIdx.x]; } }
namespace db { __device__ void load(float *s, const float *x) { s[threadIdx.x * 2] = x[threadIdx.x]; } }
__global__ void k(float *x) { __shared__ float s[64]; wt::load(s, x); }
k<<<1, 32>>>(x);
