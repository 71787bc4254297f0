// run: predict
// out: kernel k<float, 16> (launch 1 of 5), block 16, grid 4
// out: kernel k<double, 32> (launch 2 of 5), block 32, grid 4
// out: kernel k<float, 64> (launch 3 of 5), block 64, grid 2
// out: kernel k<float, 64> (launch 4 of 5), block 64, grid 8
// out: kernel plain (launch 5 of 5), block 32, grid 3
// not: host-branch
// run: predict -D BD=8
// out: kernel k<float, 8> (launch 3 of 6), block 8, grid 1
template <typename T, int W> __global__ void k(T *x)
{
    __shared__ T s[W];
    s[threadIdx.x] = x[0];
}
__global__ void plain(float *x)
{
    __shared__ float s[32];
    s[threadIdx.x] = x[0];
}
template <typename T, int W> void run(T *x, int blocks)
{
    k<T, W><<<blocks, W>>>(x);
}
template <int BD> void never_called(float *x)
{
    k<float, BD><<<1, BD>>>(x);
}
static void wrapper(float *x, int n, dim3 grid = dim3(2))
{
    if (n > 0)
        k<float, 64><<<grid, 64>>>(x);
    else
        plain<<<n, 32>>>(x);
}
static void unused(float *x, int n)
{
    if (n == 1)
        not_here(x);
    else if (n == 2)
        plain<<<3, 32>>>(x);
    else
        skipped(n);
}
int main()
{
    float *x;
    double *y;
    run<float, 16>(x, 4);
    run<double, 32>(y, 4);
    wrapper(x, 1);
    wrapper(x, 2, 8);
    unused(x, 2);
}
static void skipped(int n)
{
    plain<<<n, n>>>(0);
}
