__shared__ float a[20000];
a[threadIdx.x] = 1;
