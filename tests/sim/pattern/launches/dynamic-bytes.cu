// run: predict --block 32 --shared 128
// out: 128 bytes shared
// out: st.32 1-way 1 1
// run: predict --block 32
// exit: 2
// out: --shared 4096
// run: predict --launch 'k<<<1, 32, 256>>>(ptr)' --shared 128
// out: 256 bytes shared
__global__ void k(float *x)
{
    extern __shared__ float s[];
    s[threadIdx.x] = x[threadIdx.x];
}
