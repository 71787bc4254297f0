__shared__ float s[1024];
int t = threadIdx.x;
float local[32];
__ldmatrix_x1(&local[0]);
