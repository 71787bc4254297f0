__shared__ float tile[32][32];
tile[threadIdx.x][0] = tilr[0][threadIdx.x];
float x = oops;
