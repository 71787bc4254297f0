__shared__ float s[32];
#define N \
 2
s[threadIdx.x * N + q] = 1; // expect: 2-way
