// Histogram with one copy of the bins a warp, and a device function that carries them.
// assume: data = i * 2654435761u >> 8
typedef unsigned int uint;
typedef unsigned char uchar;
#define WARP_SIZE 32
constexpr int log2i(int n) { return n <= 1 ? 0 : 1 + log2i(n / 2); }
constexpr int BINS = 256, WARPS = 6;

inline __device__ void addByte(uint *s_WarpHist, uint data) { atomicAdd(s_WarpHist + data, 1); }

inline __device__ void addWord(uint *s_WarpHist, uint data)
{
    addByte(s_WarpHist, (data >> 0) & 0xFFU);
    addByte(s_WarpHist, (data >> 8) & 0xFFU);
    addByte(s_WarpHist, (data >> 16) & 0xFFU);
    addByte(s_WarpHist, (data >> 24) & 0xFFU);
}

__global__ void histogram256Kernel(uint *d_PartialHistograms, uint *data, uint dataCount)
{
    __shared__ uint s_Hist[WARPS * BINS];
    uint *s_WarpHist = s_Hist + (threadIdx.x >> 5) * BINS;
#pragma unroll
    for (uint i = 0; i < (BINS / WARP_SIZE); i++)
        s_Hist[threadIdx.x + i * WARPS * WARP_SIZE] = 0;        // expect: conflict-free, 96 wavefronts
    __syncthreads();
    for (uint pos = blockIdx.x * blockDim.x + threadIdx.x; pos < dataCount; pos += blockDim.x * gridDim.x) {
        uint word = data[pos];
        addWord(s_WarpHist, word);
    }
    __syncthreads();
    for (uint bin = threadIdx.x; bin < BINS; bin += WARPS * WARP_SIZE) {
        uint sum = 0;
        for (uint i = 0; i < WARPS; i++)
            sum += s_Hist[bin + i * BINS] & 0xFFFFFFFFU;        // expect: 96 wavefronts
        d_PartialHistograms[blockIdx.x * BINS + bin] = sum;
    }
}

extern "C" void histogram256(uint *d_Histogram, void *d_Data, uint byteCount)
{
    histogram256Kernel<<<2, WARPS * WARP_SIZE>>>(d_PartialHistograms, (uint *)d_Data, 4096);
}
