// cuda::pipeline memcpy_async
#include <cuda/pipeline>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
__global__ void with_staging(int *global_out, int const *global_in, size_t size, size_t batch_sz) {
  auto block = cg::this_thread_block();
  extern __shared__ int shared[];
  cg::memcpy_async(block, shared, global_in, sizeof(int) * block.size());  // expect: 1-way, 4 wavefronts
  cg::wait(block);
  global_out[threadIdx.x] = shared[threadIdx.x];  // expect: 1-way, 4 wavefronts
}
with_staging<<<1, 128, 128 * sizeof(int)>>>(o, i, 128, 1);
