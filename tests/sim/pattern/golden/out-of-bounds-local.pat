__shared__ float s[1024];
int t = threadIdx.x;
int a[4] = {1, 2, 3, 4};
s[a[t]] = 1;
