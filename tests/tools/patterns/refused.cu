/* A CUDA source that is not of the language: the errors say what to type instead. */
__global__ void first(float *out)
{
    out[threadIdx.x] = 0;
}

__global__ void __launch_bounds__(128, (2)) second(float *out)
{
    __shared__ library::scratch<float, 128> s;
    out[threadIdx.x] = s.sum(threadIdx.x);
}

__global__ void third(float *out);
