// run: lower
// out: st.32 ffffffff 4
#if -1 > 0u
#define N 1
#else
#define N 2
#endif
__shared__ float s[64];
s[N] = 1;                                            // C++: word 1; bankwise word 2
