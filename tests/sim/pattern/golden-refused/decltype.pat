__shared__ float s[32];
int t = threadIdx.x;
decltype(t) u = t;
s[t] = sizeof(decltype(t));
