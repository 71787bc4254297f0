// run: predict
// out: st.32 1-way 2 2 0
// out: warp 1 writes here what warp 0 wrote
// run: lower
// out: st.32 ffffffff 64
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ int size_of(cg::thread_group g) { return g.size(); }
__global__ void k(int *out)
{
    __shared__ int s[64];
    cg::thread_block_tile<16> t = cg::tiled_partition<16>(cg::this_thread_block());
    s[size_of(t)] = 1;
    out[threadIdx.x] = s[threadIdx.x];
}
k<<<1, 64>>>(o);
