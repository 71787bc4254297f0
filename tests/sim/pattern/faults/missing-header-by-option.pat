// run: predict -D TILE_W=32
// out: st.32 1-way 1
// run: predict
// exit: 2
// out: the header "01-own-header.h" was not found
#include "01-own-header.h"
__global__ void k(float *x) { __shared__ float s[TILE_W]; s[threadIdx.x] = x[threadIdx.x]; }
k<<<1, 32>>>(x);
