// functor and template template reduce
struct SumOp { __device__ float operator()(float a, float b) const { return a + b; } };
template <typename T> struct MaxOp { __device__ __forceinline__ T operator()(const T &a, const T &b) const { return a > b ? a : b; } };
template <typename Op, int BLOCK>
__device__ float blockReduce(float v, Op op) {
  __shared__ float partial[BLOCK / 32];
  int lane = threadIdx.x & 31, wid = threadIdx.x >> 5;
  for (int o = 16; o > 0; o >>= 1) v = op(v, __shfl_down_sync(0xffffffffu, v, o));
  if (lane == 0) partial[wid] = v;  // expect: 1-way, 96 wavefronts
  __syncthreads();
  v = lane < BLOCK / 32 ? partial[lane] : 0.f;  // expect: 1-way, 96 wavefronts
  if (wid == 0) for (int o = 16; o > 0; o >>= 1) v = op(v, __shfl_down_sync(0xffffffffu, v, o));
  return v;
}
__global__ void k(const float *in, float *out) {
  float a = blockReduce<SumOp, 256>(in[threadIdx.x], SumOp());
  float b = blockReduce<MaxOp<float>, 256>(in[threadIdx.x], MaxOp<float>{});
  float d = blockReduce<decltype(SumOp()), 256>(a, SumOp{});
  if (threadIdx.x == 0) out[blockIdx.x] = a + b;
}
k<<<4, 256>>>(in, out);
