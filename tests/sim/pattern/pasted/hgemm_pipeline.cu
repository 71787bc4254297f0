// cp.async double buffer
#include <cuda_pipeline.h>
template <int BM, int BN, int BK, int STAGES>
struct __align__(16) Smem {
  half A[STAGES][BM][BK + 8];
  half B[STAGES][BK][BN + 8];
};
__device__ __forceinline__ void cp_async16(void *smem, const void *glob) {
  unsigned addr = static_cast<unsigned>(__cvta_generic_to_shared(smem));
  asm volatile("{\n  cp.async.cg.shared.global [%0], [%1], 16;\n}\n" ::"r"(addr), "l"(glob));  // expect: 2-way, 384 wavefronts
}
template <int N> __device__ __forceinline__ void cp_async_wait() { asm volatile("cp.async.wait_group %0;\n" ::"n"(N)); }
__device__ __forceinline__ void ldsm4(uint32_t (&r)[4], const half *p) {
  uint32_t a = static_cast<uint32_t>(__cvta_generic_to_shared(p));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%[r0], %[r1], %[r2], %[r3]}, [%[addr]];\n"  // expect: 1-way, 256 wavefronts
               : [r0] "=r"(r[0]), [r1] "=r"(r[1]), [r2] "=r"(r[2]), [r3] "=r"(r[3]) : [addr] "r"(a));
}
template <int BM, int BN, int BK, int STAGES>
__global__ void __launch_bounds__(128) hgemm(const half *A, const half *B, half *C, int M, int N, int K) {
  extern __shared__ __align__(16) char raw[];
  auto &sm = *reinterpret_cast<Smem<BM, BN, BK, STAGES> *>(raw);
  const int tid = threadIdx.x, warp = tid / 32, lane = tid % 32;
  auto load = [&](int s, int k0) {
    for (int i = tid; i < BM * BK / 8; i += 128) {
      int r = i / (BK / 8), c = i % (BK / 8) * 8;
      cp_async16(&sm.A[s][r][c], A + r * K + k0 + c);
    }
    for (int i = tid; i < BK * BN / 8; i += 128) {
      int r = i / (BN / 8), c = i % (BN / 8) * 8;
      cp_async16(&sm.B[s][r][c], B + (k0 + r) * N + c);
    }
    asm volatile("cp.async.commit_group;\n" ::);
  };
  load(0, 0);
  uint32_t a[4], b[4];
  for (int k = 0; k < K / BK; ++k) {
    if (k + 1 < K / BK) load((k + 1) % STAGES, (k + 1) * BK);
    cp_async_wait<0>();
    __syncthreads();
    const auto &As = sm.A[k % STAGES];
    for (int kk = 0; kk < BK; kk += 16) {
      ldsm4(a, &As[warp * 16 + lane % 16][kk + lane / 16 * 8]);
      ldsm4(b, &sm.B[k % STAGES][kk + lane % 16][lane / 16 * 8]);
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%8,%9};\n" : "=r"(a[0]), "=r"(a[1]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(a[0]), "r"(a[1]));
    }
    __syncthreads();
  }
}
int main() {
  constexpr int BM = 64, BN = 64, BK = 32, ST = 2;
  size_t smem = sizeof(Smem<BM, BN, BK, ST>);
  cudaFuncSetAttribute(hgemm<BM, BN, BK, ST>, cudaFuncAttributeMaxDynamicSharedMemorySize, smem);
  hgemm<BM, BN, BK, ST><<<1, 128, sizeof(Smem<BM, BN, BK, ST>)>>>(a, b, c, 64, 64, 128);
}
