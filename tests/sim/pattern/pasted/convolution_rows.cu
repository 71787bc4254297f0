// convolution with constant kernel, texture-ish, mandelbrot palette
#define KERNEL_RADIUS 8
#define KERNEL_LENGTH (2 * KERNEL_RADIUS + 1)
__constant__ float c_Kernel[KERNEL_LENGTH];
template <int TX = 16, int TY = 4, int STEPS = 8, int HALO = 1>
__global__ void rows(float *d_Dst, const float *d_Src, int imageW, int pitch) {
  __shared__ float s_Data[TY][(STEPS + 2 * HALO) * TX];
  const int baseX = (blockIdx.x * STEPS - HALO) * TX + threadIdx.x;
  const int baseY = blockIdx.y * TY + threadIdx.y;
  d_Src += baseY * pitch + baseX;
  auto &line = s_Data[threadIdx.y];
#pragma unroll
  for (int i = HALO; i < HALO + STEPS; i++) line[threadIdx.x + i * TX] = d_Src[i * TX];  // expect: 2-way, 32 wavefronts
  for (int i = 0; i < HALO; i++) line[threadIdx.x + i * TX] = (baseX >= -i * TX) ? d_Src[i * TX] : 0;  // expect: 2-way, 4 wavefronts
  for (int i = HALO + STEPS; i < HALO + STEPS + HALO; i++) line[threadIdx.x + i * TX] = (imageW - baseX > i * TX) ? d_Src[i * TX] : 0;  // expect: 2-way, 4 wavefronts
  __syncthreads();
  for (int i = HALO; i < HALO + STEPS; i++) {
    float sum = 0;
    for (int j = -KERNEL_RADIUS; j <= KERNEL_RADIUS; j++) sum += c_Kernel[KERNEL_RADIUS - j] * line[threadIdx.x + i * TX + j];  // expect: 2-way, 544 wavefronts
    d_Dst[i * TX] = sum;
  }
}
struct Complex {
  float re, im;
  __host__ __device__ constexpr Complex(float r = 0, float i = 0) : re(r), im(i) {}
  __device__ float norm2() const { return re * re + im * im; }
  friend __device__ Complex operator*(Complex a, Complex b) { return Complex(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re); }
};
int main() {
  rows<><<<dim3(1, 1), dim3(16, 4)>>>(a, b, 128, 128);
}
