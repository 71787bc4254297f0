__shared__ float s[1024];
int t = threadIdx.x;
s[swizzle<3, 4>(t)] = 1;
s[swizzle<3, 4, 2>(t)] = 1;
s[swizzle<1, 0, 3>(1.5f)] = 1;
