// run: predict --format csv
// out: 32
// run: predict
// out: kernel k (launch 1 of 14), block 32, grid 4
// out: kernel k (launch 2 of 14), block 64, grid 8
// out: kernel k (launch 3 of 14), block 32x2, grid 4
// out: kernel k (launch 4 of 14), block 16, grid 1
// out: kernel k (launch 5 of 14), block 48, grid 1
// out: kernel k (launch 6 of 14), block 32, grid 1
// out: kernel k (launch 7 of 14), block 96, grid 1
// out: kernel k (launch 8 of 14), block 33, grid 1
// out: kernel k (launch 9 of 14), block 34, grid 1
// out: kernel k (launch 10 of 14), block 35, grid 1
// out: kernel k (launch 11 of 14), block 36, grid 1
// out: kernel k (launch 12 of 14), block 37, grid 1
// out: kernel k (launch 13 of 14), block 38, grid 1
// out: kernel k (launch 14 of 14), block 39, grid 1
const int BLOCK = 32;
static int untouched = 38;
__global__ void k(int n)
{
    __shared__ float s[4096];
    s[threadIdx.x] = n;
}
static int twice(int n)
{
    return 2 * n;
}
static void changes(int &n, const int &m)
{
    n = m + 1;
}
int main(int argc, char **argv)
{
    int n = 128, m = 39;
    float *d;
    cudaMalloc((void **)&d, n * sizeof(float));
    printf("%d of %d\n", n, twice(n));
    std::vector<float> host(n);
    k<<<n / BLOCK, BLOCK>>>(n);
    n = 64;
    k<<<(n + 7) / 8, n>>>(n);
    dim3 block(32), grid = dim3(4);
    block.y = 2;
    k<<<grid, block>>>(n);
    if (n == 64) {
        n = 16;
        k<<<1, n>>>(n);
    }
    for (int i = 0; i < argc; i++) {
        n = 48;
        k<<<1, n>>>(i);
    }
    n = 32;
    if (argc > 2)
        k<<<1, n>>>(n);
    else
        k<<<1, 3 * n>>>(n);
    changes(n, m);
    n = 33;
    k<<<1, n>>>(n);
    int x = std::max(n, 34), *p = nullptr;
    x = 34;
    k<<<1, x>>>(x);
    {
        int n = 5;
        n++;
    }
    n = 35;
    k<<<1, n>>>(n);
    try {
        n = 36;
        k<<<1, n>>>(n);
    } catch (int e) {
        n = 1;
    }
    n = 37;
    k<<<1, n>>>(n);
    k<<<1, untouched>>>(n);
    k<<<1, m>>>(n);
}
