// run: predict
// exit: 2
// out: the header "params.h" was not found
// out: this condition hangs on it: nothing here defines 'USE_SHARED'
// out: no kernel was seen
#include "params.h"
#ifdef USE_SHARED
__global__ void k(float *x) { __shared__ float s[64]; s[threadIdx.x * 2] = x[0]; }
#endif
