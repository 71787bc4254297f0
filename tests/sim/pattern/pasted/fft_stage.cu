// Radix-2 FFT stages in shared memory with float2, a template loop by if constexpr and sincosf.
template <int N> __device__ __forceinline__ void butterfly(float2 &a, float2 &b, float angle)
{
    float s, c;
    __sincosf(angle, &s, &c);
    float2 t = make_float2(c * b.x - s * b.y, c * b.y + s * b.x);
    b.x = a.x - t.x, b.y = a.y - t.y;
    a.x += t.x, a.y += t.y;
}

template <int N, int STRIDE> __device__ void stages(float2 *s)
{
    if constexpr (STRIDE < N) {
        const int t = threadIdx.x;
        int low = (t / STRIDE) * (STRIDE * 2) + t % STRIDE;
        butterfly<N>(s[low], s[low + STRIDE], -3.14159265f * (t % STRIDE) / STRIDE);
        __syncthreads();
        stages<N, STRIDE * 2>(s);
    }
}

__device__ static inline unsigned int reverse(unsigned int x, int bits) { return __brev(x) >> (32 - bits); }

template <int N = 512, int LOG = 9> __global__ void fft(float2 *data)
{
    __shared__ float2 s[N];
    s[reverse(threadIdx.x, LOG)] = data[threadIdx.x];  // expect: 16-way
    s[reverse(threadIdx.x + N / 2, LOG)] = data[threadIdx.x + N / 2];
    __syncthreads();
    stages<N, 1>(s);
    data[threadIdx.x] = s[threadIdx.x];  // expect: conflict-free, 16 wavefronts
    data[threadIdx.x + N / 2] = s[threadIdx.x + N / 2];
}

fft<512, 9><<<1, 256>>>(data);
