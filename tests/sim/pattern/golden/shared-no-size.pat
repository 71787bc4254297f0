__shared__ float a[];
__shared__ float b[4] = {1};
a[threadIdx.x] = 1;
