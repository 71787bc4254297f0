// run: predict --launch 'k<32><<<1, 2048>>>(x)'
// exit: 2
// out: --launch:1:12: error: a block of 2048x1x1 cannot be launched
// run: predict --launch 'j<<<1, 2>>>()'
// exit: 2
// out: --launch:1:1: error: unknown kernel 'j'
// out: the kernels of errors-of-options.cu are: k
// run: predict --launch 'k<Q><<<1, 32>>>(x)'
// exit: 2
// out: --launch:1:3: error: unknown identifier 'Q'
// run: predict --launch 'k<<<1, 1>>>(x)'
// exit: 2
// out: --launch:1:1: error: the template argument 'W' of 'k' is not given
// run: predict --launch 'k<32><<<1, 32>>>(x, 1)'
// exit: 2
// out: takes 1 arguments, not 2
// run: predict --launch 'k<32><<<1, 32>>>(x) + 1'
// exit: 2
// out: --launch:1:21: error: unexpected text after the launch
// run: predict --launch 'k<32><<<1, 32>>>(x'
// exit: 2
// out: found the end of the file
// run: predict --launch 'k<32><<<n, 32>>>(x)'
// exit: 2
// out: --launch:1:9: error: unknown identifier 'n'
// run: predict --launch 'k<32><<<1, 32>>>(x)' --launch 'k<32><<<1, 64>>>(x)'
// exit: 2
// out: index 64 is out of the bounds
template <int W> __global__ void k(float *x)
{
    __shared__ float s[W * 2];
    s[threadIdx.x * 2] = x[threadIdx.x];
}
