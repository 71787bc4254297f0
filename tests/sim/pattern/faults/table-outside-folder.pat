// run: predict
// exit: 2
// out: it is outside the pattern's folder
// not: is not a number
__global__ void k(float *o, const int *data) { __shared__ float s[64]; s[data[threadIdx.x] & 63] = 1; }
// assume: data = @/etc/hostname
k<<<1, 32>>>(o, data);
