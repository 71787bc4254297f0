__shared__ float tile[32];
tile[(int)threadIdx.x - 5] = 1;
