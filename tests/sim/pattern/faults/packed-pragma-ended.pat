// run: predict
// out: st.8 4-way
#pragma pack(push, 1)
#pragma pack(pop)
struct Rec { char tag; double v; };
__global__ void k() { __shared__ Rec s[64]; s[threadIdx.x].tag = 1; }
k<<<1, 32>>>();
