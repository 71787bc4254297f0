__shared__ float s[64];
cooperative_groups::thread_block block = cooperative_groups::this_thread_block();
cooperative_groups::memcpy_async(block, s, s, 128);
float a = 1, b = 2;
std::swap(a, b);
a = std::numeric_limits<float>::max();
