// run: predict --launch 'k<double, 4><<<1, dim3(16, 2), 512>>>(ptr, 3, 2.0f, {7, ptr})'
// out: kernel k<double, 4>, block 16x2, grid 1
// out: st.64 4-way 8 2 6
// run: predict --launch 'k<float, 4><<<1, 32, 512>>>(ptr, 3, 2.0f, {7, ptr})'
// out: st.32 2-way 2 1 1
// run: predict --launch 'k<float, 4><<<1, 32, 512>>>(ptr, _, 2.0f, {7, ptr})'
// exit: 2
// out: kernel argument 'n'
// out: give it a number: -D n=16
// run: predict --launch 'k<float, 4><<<1, 32, 512>>>(ptr, _, 2.0f, {7, ptr})' -D n=3
// out: st.32 2-way 2 1 1
// run: predict --launch 'k<float, 4><<<1, 32, 512>>>(ptr, 1, 2.0f, {7, ptr})' --arg n=3
// out: st.32 2-way 2 1 1
// run: predict --arg n=7 --launch 'k<float, 4><<<1, 32, 512>>>(ptr, 3, 2.0f, {7, ptr})'
// out: st.32 2-way 2 1 1
struct more {
    int w;
    float *p;
};
template <typename T, int N> __global__ void k(T *out, int n, float f, more m)
{
    extern __shared__ T s[];
    s[threadIdx.x * N % 64] = out[n];
    if (n == 3 && f == 2.0f && m.w == 7)
        s[0] = 1;
}
