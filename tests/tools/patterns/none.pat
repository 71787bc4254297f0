int x = threadIdx.x;
