__shared__ float s[64];
using Reduce = cub::BlockReduce<float, 32>;
cute::Tensor t;
thrust::swap(s[0], s[1]);
__shared__ cuda::barrier<cuda::thread_scope_block> bar;
auto pipe = cuda::make_pipeline();
auto [a, b] = make_float2(1, 2);
float m = std::numeric_limits<half>::max();
std::swap(s[0], 3);
