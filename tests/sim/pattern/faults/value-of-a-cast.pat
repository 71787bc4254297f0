// run: lower
// out: st.8 ffffffff 1 st.8 ffffffff 1 st.8 ffffffff 4 st.8 ffffffff 2 st.8 ffffffff 4
// A cast and a unary plus give a value, not the variable; sizeof(short(v)) is of a value.
__shared__ char s[64];
__global__ void k()
{
    int v = 1;
    const int &a = (int)v, &b = +v;
    v = 7;
    s[a] = 0;
    s[b] = 0;
    static_cast<decltype(+v)>(3);
    s[sizeof(+v)] = 0;
    s[sizeof(short(v))] = 0;
    s[sizeof(threadIdx.x > 40 ? (char)1 : (signed char)2)] = 0;
}
k<<<1, 32>>>();
