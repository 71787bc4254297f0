int *data;
__shared__ float s[1024];
int t = threadIdx.x;
switch (data[t]) { case 0: s[t] = 1; }
