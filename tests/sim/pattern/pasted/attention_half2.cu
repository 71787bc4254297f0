// Online attention tile with half2 and lambdas
#include <cuda_fp16.h>
struct Half8 { half2 v[4]; };
template <int D> struct KvTile {
  static constexpr int kPad = 8;
  static constexpr int kLd = D + kPad;
  half k[64 * kLd];
  half v[64 * kLd];
  __device__ half *krow(int r) { return k + r * kLd; }
  __device__ half *vrow(int r) { return v + r * kLd; }
};
template <int D>
__global__ void attn(const half *__restrict__ Q, const half *__restrict__ K, const half *__restrict__ V, half *O, int n) {
  extern __shared__ __align__(16) unsigned char smem[];
  KvTile<D> &tile = *reinterpret_cast<KvTile<D> *>(smem);
  half2 q[D / 2];
  half2 acc = __float2half2_rn(0.f);
  for (int kb = 0; kb < n; kb += 64) {
    for (int i = threadIdx.x; i < 64 * D / 8; i += blockDim.x) {
      const int r = i / (D / 8), c = (i % (D / 8)) * 8;
      *reinterpret_cast<float4 *>(tile.krow(r) + c) = *reinterpret_cast<const float4 *>(K + (kb + r) * D + c);  // expect: 1-way, 128 wavefronts
      *reinterpret_cast<float4 *>(tile.vrow(r) + c) = *reinterpret_cast<const float4 *>(V + (kb + r) * D + c);  // expect: 1-way, 128 wavefronts
    }
    __syncthreads();
    half2 s = __float2half2_rn(0.f);
#pragma unroll
    for (int d = 0; d < D / 2; d++) s = __hfma2(q[d], reinterpret_cast<half2 *>(tile.krow(threadIdx.x % 64))[d], s);  // expect: 4-way, 1024 wavefronts
    s = s * __float2half2_rn(0.125f);
    s += acc;
    acc = s + acc - s;
    float p = __low2float(s) + __high2float(s);
    for (int d = 0; d < D / 2; d++) acc += reinterpret_cast<half2 *>(tile.vrow(threadIdx.x / 2))[d];  // expect: 2-way, 512 wavefronts
    __syncthreads();
  }
  reinterpret_cast<half2 *>(O)[threadIdx.x] = acc;
}
attn<64><<<1, 128, sizeof(KvTile<64>)>>>(Q, K, V, O, 128);
