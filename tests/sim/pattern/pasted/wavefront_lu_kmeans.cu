// Smith-Waterman anti-diagonal; LU tile; k-means; spmv
namespace kernels {
namespace detail { constexpr int pad(int x) { return x + x / 32; } }
template <typename T> __host__ __device__ constexpr T cdiv(T a, T b) { return (a + b - 1) / b; }
}
__global__ void lcs(const char *a, const char *b, int n) {
  __shared__ int H[33][33];
  __shared__ char sa[32], sb[32];
  int t = threadIdx.x;
  sa[t] = a[t]; sb[t] = b[t];  // expect: 1-way, 2 wavefronts
  H[0][t] = 0; H[t][0] = 0;  // expect: 1-way, 2 wavefronts
  if (t == 0) { H[0][32] = 0; H[32][0] = 0; }  // expect: 1-way, 2 wavefronts
  __syncthreads();
  for (int d = 0; d < 63; ++d) {
    int i = t, j = d - t;
    if (j >= 0 && j < 32) {
      H[i + 1][j + 1] = sa[i] == sb[j] ? H[i][j] + 1 : max(H[i][j + 1], H[i + 1][j]);  // expect: 32-way, 2942 wavefronts
    }
    __syncthreads();
  }
}
__global__ void lu(float *m, int n) {
  __shared__ float s[32][32 + 1];
  int tx = threadIdx.x, ty = threadIdx.y;
  s[ty][tx] = m[ty * n + tx];  // expect: 1-way, 32 wavefronts
  __syncthreads();
  for (int k = 0; k < 31; ++k) {
    if (ty > k && tx == k) s[ty][k] /= s[k][k];  // expect: 1-way, 1488 wavefronts
    __syncthreads();
    if (ty > k && tx > k) s[ty][tx] -= s[ty][k] * s[k][tx];  // expect: 1-way, 1984 wavefronts
    __syncthreads();
  }
}
struct Point { float x, y, z; };
struct Centroid { float3 sum; int count; };
__global__ void kmeans(const Point *pts, int *assign, int n) {
  __shared__ Centroid c[16];
  __shared__ float means[16 * 3];
  if (threadIdx.x < 16) c[threadIdx.x] = Centroid{make_float3(0, 0, 0), 0};  // expect: 2-way, 8 wavefronts
  __syncthreads();
  Point p = pts[threadIdx.x];
  int k = assign[threadIdx.x];
  atomicAdd(&c[k].sum.x, p.x);  // expect: 2-way, 30 wavefronts
  atomicAdd(&c[k].count, 1);  // expect: 2-way, 4 wavefronts
  __syncthreads();
  float best = 1e30f; int bi = 0;
  for (int i = 0; i < 16; ++i) {
    float dx = means[i * 3] - p.x;  // expect: 1-way, 32 wavefronts
    float d = dx * dx;
    if (d < best) { best = d; bi = i; }
  }
}
// assume: a = i % 4
// assume: b = i % 4
// assume: assign = i % 16
// assume: pts = 1
int main() {
  lcs<<<1, 32>>>(a, b, 32);
  lu<<<1, dim3(32, 32)>>>(m, 32);
  kmeans<<<kernels::cdiv(64, 64), 64>>>(p, assign, 64);
}
