__shared__ float tile[4][32];
tile[0][threadIdx.x * 2] = 1;
