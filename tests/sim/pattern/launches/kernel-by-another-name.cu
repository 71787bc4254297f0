// run: predict
// out: kernel k<32> (launch 1 of 3), block 32
// out: kernel a (launch 2 of 3), block 64
// out: kernel b (launch 3 of 3), block 32
template <int N> __global__ void k(float *o)
{
    __shared__ float s[N * 2];
    s[threadIdx.x * 2] = 1;
}
__global__ void a(float *x)
{
    __shared__ float s[128];
    s[threadIdx.x * 2] = x[threadIdx.x];
}
__global__ void b(float *x)
{
    __shared__ float s[64];
    s[threadIdx.x] = x[threadIdx.x];
}
int main()
{
    float *d;
    auto kern = k<32>;
    void (*kernel)(float *) = &a;
    const auto other = b;
    cudaFuncSetAttribute(kern, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
    kern<<<1, 32>>>(d);
    kernel<<<1, 64>>>(d);
    other<<<1, 32>>>(d);
}
