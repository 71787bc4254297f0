/* A CUDA source whose accesses nvcc joins: the report says how to know. */
__global__ void pairs(float *out)
{
    __shared__ float s[256];
    s[2 * threadIdx.x] = 0;
    s[2 * threadIdx.x + 1] = 1;
    __syncthreads();
    out[threadIdx.x] = s[2 * threadIdx.x] + s[2 * threadIdx.x + 1];
}
