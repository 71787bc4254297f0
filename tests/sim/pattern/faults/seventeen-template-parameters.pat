// run: predict
// out: st.32 1-way 1
template <int A, int B, int C, int D, int E, int F, int G, int H, int I, int J, int K, int L, int M, int N, int O, int P, int Q>
__global__ void k(float *x) { __shared__ float s[Q]; s[threadIdx.x] = x[threadIdx.x]; }
k<1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 32><<<1, 32>>>(x);
