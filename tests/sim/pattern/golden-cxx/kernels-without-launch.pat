template <int N> __global__ void first(float *o)
{
}
__global__ void second(float *o)
{
}
void run(float *d)
{
    cudaMemset(d, 0, 4);
}
