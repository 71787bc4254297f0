int a[268435456];
int b[65536][65536] = {1};
int c[999999999999];
__shared__ float s[1024];
int t = threadIdx.x;
s[t] = a[t];
