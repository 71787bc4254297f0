// run: predict
// exit: 2
// out: this loop does not end
__global__ void k(float *o)
{
    __shared__ int s[64];
    for (int n = 3; n > 0;)
        s[threadIdx.x] = n;
}
k<<<1, 64>>>(o);
