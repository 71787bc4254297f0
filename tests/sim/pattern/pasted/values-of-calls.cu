// Found by random programs held against a C++ compiler; each stride is 2 where the value is right.

// An argument that calls the same function does not take the place of the outer parameter, also
// where a reference to the parameter makes it lie in memory.
__device__ int referred(unsigned v)
{
    if (v & 4)
        return 100;
    unsigned &r = v;
    r ^= 1;
    return 8 + v;
}

// An enum and the type it is stored as are two types: ?: promotes both.
enum level : unsigned short { LOW = 1, HIGH = 100 };
__device__ int stride(unsigned short) { return 4; }
__device__ int stride(int) { return 2; }

__global__ void kernel()
{
    __shared__ float s[1024];
    unsigned short own = threadIdx.x;
    s[(referred(0 & referred(threadIdx.x)) - 7) * threadIdx.x] = 0; // expect: 2-way
    __syncthreads();
    s[(referred((referred(threadIdx.x), 1)) - 6) * threadIdx.x] = 0; // expect: 2-way
    __syncthreads();
    s[stride(threadIdx.x ? LOW : own) * threadIdx.x] = 0; // expect: 2-way
    __syncthreads();
    s[stride(threadIdx.x ? own : own) / 2 * threadIdx.x] = 0; // expect: 2-way
}

kernel<<<1, 32>>>();
