// Game of life with uchar halo
// assume: in = i * 7 % 3 % 2
typedef unsigned char uchar;
#define BX 32
#define BY 8
__global__ void life(const uchar *__restrict__ in, uchar *__restrict__ out, int w, int h) {
  __shared__ uchar tile[BY + 2][BX + 2];
  const int gx = blockIdx.x * BX + threadIdx.x, gy = blockIdx.y * BY + threadIdx.y;
  const int lx = threadIdx.x + 1, ly = threadIdx.y + 1;
  auto at = [&](int y, int x) -> uchar { return in[((y + h) % h) * w + (x + w) % w]; };
  tile[ly][lx] = at(gy, gx);  // expect: 1-way, 512 wavefronts
  if (threadIdx.x == 0) tile[ly][0] = at(gy, gx - 1);  // expect: 1-way, 512 wavefronts
  if (threadIdx.x == BX - 1) tile[ly][BX + 1] = at(gy, gx + 1);  // expect: 1-way, 512 wavefronts
  if (threadIdx.y == 0) tile[0][lx] = at(gy - 1, gx);  // expect: 1-way, 64 wavefronts
  if (threadIdx.y == BY - 1) tile[BY + 1][lx] = at(gy + 1, gx);  // expect: 1-way, 64 wavefronts
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    tile[0][0] = at(gy - 1, gx - 1);  // expect: 1-way, 64 wavefronts
    tile[0][BX + 1] = at(gy - 1, gx + BX);  // expect: 1-way, 64 wavefronts
    tile[BY + 1][0] = at(gy + BY, gx - 1);  // expect: 1-way, 64 wavefronts
    tile[BY + 1][BX + 1] = at(gy + BY, gx + BX);  // expect: 1-way, 64 wavefronts
  }
  __syncthreads();
  int n = 0;
#pragma unroll
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++)
      if (dx || dy) n += tile[ly + dy][lx + dx];  // expect: 1-way, 4096 wavefronts
  out[gy * w + gx] = (n == 3) || (n == 2 && tile[ly][lx]);  // expect: 1-way, 512 wavefronts
}
int main(int argc, char **argv) {
  const int W = 256, H = 64;
  std::vector<uchar> h(W * H);
  for (auto &c : h) c = rand() & 1;
  uchar *a, *b;
  cudaMalloc((void **)&a, W * H);
  dim3 block(BX, BY);
  dim3 grid((W + block.x - 1) / block.x, (H + block.y - 1) / block.y);
  for (int i = 0; i < 100; ++i) { life<<<grid, block>>>(a, b, W, H); std::swap(a, b); }
  cudaEventRecord(stop);
  printf("%d\n", 1);
}
