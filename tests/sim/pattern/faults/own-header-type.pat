// run: predict
// out: st.32 1-way 2
#include "own-header.h"
__global__ void k(real_t *x) { __shared__ real_t s[64]; s[threadIdx.x] = x[threadIdx.x]; }
k<<<1, 64>>>(x);
