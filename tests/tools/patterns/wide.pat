// title: 8- and 16-byte accesses
__shared__ float4 wide[512];
__shared__ double pair[512];
__shared__ half small[2048];
float4 a = wide[threadIdx.x];     // expect: 1-way, 4 wavefronts, 0 excessive
float4 b = wide[threadIdx.x * 8]; // expect: 8-way, 32 wavefronts
double c = pair[threadIdx.x];     // expect: conflict-free
double d = pair[threadIdx.x * 3]; // expect: conflict-free
pair[threadIdx.x * 4] = 1.0;      // expect: 4-way
half e = small[threadIdx.x * 32]; // expect: 16-way
