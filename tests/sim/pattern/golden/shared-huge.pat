__shared__ float a[100000];
a[threadIdx.x] = 1;
