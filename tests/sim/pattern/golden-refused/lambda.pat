__shared__ float s[32];
auto f = [&](int i) { return i + 1; };
s[threadIdx.x] = 1;
