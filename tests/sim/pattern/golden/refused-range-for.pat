__shared__ float s[1024];
int t = threadIdx.x;
float a[3] = {1, 2, 3};
for (auto x : a) s[t] = x;
