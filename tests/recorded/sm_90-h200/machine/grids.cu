// Kernels of several blocks: what is equal in all of them, what differs at the edges, and what goes by
// data or by the block's index.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

// g01: a matrix product by tiles; the matrix is no multiple of the tile
__global__ void g01_product(float *c, const float *a, const float *b, int n)
{
    __shared__ float as[16][16], bs[16][16];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
    float sum = 0;
    for (int t = 0; t < (n + 15) / 16; t++) {
        as[y][x] = row < n && t * 16 + x < n ? a[row * n + t * 16 + x] : 0;
        bs[y][x] = t * 16 + y < n && column < n ? b[(t * 16 + y) * n + column] : 0;
        __syncthreads();
        for (int k = 0; k < 16; k++) sum += as[y][k] * bs[k][x];
        __syncthreads();
    }
    if (row < n && column < n) c[row * n + column] = sum;
}

// g02: a histogram of bytes
__global__ void g02_histogram(unsigned *out, const unsigned char *keys, int n)
{
    __shared__ unsigned bins[256];
    bins[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[keys[i]], 1u);
    __syncthreads();
    atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

// g03: a bitonic sort of 256 keys a block: which words are stored goes by the data
__global__ void g03_sort(int *data)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = data[blockIdx.x * 256 + t];
    __syncthreads();
    for (int k = 2; k <= 256; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            int other = t ^ j;
            if (other > t) {
                bool up = (t & k) == 0;
                if ((s[t] > s[other]) == up) {
                    int v = s[t];
                    s[t] = s[other];
                    s[other] = v;
                }
            }
            __syncthreads();
        }
    data[blockIdx.x * 256 + t] = s[t];
}

// g04: the block's index makes the stride
__global__ void g04_strides(int *out)
{
    __shared__ int s[4096];
    for (int i = threadIdx.x; i < 4096; i += 64) s[i] = i;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x * (blockIdx.x + 1) & 4095];
}

// g05: only the last block is not full
__global__ void g05_guarded(float *out, const float *in, int n)
{
    __shared__ float s[128];
    int i = blockIdx.x * 128 + threadIdx.x;
    s[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 64; d > 0; d /= 2) {
        if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// g06: open addressing: how long a search takes goes by the keys
__global__ void g06_table(int *out, const int *keys)
{
    __shared__ int table[512];
    for (int i = threadIdx.x; i < 512; i += 128) table[i] = -1;
    __syncthreads();
    int key = keys[blockIdx.x * 128 + threadIdx.x], at = key * 7 & 511, steps = 0;
    for (;;) {
        int old = atomicCAS(&table[at], -1, key);
        if (old == -1 || old == key) break;
        at = (at + 1) & 511;
        steps++;
    }
    out[blockIdx.x * 128 + threadIdx.x] = steps;
}

// g07: each block waits for the one before it
__global__ void g07_chain(volatile int *flag, int *out)
{
    __shared__ int s[32];
    if (threadIdx.x == 0) {
        while (flag[blockIdx.x] == 0) {}
        s[0] = flag[blockIdx.x];
    }
    __syncthreads();
    out[blockIdx.x * 32 + threadIdx.x] = s[0];
    __threadfence();
    if (threadIdx.x == 0) flag[blockIdx.x + 1] = s[0] + 1;
}

// g08: the blocks of the second dimension do different things, those of the first the same
__global__ void g08_roles(float *out)
{
    __shared__ float s[1024];
    int t = threadIdx.x;
    for (int i = t; i < 1024; i += 64) s[i] = (float)i;
    __syncthreads();
    float sum = 0;
    if (blockIdx.y == 0)
        for (int i = 0; i < 16; i++) sum += s[(t * 16 + i) & 1023];
    else if (blockIdx.y < 3)
        for (int i = 0; i < 16; i++) sum += s[(i * 64 + t) & 1023];
    else
        sum = s[t * blockIdx.y & 1023];
    out[(blockIdx.y * gridDim.x + blockIdx.x) * 64 + t] = sum;
}

int main(void)
{
    const int n = 1 << 16;
    int *ints = (int *)malloc(n * 4), *a, *b, *out;
    cudaMalloc(&a, n * 4); cudaMalloc(&b, n * 4); cudaMalloc(&out, n * 4);
    unsigned long long x = 88172645463325252ull;
    for (int i = 0; i < n; i++) { x ^= x << 13; x ^= x >> 7; x ^= x << 17; ints[i] = (int)(x >> 40); }
    cudaMemcpy(a, ints, n * 4, cudaMemcpyHostToDevice);
    cudaMemset(b, 0, n * 4); cudaMemset(out, 0, n * 4);
    g01_product<<<dim3(7, 7), dim3(16, 16)>>>((float *)out, (float *)b, (float *)b, 100);
    g02_histogram<<<6, 256>>>((unsigned *)out, (unsigned char *)a, 10000);
    g03_sort<<<4, 256>>>(a);
    g04_strides<<<9, 64>>>(out);
    g05_guarded<<<11, 128>>>((float *)out, (float *)b, 1300);
    g06_table<<<5, 128>>>(out, a + 2048);
    int one = 1;
    cudaMemset(b, 0, n * 4);
    cudaMemcpy(b, &one, 4, cudaMemcpyHostToDevice);
    g07_chain<<<4, 32>>>(b, out);
    g08_roles<<<dim3(3, 5), 64>>>((float *)out);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
