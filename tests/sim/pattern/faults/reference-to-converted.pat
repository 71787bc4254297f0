// run: lower
// out: st.8 ffffffff 5 st.8 ffffffff 0
__shared__ char o[65536];
short h[2] = {5, 1};
const int &r = h[0];
o[r & 65535] = 1;                                    // C++: 5; bankwise 5 | 1 << 16 -> see next line
o[r >> 16] = 1;                                      // C++: 0; bankwise 1
