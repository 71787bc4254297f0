// run: predict --launch 'k<32><<<1, 32>>>(x)'
// out: kernel k<32>, block 32, grid 1, 256 bytes shared
// out: st.32 2-way 2 1 1
// run: predict --launch 'k<16><<<dim3(2, 3), dim3(V, 2), 0>>>(ptr)' -D V=8
// out: kernel k<16>, block 8x2, grid 2x3, 128 bytes shared
// run: predict --launch 'k<16><<<1, 32>>>(ptr)' --launch 'k<64><<<1, 32>>>(ptr)'
// exit: 2
// out: index-bounds
// run: predict
// exit: 2
// out: give --launch 'k<32><<<1, 32>>>(x)'
template <int W> __global__ void k(float *x)
{
    __shared__ float s[W * 2];
    s[threadIdx.x * 2] = x[threadIdx.x];
}
