// run: predict
// out: st.32 1-way 1
#include "own-header.h"
__global__ void k(float *x) { __shared__ float s[TILE_W]; s[threadIdx.x] = x[threadIdx.x]; }
k<<<1, 32>>>(x);
