// run: predict
// exit: 2
// out: '#pragma pack' is not in the language
// not: st.8
#pragma pack(push, 1)
struct Rec { char tag; double v; };
#pragma pack(pop)
__global__ void k() { __shared__ Rec s[64]; s[threadIdx.x].tag = 1; }
k<<<1, 32>>>();
