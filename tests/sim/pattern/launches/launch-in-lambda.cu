// run: predict
// exit: 2
// out: a launch within a larger statement of host code
// out: --launch 'k<<<1, 32>>>(o)'
// run: predict --launch 'k<<<1, 32>>>(o)'
// out: ld.32 2-way 2
#define TIME_RECORD(n, f)                                                                          \
    [&] {                                                                                          \
        float t = 0;                                                                               \
        for (int i = 0; i < n; i++)                                                                \
            f();                                                                                   \
        return t;                                                                                  \
    }()
__global__ void k(float *o)
{
    __shared__ float s[64];
    o[threadIdx.x] = s[threadIdx.x * 2];
}
int main()
{
    float *o;
    float ms = TIME_RECORD(3, ([&] { k<<<1, 32>>>(o); }));
}
