using namespace nvcuda;
__shared__ float s[1024];
int t = threadIdx.x;
wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
nvcuda::wmma::load_matrix_sync(a, s, 16);
