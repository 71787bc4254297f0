// float4 operators and FA-like tile
struct __align__(8) MD { float m; float d; };
__device__ __forceinline__ MD reduce_md_op(MD a, MD b) {
  bool a_bigger = (a.m > b.m);
  MD bigger_m = a_bigger ? a : b;
  MD smaller_m = a_bigger ? b : a;
  MD res;
  res.d = bigger_m.d + smaller_m.d * __expf(smaller_m.m - bigger_m.m);
  res.m = bigger_m.m;
  return res;
}
inline __host__ __device__ float4 operator+(float4 a, float4 b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
inline __host__ __device__ float4 operator*(float s, float4 b) { return make_float4(s * b.x, s * b.y, s * b.z, s * b.w); }
inline __host__ __device__ void operator+=(float4 &a, float4 b) { a.x += b.x; a.y += b.y; a.z += b.z; a.w += b.w; }
inline __host__ __device__ float dot(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
constexpr int Br = 32, Bc = 32, D = 64;
__global__ void flash(const float4 *Q, const float4 *K, const float4 *V, float4 *O, int N) {
  __shared__ float4 Ks[Bc][D / 4];
  __shared__ float4 Vs[Bc][D / 4 + 1];
  __shared__ MD md[32];
  int t = threadIdx.x;
  float4 q[D / 4], o[D / 4];
  for (int k = 0; k < D / 4; k++) { q[k] = Q[t * (D / 4) + k]; o[k] = make_float4(0.f, 0.f, 0.f, 0.f); }
  for (int j = 0; j < N / Bc; j++) {
    for (int k = 0; k < D / 4; k++) {
      Ks[t][k] = K[(j * Bc + t) * (D / 4) + k];  // expect: 8-way, 1024 wavefronts
      Vs[t][k] = V[(j * Bc + t) * (D / 4) + k];  // expect: 1-way, 128 wavefronts
    }
    __syncthreads();
    for (int c = 0; c < Bc; c++) {
      float s = 0.f;
      for (int k = 0; k < D / 4; k++) s += dot(q[k], Ks[c][k]);  // expect: 1-way, 2048 wavefronts
      for (int k = 0; k < D / 4; k++) o[k] += s * Vs[c][k];  // expect: 1-way, 2048 wavefronts
    }
    __syncthreads();
  }
  md[t] = MD{1.0f, 2.0f};  // expect: 1-way, 2 wavefronts
  MD x = reduce_md_op(md[t], md[t ^ 1]);  // expect: 1-way, 4 wavefronts
  md[t] = x;  // expect: 1-way, 2 wavefronts
  for (int k = 0; k < D / 4; k++) O[t * (D / 4) + k] = o[k];
}
int main() { flash<<<1, Br>>>(q, k, v, o, 64); }
