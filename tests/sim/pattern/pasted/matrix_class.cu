// class with constructor over raw shared memory
class Matrix2D {
public:
    __device__ Matrix2D(float *data, int ld) : data_(data), ld_(ld) {}
    __device__ float &at(int r, int c) { return data_[r * ld_ + c]; }
    __device__ float at(int r, int c) const { return data_[r * ld_ + c]; }  // expect: 32-way, 1024 wavefronts
    __device__ float *operator[](int r) { return data_ + r * ld_; }
    __device__ int ld() const { return ld_; }
private:
    float *data_;
    int ld_;
};
__device__ void fill(Matrix2D &m, float v) { m.at(threadIdx.x, 0) = v; }  // expect: 32-way, 33 wavefronts
__device__ float sum(const Matrix2D m) { float s = 0; for (int k = 0; k < m.ld() - 1; ++k) s += m.at(threadIdx.x, k); return s; }
__global__ void k(float *out) {
    extern __shared__ float smem[];
    Matrix2D a(smem, 33);
    Matrix2D b{smem + 33 * 32, 32};
    fill(a, 1.f);
    fill(b, 1.f);
    a[threadIdx.x][3] = 2.f;  // expect: 1-way, 1 wavefronts
    out[threadIdx.x] = sum(a) + sum(b);
    Matrix2D *pa = &a;
    pa->at(0, threadIdx.x) = 1.f;  // expect: 1-way, 1 wavefronts
}
k<<<1, 32, (33 * 32 + 32 * 32) * sizeof(float)>>>(out);
