// 3-D, unions, range-for, switch, designated, carving
struct Params { int stride; float scale; const float *src; };
union Pack { uint4 v; half h[8]; };
enum class Mode : int { ROW = 0, COL = 1 };
__global__ void mix(const float *in, float *out, int n) {
  extern __shared__ __align__(16) unsigned char smem_raw[];
  float *A = reinterpret_cast<float *>(smem_raw);
  int2 *B = reinterpret_cast<int2 *>(A + 1024);
  unsigned short *C = (unsigned short *)(B + 256);
  __shared__ float cube[4][8][33];
  Params p = {.stride = 3, .scale = 0.5f};
  const int offs[] = {0, 1, 2, 4};
  for (int o : offs) A[threadIdx.x * p.stride + o] = 1.0f;  // expect: 1-way, 4 wavefronts
  __syncthreads();
  Pack pk;
  pk.v = *reinterpret_cast<uint4 *>(&A[threadIdx.x * 4]);  // expect: 1-way, 4 wavefronts
  B[threadIdx.x] = make_int2((int)threadIdx.x, 2);  // expect: 1-way, 2 wavefronts
  C[threadIdx.x * 2] = 7;  // expect: 1-way, 1 wavefronts
  Mode mode = Mode::COL;
  switch (mode) {
    case Mode::ROW: cube[0][threadIdx.y][threadIdx.x] = 1; break;
    case Mode::COL: cube[1][threadIdx.x % 8][threadIdx.x / 8] = 1; break;  // expect: 4-way, 4 wavefronts
  }
  float (*plane)[33] = cube[2];
  plane[threadIdx.x % 8][threadIdx.x] = 2.f;  // expect: 2-way, 2 wavefronts
  auto &rowref = cube[3][2];
  rowref[threadIdx.x] = 1.f;  // expect: 1-way, 1 wavefronts
  if constexpr (sizeof(float) == 4) { A[threadIdx.x] = __half2float(pk.h[0]); }  // expect: 1-way, 1 wavefronts
  [[maybe_unused]] int unused;
}
mix<<<1, 32, 1024 * 4 + 256 * 8 + 512>>>(in, out, 5);
