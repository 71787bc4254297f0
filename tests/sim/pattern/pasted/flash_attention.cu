// Flash-attention-like forward: half tiles, a swizzle by hand, online softmax in registers.
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cuda_pipeline.h>

constexpr int Br = 64, Bc = 64, d = 64;
static_assert(d % 8 == 0, "chunks of 8 halves");
using T = __half;

struct Params {
    const T *q, *k, *v;
    T *o;
    int seqlen;
    float scale;
};

template <int COLS> __device__ constexpr int swz(int row, int col)
{
    return row * COLS + ((col / 8) ^ (row % 8)) * 8 + col % 8;
}

__device__ void copy_tile(T *dst, const T *src, int rows)
{
#pragma unroll
    for (int c = threadIdx.x; c < rows * d / 8; c += blockDim.x) {
        const int r = c / (d / 8), col = (c % (d / 8)) * 8;
        *reinterpret_cast<uint4 *>(&dst[swz<d>(r, col)]) = *reinterpret_cast<const uint4 *>(&src[r * d + col]); // expect: 0 excessive
    }
}

__global__ __launch_bounds__(128, 2) void flash_fwd(Params p)
{
    __shared__ alignas(128) T sQ[Br * d];
    __shared__ alignas(128) T sK[Bc * d];
    __shared__ alignas(128) T sV[Bc * d];
    const int warp = threadIdx.x / 32, lane = threadIdx.x & 31;
    copy_tile(sQ, p.q + blockIdx.x * Br * d, Br);
    float m[2] = {-INFINITY, -INFINITY}, l[2] = {0.f, 0.f}, acc[d / 8][4] = {};
    for (int j = 0; j < p.seqlen / Bc; ++j) {
        copy_tile(sK, p.k + j * Bc * d, Bc);
        copy_tile(sV, p.v + j * Bc * d, Bc);
        __syncthreads();
        float sacc[Bc / 8][4] = {};
#pragma unroll
        for (int kk = 0; kk < d; kk += 16) {
            unsigned a[4];
            unsigned qa = __cvta_generic_to_shared(&sQ[swz<d>(warp * 16 + lane % 16, kk + lane / 16 * 8)]);
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"    // expect: 1-way
                         : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3]) : "r"(qa));
#pragma unroll
            for (int n = 0; n < Bc / 8; ++n) {
                unsigned b[2];
                unsigned ka = __cvta_generic_to_shared(&sK[swz<d>(n * 8 + lane % 8, kk + (lane / 8 & 1) * 8)]);
                asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"      // expect: 1-way
                             : "=r"(b[0]), "=r"(b[1]) : "r"(ka));
                sacc[n][0] += __uint_as_float(a[0]) * __uint_as_float(b[0]);
            }
        }
        float mx = m[0];
        for (int n = 0; n < Bc / 8; ++n) mx = fmaxf(mx, fmaxf(sacc[n][0], sacc[n][1]) * p.scale);
        mx = fmaxf(mx, __shfl_xor_sync(0xffffffff, mx, 1));
        mx = fmaxf(mx, __shfl_xor_sync(0xffffffff, mx, 2));
        const float alpha = exp2f((m[0] - mx) * 1.44269504f);
        m[0] = mx;
        l[0] = l[0] * alpha + exp2f(sacc[0][0] - mx);
        for (auto i = 0; i < d / 8; i++) acc[i][0] *= alpha;
        __syncthreads();
    }
    p.o[threadIdx.x] = __float2half(acc[0][0] / l[0]);
}

flash_fwd<<<4, 128>>>({q, k, v, o, 256, 0.125f});
