// Thread block swizzled CUTLASS-like layout functor
template <int Rows, int Cols> struct RowMajor {
  static constexpr int kRows = Rows;
  __device__ static constexpr int offset(int r, int c) { return r * Cols + c; }
};
template <int Rows, int Cols> struct Swizzled {
  __device__ static int offset(int r, int c) { return r * Cols + (c ^ (r & 31)); }
};
template <class Element_, class Layout_> class TensorRef {
public:
  using Element = Element_;
  using Layout = Layout_;
  using Reference = Element &;
private:
  Element *ptr_;
public:
  __host__ __device__ TensorRef(Element *ptr = nullptr) : ptr_(ptr) {}
  __device__ Reference at(int r, int c) const { return ptr_[Layout::offset(r, c)]; }
  __device__ Reference operator()(int r, int c) const { return at(r, c); }
  __device__ TensorRef &add_offset(int o) { ptr_ += o; return *this; }
};
template <typename Layout> __global__ void k(float *out) {
  __shared__ float s[32 * 32];
  using Ref = TensorRef<float, Layout>;
  Ref ref(s);
  typename Ref::Element v = 1;
  ref(threadIdx.y, threadIdx.x) = v;  // expect: 1-way, 8 wavefronts
  __syncthreads();
  out[0] = ref.at(threadIdx.x, threadIdx.y);
}
k<RowMajor<32, 32>><<<1, dim3(32, 8)>>>(o);
k<Swizzled<32, 32>><<<1, dim3(32, 8)>>>(o);
