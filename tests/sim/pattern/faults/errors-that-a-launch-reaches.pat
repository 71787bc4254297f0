// run: predict
// exit: 2
// out: expected a type, found 'missing_t'
// not: unknown identifier 's'
struct pair { missing_t a; };
__global__ void k(float *x) { __shared__ pair s[32]; s[threadIdx.x] = 1; }
k<<<1, 32>>>(x);
