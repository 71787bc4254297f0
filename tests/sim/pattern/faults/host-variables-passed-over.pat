// run: predict
// out: st.32 1-way 1
const char *sample = "transpose";
static float *buffer = nullptr;
__global__ void k(float *x) { __shared__ float s[32]; s[threadIdx.x] = x[threadIdx.x]; }
k<<<1, 32>>>(x);
