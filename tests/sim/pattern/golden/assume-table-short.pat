int *data;
// assume: data = 3, 1, 2
__shared__ float s[1024];
int t = threadIdx.x;
s[data[t]] = 1;
