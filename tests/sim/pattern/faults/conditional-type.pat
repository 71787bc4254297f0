// run: lower
// out: st.8 ffffffff 44 st.8 ffffffff 1 st.8 ffffffff 2 st.8 ffffffff 1 st.8 ffffffff 1
__shared__ char o[1024];
unsigned char a = 200, b = 100;
auto x = threadIdx.x < 40 ? a : b;
x += 100;
o[x] = 1;
o[sizeof(threadIdx.x ? a : b)] = 1;
short s1 = 3, s2 = 4;
o[sizeof(threadIdx.x ? s1 : s2)] = 1;
o[sizeof(threadIdx.x ? true : false)] = 1;
template <class T> __device__ int size(T v) { return sizeof(T); }
o[size(threadIdx.x ? a : b)] = 1;
