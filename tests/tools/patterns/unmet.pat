// title: Expectations that do not hold
__shared__ float s[1024];
float a = s[threadIdx.x * 4];        // expect: 2-way
s[threadIdx.x] = s[threadIdx.x * 2]; // expect: 2-way, 3 wavefronts, 1 excessive
s[threadIdx.x] = s[threadIdx.x * 8]; // expect: 8-way, 10 wavefronts, conflict-free
int x = threadIdx.x;                 // expect: 1-way
