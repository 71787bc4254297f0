// run: predict
// exit: 2
// out: 'p' without a value
__global__ void k(float *o)
{
    __shared__ int s[64];
    int *p;
    if (o == nullptr) p = s;
    p[threadIdx.x] = 1;
}
k<<<1, 32>>>(o);
