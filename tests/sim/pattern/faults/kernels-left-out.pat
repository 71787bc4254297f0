// run: predict
// out: kernel 'b' has no table
// out: kernel 'c' has no table
// out: kernel 'd' has no table
// out: --launch 'd<32><<<1, 32>>>(x)'
// run: predict --block 32
// out: kernel 'd' has no table
// out: (launch 3 of 3)
// not: kernel 'c' has no table
__global__ void a(float *x) { __shared__ float s[64]; s[threadIdx.x] = x[threadIdx.x]; }
__global__ void b(float *x) { __shared__ float s[64]; s[threadIdx.x * 2] = x[threadIdx.x]; }
__global__ void c(float *x) { __shared__ float s[64]; s[threadIdx.x * 2] = x[threadIdx.x]; }
template <int B> __global__ void d(float *x) { __shared__ float s[64]; s[threadIdx.x * 2] = x[threadIdx.x]; }
template <int BD = 32> void host2(float *x) { d<BD><<<1, 32>>>(x); }
int main() { float *x; void *args[] = {&x}; a<<<1, 32>>>(x); cudaLaunchKernel((void *)c, dim3(1), dim3(32), args, 0, 0); }
