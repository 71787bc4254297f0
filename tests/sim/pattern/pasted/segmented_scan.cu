// scan with CONFLICT_FREE_OFFSET macro, block scan helper returning struct pair
#define NUM_BANKS 32
#define LOG_NUM_BANKS 5
#define CONFLICT_FREE_OFFSET(n) ((n) >> LOG_NUM_BANKS)
struct ScanPair { int value; bool flag; };
struct SegOp {
  __device__ ScanPair operator()(const ScanPair &a, const ScanPair &b) const {
    ScanPair r;
    r.flag = a.flag || b.flag;  // expect: 2-way, 49 wavefronts
    r.value = b.flag ? b.value : a.value + b.value;  // expect: 2-way, 24 wavefronts
    return r;
  }
};
template <typename T, class Op, int N>
__device__ T block_scan(T v, T (&buf)[N], Op op) {
  buf[threadIdx.x] = v;  // expect: 2-way, 16 wavefronts
  __syncthreads();
  for (int o = 1; o < N; o <<= 1) {
    T x = buf[threadIdx.x];  // expect: 2-way, 112 wavefronts
    if (threadIdx.x >= o) x = op(buf[threadIdx.x - o], x);
    __syncthreads();
    buf[threadIdx.x] = x;  // expect: 2-way, 112 wavefronts
    __syncthreads();
  }
  return buf[threadIdx.x];  // expect: 2-way, 16 wavefronts
}
__global__ void seg(const int *in, const bool *flags, int *out) {
  __shared__ ScanPair buf[128];
  ScanPair p{in[threadIdx.x], flags[threadIdx.x]};
  out[threadIdx.x] = block_scan(p, buf, SegOp()).value;
}
__global__ void prescan(float *g_odata, float *g_idata, int n) {
  extern __shared__ float temp[];
  int thid = threadIdx.x, offset = 1;
  int ai = thid, bi = thid + (n / 2);
  int bankOffsetA = CONFLICT_FREE_OFFSET(ai), bankOffsetB = CONFLICT_FREE_OFFSET(bi);
  temp[ai + bankOffsetA] = g_idata[ai];  // expect: 1-way, 8 wavefronts
  temp[bi + bankOffsetB] = g_idata[bi];  // expect: 1-way, 8 wavefronts
  for (int d = n >> 1; d > 0; d >>= 1) {
    __syncthreads();
    if (thid < d) {
      int ai = offset * (2 * thid + 1) - 1, bi = offset * (2 * thid + 2) - 1;
      ai += CONFLICT_FREE_OFFSET(ai);
      bi += CONFLICT_FREE_OFFSET(bi);
      temp[bi] += temp[ai];  // expect: 1-way, 60 wavefronts
    }
    offset *= 2;
  }
}
// assume: flags = i % 7 == 0
int main() {
  seg<<<1, 128>>>(in, flags, out);
  const int n = 512;
  prescan<<<1, n / 2, (n + CONFLICT_FREE_OFFSET(n - 1) + 1) * sizeof(float)>>>(o, i, n);
}
