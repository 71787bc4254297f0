// run: predict
// out: [-Windex-overflow]
// out: in lane 0 of warp 0
// run: predict -Wno-index-overflow
// not: warning
__global__ void k(float *o)
{
    __shared__ int s[64];
    int far = 65536 + threadIdx.x, wide = far * 65536;
    s[wide & 63] = 1;
}
k<<<1, 32>>>(o);
