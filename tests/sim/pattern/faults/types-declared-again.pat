// run: predict
// out: st.32 2-way 4
typedef struct P { float a, b; } P;
typedef unsigned int u32;
typedef unsigned int u32;
__global__ void k(P *x) { __shared__ P s[32]; s[threadIdx.x] = x[threadIdx.x]; }
k<<<1, 32>>>(x);
