__shared__ float s[1024];
int t = threadIdx.x;
s[100 / (t - 7)] = 1;
