// radix/warp match
template<int BITS>
struct RadixDigit {
  enum { RADIX = 1 << BITS, MASK = RADIX - 1 };
  int shift;
  __device__ __forceinline__ explicit RadixDigit(int s) : shift(s) {}
  __device__ __forceinline__ int operator()(unsigned k) const { return (k >> shift) & MASK; }
};
template<int BITS, int THREADS>
__global__ void upsweep(const unsigned *keys, int *counts, int shift) {
  using Digit = RadixDigit<BITS>;
  static_assert(THREADS % 32 == 0, "whole warps");
  __shared__ int hist[THREADS / 32][Digit::RADIX + 1];
  Digit digit(shift);
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int i = lane; i < Digit::RADIX; i += 32) hist[warp][i] = 0;  // expect: 1-way, 4 wavefronts
  __syncwarp();
  unsigned k = keys[threadIdx.x];
  int d = digit(k);
  unsigned peers = __match_any_sync(0xffffffffu, d);
  int leader = __ffs(peers) - 1;
  int rank = __popc(peers & ((1u << lane) - 1));
  if (lane == leader) hist[warp][d] += __popc(peers);  // expect: 1-way, 8 wavefronts
  __syncwarp();
  int pos = hist[warp][d] + rank;  // expect: 1-way, 4 wavefronts
  __syncthreads();
  for (int i = threadIdx.x; i < Digit::RADIX; i += THREADS) {
    int s = 0;
    for (int w = 0; w < THREADS / 32; ++w) s += hist[w][i];  // expect: 1-way, 4 wavefronts
    counts[i] = s;
  }
}
// assume: keys = i * 2654435761
upsweep<4, 128><<<1, 128>>>(keys, counts, 8);
