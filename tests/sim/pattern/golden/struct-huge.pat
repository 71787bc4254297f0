struct A { char a[268435456]; };
__shared__ float s[1024];
int t = threadIdx.x;
s[t] = 1;
