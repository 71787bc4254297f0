// Stream compaction: ballots, warp counts in shared memory, an enum class and a union.
// assume: input = i * 7 % 10
enum class Predicate : int { Even, Odd };
union Word {
    unsigned int u;
    float f;
    unsigned char bytes[4];
};
__device__ int predicate(unsigned int v, Predicate p) { return p == Predicate::Even ? (v & 1) == 0 : (v & 1) == 1; }

__global__ void compact(const unsigned int *input, unsigned int *output, int *count, int n)
{
    __shared__ int warpCounts[32], blockTotal;
    __shared__ Word staged[1024];
    const int lane = threadIdx.x % warpSize, warpId = threadIdx.x / warpSize;
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    unsigned int v = 0;
    int keep = 0;
    if (i < n) {
        v = input[i];
        keep = predicate(v, Predicate::Even);
    }
    unsigned int ballot = __ballot_sync(0xffffffffu, keep);
    int rank = __popc(ballot & ((1u << lane) - 1u));
    if (lane == 0) warpCounts[warpId] = __popc(ballot);
    __syncthreads();
    if (warpId == 0) {
        int c = lane < (blockDim.x + 31) / 32 ? warpCounts[lane] : 0, sum = c;
        for (int d = 1; d < 32; d *= 2) {
            int up = __shfl_up_sync(~0u, sum, d);
            if (lane >= d) sum += up;
        }
        warpCounts[lane] = sum - c;
        if (lane == 31) blockTotal = sum;
    }
    __syncthreads();
    if (keep) {
        Word w;
        w.u = v;
        staged[warpCounts[warpId] + rank] = w;          // expect: conflict-free
    }
    __syncthreads();
    for (int k = threadIdx.x; k < blockTotal; k += blockDim.x)
        output[k] = staged[k].u;
    if (threadIdx.x == 0) atomicAdd(count, blockTotal);
}

compact<<<1, 256>>>(input, output, count, 250);
