// title: Four neighbours a lane, and what nvcc makes of them
__global__ void rows(float *out, int n)
{
    __shared__ float s[1024];
    float sum = 0;
    for (int k = 0; k < 4; k++)
        s[threadIdx.x * 4 + k] = k;
    __syncthreads();
    for (int k = 0; k < 4; k++)
        sum += s[threadIdx.x * 4 + k];
    for (int k = 0; k < 4; k++)
        sum += s[threadIdx.x * n + k];
    out[threadIdx.x] = sum;
}
rows<<<1, 64>>>(out, 4);
