__shared__ float s[1024];
int t = threadIdx.x;
int a[t];
int b[-1];
int c[3][];
int d[] = 3;
int e[2] = {1, 2, 3};
int f[];
