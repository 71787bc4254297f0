namespace cg = cooperative_groups;
__shared__ float s[1024];
int t = threadIdx.x;
auto block = cg::this_thread_block();
block.frob();
cg::memcpy_async(block, s, s, 128);
