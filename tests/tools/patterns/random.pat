// title: Random bins
__shared__ int bins[256];
__shared__ int fixed[32];
fixed[threadIdx.x] = 0;      // expect: conflict-free
int v = bins[random(256)];   // expect: 3-way
