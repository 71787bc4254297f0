// run: predict
// out: ld.8 1-way 1
// out: ld.32 2-way 2
#include <cuda_fp8.h>
__global__ void k() {
    __shared__ __nv_fp8_e4m3 a[64];
    __shared__ __nv_fp8x4_e4m3 b[64];
    __nv_fp8_e4m3 v = a[threadIdx.x * 2];
    __nv_fp8x4_e4m3 w = b[threadIdx.x * 2];
}
void go() { k<<<1, 32>>>(); }
