// run: lower
// out: st.8 ffffffff 3 st.8 ffffffff 5 st.8 ffffffff 9 st.8 ffffffff 100 st.8 ffffffff 3 st.8 ffffffff 40 st.8 ffffffff 8
// A name that an enum qualifies is the enum's, whatever else has that name; two enum classes may share names.
// What no int holds makes the enum unsigned.
__shared__ char s[256];
enum class F : long long { p = 3, q };
enum class G { q = 5, p = 9 };
enum H { far = 0xffffffff, near = 1 };
__global__ void k()
{
    int p = 100;
    s[(int)F::p] = 0;
    s[(int)G::q] = 0;
    s[int(G::p)] = 0;
    s[p] = 0;
    auto f = [=](int p) { s[(int)F::p] = 0; return p; };
    s[f(40)] = 0;
    s[far > 0 ? 8 : 16] = 0;
}
k<<<1, 32>>>();
