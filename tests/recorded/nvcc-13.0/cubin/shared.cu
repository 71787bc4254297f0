/* Arrays in shared memory, static, dynamic and of a namespace: nvcc -G keeps their names. */
namespace ns
{
__shared__ int outside[8];
}

__global__ void tile(float *out, const float *in)
{
    __shared__ float rows[32][33];
    __shared__ double pair[16];
    extern __shared__ float rest[];
    rows[threadIdx.y][threadIdx.x] = in[threadIdx.x];
    pair[threadIdx.x % 16] = in[1];
    rest[threadIdx.x] = in[2];
    ns::outside[threadIdx.x % 8] = 1;
    __syncthreads();
    out[threadIdx.x] = rows[threadIdx.x][threadIdx.y] + (float)pair[threadIdx.y] + rest[threadIdx.y] + ns::outside[threadIdx.y % 8];
}
