// title: One stride, one parameter
const int STRIDE = 2;
__shared__ float s[2048];
float v = s[threadIdx.x * STRIDE]; // expect: 2-way
