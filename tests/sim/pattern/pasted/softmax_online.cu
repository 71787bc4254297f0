// Online softmax of rows, a struct in shared memory, half2 loads and cooperative groups' tiles.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_fp16.h>
#include <float.h>
namespace cg = cooperative_groups;
using namespace cooperative_groups;

struct __align__(8) MD {
    float m;
    float d;
};

__device__ __forceinline__ MD reduce_md_op(MD a, MD b)
{
    bool a_bigger = (a.m > b.m);
    MD bigger_m = a_bigger ? a : b;
    MD smaller_m = a_bigger ? b : a;
    MD res;
    res.d = bigger_m.d + smaller_m.d * __expf(smaller_m.m - bigger_m.m);
    res.m = bigger_m.m;
    return res;
}

template <int THREADBLOCK_SIZE>
__launch_bounds__(THREADBLOCK_SIZE) __global__ void online_softmax(const half2 *__restrict x, half2 *__restrict y, int V)
{
    cg::thread_block cta = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cta);
    const int thread_id = cta.thread_rank();
    __shared__ MD partial[THREADBLOCK_SIZE / 32 + 1];
    MD md_partial;
    md_partial.m = -FLT_MAX;
    md_partial.d = 0.0F;
    for (int elem_id = thread_id; elem_id < V / 2; elem_id += THREADBLOCK_SIZE) {
        MD new_elem;
        float2 v = __half22float2(x[elem_id]);
        new_elem.m = fmaxf(v.x, v.y);
        new_elem.d = 1.0F;
        md_partial = reduce_md_op(md_partial, new_elem);
    }
    for (int offset = warp.size() / 2; offset > 0; offset /= 2) {
        MD other;
        other.m = warp.shfl_down(md_partial.m, offset);
        other.d = warp.shfl_down(md_partial.d, offset);
        md_partial = reduce_md_op(md_partial, other);
    }
    if (warp.thread_rank() == 0)
        partial[warp.meta_group_rank()] = md_partial;   // expect: 8 wavefronts
    cg::sync(cta);
    if (thread_id == 0) {
        MD total = partial[0];                          // expect: 1 wavefronts
        for (int i = 1; i < THREADBLOCK_SIZE / 32; ++i)
            total = reduce_md_op(total, partial[i]);    // expect: 7 wavefronts
        partial[0] = total;
    }
    cta.sync();
    MD md_total = partial[0];
    float d_total_inverse = __fdividef(1.0F, md_total.d);
    for (int elem_id = thread_id; elem_id < V / 2; elem_id += THREADBLOCK_SIZE) {
        float2 v = __half22float2(x[elem_id]);
        y[elem_id] = __floats2half2_rn(__expf(v.x - md_total.m) * d_total_inverse, __expf(v.y - md_total.m) * d_total_inverse);
    }
}

online_softmax<256><<<1, 256>>>(x, y, 4096);
