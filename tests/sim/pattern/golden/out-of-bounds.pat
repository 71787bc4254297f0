__shared__ float tile[32][33];
tile[threadIdx.x + 1][0] = 1;
