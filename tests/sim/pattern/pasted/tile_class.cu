// struct template tile with methods
#include <cuda_runtime.h>
template <typename T, int ROWS, int COLS, int PAD = 1>
struct SharedTile {
    static constexpr int kStride = COLS + PAD;
    T data[ROWS * kStride];
    __device__ __forceinline__ T &operator()(int r, int c) { return data[r * kStride + c]; }
    __device__ __forceinline__ const T &operator()(int r, int c) const { return data[r * kStride + c]; }
    __device__ T *row(int r) { return &data[r * kStride]; }
};

template <int TILE, int PAD>
__global__ void transpose(const float *__restrict__ in, float *__restrict__ out, int n)
{
    __shared__ SharedTile<float, TILE, TILE, PAD> tile;
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += 8)
        tile(threadIdx.y + j, threadIdx.x) = in[(y + j) * n + x];  // expect: 1-way, 32768 wavefronts
    __syncthreads();
    for (int j = 0; j < TILE; j += 8)
        out[(x + j) * n + y] = tile(threadIdx.x, threadIdx.y + j);
}
int main() {
    float *a, *b; int n = 1024;
    cudaMalloc(&a, n * n * sizeof(float));
    cudaMalloc(&b, n * n * sizeof(float));
    dim3 block(32, 8), grid(n / 32, n / 32);
    transpose<32, 0><<<grid, block>>>(a, b, n);
    transpose<32, 1><<<grid, block>>>(a, b, n);
    cudaDeviceSynchronize();
    return 0;
}
