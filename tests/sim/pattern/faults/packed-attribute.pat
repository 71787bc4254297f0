// run: predict
// exit: 2
// out: the attribute 'packed' is not in the language
// not: st.8
struct __attribute__((packed)) Rec { char tag; double v; };
__global__ void k() { __shared__ Rec s[64]; s[threadIdx.x].tag = 1; }
void go() { k<<<1, 32>>>(); }
