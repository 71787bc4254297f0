// run: predict
// out: st.32 2-way 2
// run: predict -DUSE_DP
// out: USE_DP=1
// out: st.64 2-way 4
// run: predict -D USE_DP
// out: st.64 2-way 4
// run: predict -D USE_DP=1
// out: st.64 2-way 4
// run: predict -D real=char
// exit: 2
// out: -D real: macros.cu has no such parameter
// run: predict -D ELEMENT=double
// out: st.64 2-way 4
// run: predict -D STEP=4
// out: STEP=4, WIDTH=64
// out: st.32 2-way 2
// run: predict -D STEP=1+2 -D WIDTH=96
// out: WIDTH=96
// out: st.32 1-way 1
// run: predict -D WIDTH=16
// out: 64 bytes shared
// run: predict -D NOWHERE=1
// exit: 2
// out: -D NOWHERE: macros.cu has no such parameter
#ifdef USE_DP
typedef double real;
#elif defined(ELEMENT)
typedef ELEMENT real;
#else
typedef float real;
#endif
#ifndef STEP
#define STEP 2
#endif
const int WIDTH = 256 / STEP;
__global__ void k()
{
    __shared__ real s[WIDTH];
    s[threadIdx.x * STEP % WIDTH] = 1;
}
void go()
{
    k<<<1, 32>>>();
}
