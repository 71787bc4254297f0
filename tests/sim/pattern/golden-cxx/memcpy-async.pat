#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
__shared__ half s[64];
__shared__ float f[64];
half *g;
auto block = cg::this_thread_block();
cg::memcpy_async(block, s, g, 128);
cuda::memcpy_async(f, g, 16, block);
cg::memcpy_async(block, f, 3, 128);
cg::wait(f);
