// title: Atomics on equal and on distinct words
__shared__ unsigned bins[1024];
__shared__ float sums[32];
int lane = threadIdx.x;
unsigned before = atomicAdd(&bins[0], lane);     // expect: 1-way, 32 wavefronts, 31 excessive
unsigned after = atomicAdd(&bins[lane], 1u);     // expect: conflict-free, 1 wavefronts
unsigned apart = atomicAdd(&bins[lane * 32], lane); // expect: 32-way, 32 wavefronts
unsigned mixed = atomicAdd(&bins[lane / 2 * 32], lane); // expect: 16-way, 32 wavefronts
atomicAdd(&sums[0], 1.0f);                       // expect: 96 wavefronts
