// run: predict
// out: [-Wlocal-array]
// out: write '__shared__ float s[64];'
float s[64];
s[threadIdx.x] = 1;
