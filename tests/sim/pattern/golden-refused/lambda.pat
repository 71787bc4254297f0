__shared__ float s[32];
int i = [&](int i) { return i + 1; }(3);
s[threadIdx.x] = 1;
