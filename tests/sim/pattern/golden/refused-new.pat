__shared__ float s[1024];
int t = threadIdx.x;
int *p = new int[4];
delete p;
s[t] = 1;
