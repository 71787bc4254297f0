// lambdas, auto, warp-aggregated atomics
#include <cooperative_groups.h>
using namespace cooperative_groups;
__device__ int atomicAggInc(int *ctr) {
  auto g = coalesced_threads();
  int warp_res;
  if (g.thread_rank() == 0) warp_res = atomicAdd(ctr, g.size());  // expect: 1-way, 8 wavefronts
  return g.shfl(warp_res, 0) + g.thread_rank();
}
__global__ void filter(int *dst, const int *src, int n) {
  __shared__ int l_n;
  __shared__ int buf[256];
  if (threadIdx.x == 0) l_n = 0;  // expect: 1-way, 1 wavefronts
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int d = src[i];
  if (d > 50) buf[atomicAggInc(&l_n)] = d;  // expect: 1-way, 8 wavefronts
  __syncthreads();
  auto idx = [&](int k) { return (k * 33) & 255; };
  const int scale = 2;
  auto put = [=] __device__ (int k, int v) -> void { buf[(k * scale) & 255] = v; };  // expect: 2-way, 16 wavefronts
  put(threadIdx.x, idx(threadIdx.x));
  auto load = [&](auto k) { return buf[k]; };
}
// assume: src = i * 37 % 100
filter<<<1, 256>>>(dst, src, 256);
