__shared__ half s[16][20];
__ldmatrix_x4(&s[threadIdx.x % 16][threadIdx.x / 16 * 8]);
