// run: lower
// out: st.8 ffffffff 100 st.8 ffffffff 101 st.8 ffffffff 200 st.8 ffffffff 3
// out: st.8 ffffffff 3 st.8 ffffffff 160 st.8 ffffffff 5
// The right side of an assignment comes first, with an operator too, and the left side of a shift:
// the values are those of nvcc 13.0's PTX.
__shared__ char s[256];
__global__ void k()
{
    int a[8] = {100, 101, 200};
    int v = 0;
    a[v++ & 7] += v;
    s[a[0]] = 0;
    s[a[1]] = 0;
    v = 2;
    a[v & 7] = v++;
    s[a[2]] = 0;
    s[a[3] + 1] = 0;
    v = 3;
    a[v++] = v;
    s[a[3]] = 0;
    v = 5;
    int w = v << (v++ & 7);
    s[w] = 0;
    v = 2;
    v += v++;
    s[v] = 0;
}
k<<<1, 32>>>();
