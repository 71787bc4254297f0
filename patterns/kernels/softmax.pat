// SPDX-License-Identifier: GPL-3.0-or-later
// title: Row softmax with warp shuffles
//
// A block reduces a row twice (maximum, then sum). Shuffles do most of the work; shared memory
// only carries one value a warp, and a broadcast of the result.

__inline__ __device__ float warpReduceMax(float val)
{
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
        val = fmaxf(val, __shfl_down_sync(0xffffffff, val, offset));
    return val;
}

template <typename T>
__inline__ __device__ T warpReduceSum(T val)
{
#pragma unroll
    for (int mask = 16; mask > 0; mask >>= 1)
        val += __shfl_xor_sync(0xffffffff, val, mask, 32);
    return val;
}

__inline__ __device__ float blockReduceMax(float val)
{
    static __shared__ float shared[32]; // one partial maximum a warp
    int lane = threadIdx.x % warpSize;
    int wid = threadIdx.x / warpSize;

    val = warpReduceMax(val);
    if (lane == 0)
        shared[wid] = val;              // expect: 1-way, 32 wavefronts
    __syncthreads();

    // read from shared memory only if that warp existed
    val = (threadIdx.x < blockDim.x / warpSize) ? shared[lane] : -FLT_MAX;      // expect: 1-way, 4 wavefronts
    if (wid == 0)
        val = warpReduceMax(val);
    return val;
}

__inline__ __device__ float blockReduceSum(float val)
{
    static __shared__ float shared[32];
    int lane = threadIdx.x & 0x1f;
    int wid = threadIdx.x >> 5;

    val = warpReduceSum<float>(val);
    if (lane == 0)
        shared[wid] = val;              // expect: 1-way, 32 wavefronts
    __syncthreads();

    val = (threadIdx.x < (blockDim.x >> 5)) ? shared[lane] : 0.0f;              // expect: 1-way, 4 wavefronts
    if (wid == 0)
        val = warpReduceSum<float>(val);
    return val;
}

__global__ void softmax(float *out, const float *in, int cols)
{
    __shared__ float s_max, s_sum;
    const float *row = in + blockIdx.x * cols;

    float local_max = -INFINITY;
    for (int i = threadIdx.x; i < cols; i += blockDim.x)
        local_max = max(local_max, row[i]);
    local_max = blockReduceMax(local_max);
    if (threadIdx.x == 0)
        s_max = local_max;              // expect: 1-way, 4 wavefronts
    __syncthreads();

    float local_sum = 0.f;
    for (int i = threadIdx.x; i < cols; i += blockDim.x)
        local_sum += __expf(row[i] - s_max);    // expect: 1-way, 128 wavefronts
    local_sum = blockReduceSum(local_sum);
    if (threadIdx.x == 0)
        s_sum = local_sum;              // expect: 1-way, 4 wavefronts
    __syncthreads();

    for (int i = threadIdx.x; i < cols; i += blockDim.x)
        out[blockIdx.x * cols + i] = __expf(row[i] - s_max) / s_sum;            // expect: 1-way, 256 wavefronts
}

softmax<<<4, 256>>>(out, in, 1024);
