__shared__ float tile[32];
tile[32] = 1;
