__global__ void k(float *o, int n)
{
    extern __shared__ float s[];
    s[threadIdx.x] = n;
}
void dims(int n, dim3 &grid, int &block);
void show(int n, const dim3 &grid);

void run(float *d, int count)
{
    int n;
    std::cin >> n;
    size_t bytes = n * sizeof(float);
    dim3 grid(4);
    int block = 64;
    show(block, grid);
    k<<<grid, block, 1024>>>(d, n);
    k<<<(n + 255) / 256, dim3(n, 2), bytes>>>(d, n);
    dims(3, grid, block);
    k<<<grid, block, 1024>>>(d, n);
    int threads = 32;
    for (int i = 0; i < 3; i++) {
        k<<<1, threads, 1024>>>(d, n);
        threads *= 2;
    }
    dim3 other;
    other.y = 2;
    other.x = div_up(n, 32);
    k<<<other, 32, 4 * config.bytes>>>(d, n);
    k<<<make_grid(n), 32, 1024>>>(d, n);
}
