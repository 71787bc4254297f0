// run: lower
// out: st.8 ffffffff 3 st.8 ffffffff 8
__shared__ char s[64];
__global__ void k()
{
    auto less = [](auto p, auto q) { return q - p; };
    s[less(threadIdx.x > 40, (short)4) - 1] = 0;
    s[sizeof(less(1, 5ll))] = 0;
}
k<<<1, 32>>>();
