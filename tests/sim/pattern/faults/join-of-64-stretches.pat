// run: predict --join
// out: ld.128 1-way 64 128
// not: ld.32
__global__ void k(float *out)
{
    __shared__ float x[256];
    float sum = 0;
    for (int e = 0; e < 256; e++) sum += x[e];
    out[threadIdx.x] = sum;
}
k<<<1, 32>>>(o);
