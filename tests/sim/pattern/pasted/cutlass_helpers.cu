// Half-precision GEMM main loop with CUTLASS-like helpers: cp.async, ldmatrix and mma in inline PTX.
#include <cuda_fp16.h>
#include <cstdint>

#define CUTLASS_DEVICE __forceinline__ __device__
#define CP_ASYNC_CG(dst, src, bytes) \
    asm volatile("cp.async.cg.shared.global [%0], [%1], %2;\n" ::"r"(dst), "l"(src), "n"(bytes))

CUTLASS_DEVICE uint32_t cast_smem_ptr_to_uint(void const *const ptr)
{
    return static_cast<uint32_t>(__cvta_generic_to_shared(ptr));
}

CUTLASS_DEVICE void ldmatrix_x4(uint32_t &d0, uint32_t &d1, uint32_t &d2, uint32_t &d3, void const *p)
{
    uint32_t addr = cast_smem_ptr_to_uint(p);
    asm volatile("ldmatrix.sync.aligned.x4.m8n8.shared.b16 {%0, %1, %2, %3}, [%4];\n"
                 : "=r"(d0), "=r"(d1), "=r"(d2), "=r"(d3)
                 : "r"(addr));
}

CUTLASS_DEVICE void ldmatrix_x2_trans(uint32_t (&d)[2], void const *p)
{
    uint32_t addr = cast_smem_ptr_to_uint(p);
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(d[0]), "=r"(d[1])
                 : "r"(addr));
}

CUTLASS_DEVICE void mma_16816(float *c, const uint32_t *a, const uint32_t *b)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\n"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

template <int BM, int BN, int BK, int STAGES = 2>
__global__ void __launch_bounds__(128) hgemm(const half *__restrict__ A, const half *__restrict__ B,
                                             half *__restrict__ C, int M, int N, int K)
{
    extern __shared__ __align__(16) half smem[];
    half *As = smem;
    half *Bs = smem + STAGES * BM * BK;
    const int tid = threadIdx.x, warp_id = tid >> 5, lane = tid & 31;
    const int warp_m = warp_id & 1, warp_n = warp_id >> 1;
    float acc[4][4][4] = {0.f};

    auto load_stage = 0;
#pragma unroll
    for (int i = tid; i < BM * BK / 8; i += blockDim.x) {
        int row = i / (BK / 8), col = i % (BK / 8) * 8;
        uint32_t dst = cast_smem_ptr_to_uint(As + load_stage * BM * BK + row * BK + col);
        CP_ASYNC_CG(dst, A + (blockIdx.y * BM + row) * K + col, 16);    // expect: 512 wavefronts
    }
#pragma unroll
    for (int i = tid; i < BK * BN / 8; i += blockDim.x) {
        int row = i / (BN / 8), col = i % (BN / 8) * 8;
        CP_ASYNC_CG(cast_smem_ptr_to_uint(&Bs[row * BN + col]), &B[row * N + blockIdx.x * BN + col], 16);
    }
    asm volatile("cp.async.commit_group;\n" ::);
    asm volatile("cp.async.wait_group %0;\n" ::"n"(0));
    __syncthreads();

    for (int kk = 0; kk < BK; kk += 16) {
        uint32_t a[2][4], b[2];
        for (int m = 0; m < 2; ++m)
            ldmatrix_x4(a[m][0], a[m][1], a[m][2], a[m][3],
                        As + (warp_m * 32 + m * 16 + lane % 16) * BK + kk + lane / 16 * 8);
        for (int n = 0; n < 4; ++n) {
            ldmatrix_x2_trans(b, &Bs[(kk + lane % 16) * BN + warp_n * 32 + n * 8]);
            mma_16816(acc[0][n], a[0], b);
            mma_16816(acc[1][n], a[1], b);
        }
    }
    half2 *c = reinterpret_cast<half2 *>(&C[(blockIdx.y * BM + warp_m * 32 + lane / 4) * N + lane % 4 * 2]);
    *c = __floats2half2_rn(acc[0][0][0], acc[0][0][1]);
}

int main()
{
    constexpr int BM = 64, BN = 64, BK = 32;
    int M = 256, N = 256, K = 32;
    half *A, *B, *C;
    cudaMalloc(&A, M * K * sizeof(half));
    const int smem_size = 2 * (BM * BK + BK * BN) * sizeof(half);
    cudaFuncSetAttribute(hgemm<BM, BN, BK>, cudaFuncAttributeMaxDynamicSharedMemorySize, smem_size);
    dim3 grid((N + BN - 1) / BN, (M + BM - 1) / BM);
    hgemm<BM, BN, BK><<<grid, 128, smem_size>>>(A, B, C, M, N, K);
    return cudaGetLastError() != cudaSuccess;
}
