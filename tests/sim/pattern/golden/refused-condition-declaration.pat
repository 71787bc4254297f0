__shared__ float s[1024];
int t = threadIdx.x;
if (int v = t & 3; v > 1) s[v] = 1;
