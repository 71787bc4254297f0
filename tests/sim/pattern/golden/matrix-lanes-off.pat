__shared__ half s[64][8];
if (threadIdx.x < 16)
    __ldmatrix_x2(&s[threadIdx.x][0]);
