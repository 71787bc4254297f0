// A 3-D stencil with a ring of planes, asynchronous copies, a typedef struct and do … while.
#include <cuda_pipeline.h>
#include <cstdio>
enum Axis { X = 0, Y, Z };
#define BX 32
#define BY 8
#define DIVUP(a, b) (((a) + (b) - 1) / (b))
#define HALO 1

typedef struct __align__(16) {
    float c0, c1;
    int n[3];
    int pad;
} Coefficients;

__constant__ Coefficients d_coef;

template <typename V> static __device__ __forceinline__ V *plane(V *base, int k)
{
    return base + (k & 3) * (BY + 2 * HALO) * (BX + 4);
}

__global__ void stencil3d(float *__restrict__ out, const float *__restrict__ in, int nx, int ny, int nz)
{
    __shared__ __align__(16) float ring[4][BY + 2 * HALO][BX + 4];
    float *base = &ring[0][0][0];
    const int tx = threadIdx.x, ty = threadIdx.y, tid = ty * BX + tx;
    int k = 0;
    do {
        float *p = plane(base, k);
        if (tid < (BY + 2 * HALO) * BX / 4) {
            int row = tid / (BX / 4), col = tid % (BX / 4) * 4;
            __pipeline_memcpy_async(p + row * (BX + 4) + col, in + (k * ny + row) * nx + col, sizeof(float4)); // expect: 40 wavefronts
        }
        if (tx < 2 && ty < BY)
            p[(ty + HALO) * (BX + 4) + BX + tx] = in[k];
        __pipeline_commit();
        k++;
    } while (k < 4);
    __pipeline_wait_prior(0);
    __syncthreads();
    float acc = d_coef.c0 * ring[1][ty + 1][tx];                        // expect: conflict-free
    acc += d_coef.c1 * (ring[0][ty + 1][tx] + ring[2][ty + 1][tx] + ring[1][ty][tx] + ring[1][ty + 2][tx] +
                        ring[1][ty + 1][tx + 1]);
    out[(blockIdx.z * ny + blockIdx.y * BY + ty) * nx + blockIdx.x * BX + tx] = acc;
}

static void run(cudaStream_t stream)
{
    constexpr int nx = 64, ny = 16, nz = 4;
    Coefficients h{0.5f, 0.1f, {nx, ny, nz}, 0};
    cudaMemcpyToSymbolAsync(d_coef, &h, sizeof(h), 0, cudaMemcpyHostToDevice, stream);
    const dim3 block(BX, BY), grid{1u, 1u, 1u};
    stencil3d<<<grid, block, 0, stream>>>(d_out, d_in, nx, ny, nz);
    if (cudaGetLastError() != cudaSuccess) fprintf(stderr, "failed\n");
}
