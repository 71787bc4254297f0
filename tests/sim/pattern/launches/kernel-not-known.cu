// run: predict
// exit: 2
// out: unknown kernel 'kernel'
// not: 2-way
// run: predict --launch 'a<<<1, 32>>>(ptr)'
// out: st.32 2-way 2
__global__ void a(float *x)
{
    __shared__ float s[64];
    s[threadIdx.x * 2] = x[threadIdx.x];
}
__global__ void b(float *x)
{
    __shared__ float s[64];
    s[threadIdx.x] = x[threadIdx.x];
}
int main(int argc, char **argv)
{
    float *d;
    void (*kernel)(float *) = &a;
    if (argc > 1)
        kernel = &b;
    kernel<<<1, 32>>>(d);
}
