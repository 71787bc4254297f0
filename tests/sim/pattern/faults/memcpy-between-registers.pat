// run: predict
// out: st.32 1-way 1
__global__ void k(float *x) { __shared__ float s[32]; float f = x[threadIdx.x]; int b; memcpy(&b, &f, sizeof(b)); s[threadIdx.x] = b; }
k<<<1, 32>>>(x);
