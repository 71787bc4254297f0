// run: lower
// out: st.8 ffffffff 0 st.32 ffffffff 128 st.8 ffffffff 384 st.32 ffffffff 400
struct __attribute__((unused, aligned(16))) Rec { int a; };
__global__ void k()
{
    __shared__ char first[4];
    __shared__ float s[64] __attribute__((aligned(128)));
    __shared__ char second[4];
    __shared__ Rec r[2];
    first[0] = 1;
    s[threadIdx.x] = 1;
    second[0] = 1;
    r[0].a = 1;
}
k<<<1, 32>>>();
