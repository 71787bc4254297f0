// run: lower
// out: st.32 44444444 8
__shared__ float s[64];
switch (threadIdx.x & 3) case 2: s[threadIdx.x] = 1;  // C++: lanes 2, 6, 10 ...; bankwise: all 32
