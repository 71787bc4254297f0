// run: lower
// out: st.32 ffffffff 28
__shared__ float s[64];
int x = 1;
decltype((x)) r = x;
r = 7;
s[x] = 1;                                            // C++: s[7]; bankwise s[1]
