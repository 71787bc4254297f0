// run: predict --join
// out: total 1 1
__global__ void k(float *out)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    float a = s[t];
    out[t] = a + s[t];
}
k<<<1, 32>>>(o);
