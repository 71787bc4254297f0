__shared__ float s[1024];
int t = threadIdx.x;
auto f = [&](int i) { return i + 1; };
s[t] = 1;
