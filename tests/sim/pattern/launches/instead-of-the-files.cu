// run: predict
// exit: 2
// out: it depends on 'n'
// run: predict --kernel a
// out: kernel a, block 32, grid 1
// out: st.32 1-way 1
// not: kernel b
// run: predict --launch 'b<<<1, 32>>>()'
// out: kernel b, block 32, grid 1
// out: st.32 2-way 2
// not: kernel a
// run: predict --launch 'a<<<1, 64>>>()' --launch 'b<<<1, 32>>>()' --launch 'a<<<2, 32>>>()'
// out: kernel a (launch 1 of 3), block 64, grid 1
// out: kernel b (launch 2 of 3), block 32, grid 1
// out: kernel a (launch 3 of 3), block 32, grid 2
// run: predict --launch 'a<<<1, 64>>>()' --block 32
// out: kernel a (launch 1 of 2), block 64, grid 1
// out: kernel b (launch 2 of 2), block 32, grid 1
// not: kernel nothing
// run: predict --block 64 --grid 1
// out: kernel a (launch 1 of 3), block 64, grid 1
// out: kernel b (launch 3 of 3), block 64, grid 1
// run: predict --block 64 --kernel b
// out: kernel b, block 64, grid 1
// not: kernel a
// run: predict --kernel b
// exit: 2
// out: --kernel b: no kernel that is launched is called so
__global__ void a()
{
    __shared__ float s[64];
    s[threadIdx.x] = 1;
}
__global__ void b()
{
    __shared__ float s[128];
    s[threadIdx.x * 2] = 1;
}
__global__ void nothing(float *x, int n)
{
    if (threadIdx.x < n)
        x[threadIdx.x] = 1;
}
__global__ void other(float *x)
{
    x[0] = 1;
}
int main()
{
    int n = atoi("3");
    a<<<1, 32>>>();
    other<<<n, n>>>(x);
}
