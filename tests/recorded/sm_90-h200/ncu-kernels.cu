// SPDX-License-Identifier: GPL-3.0-or-later
// Kernels as Nsight Compute profiled them on a card, with the program that launched them.
#include <cuda_runtime.h>
#include <cuda_pipeline.h>
#include <stdio.h>

//
// Each block of 32 x 8 threads carries a 32 x 32 tile from rows to columns. Rows go in and
// columns come out, so that global memory is read and written along rows. In the naive tile a
// column is 32 words of one bank: the read takes 32 wavefronts. One unused column (33 words a
// row) moves each row one bank on, and row and column are both free.

const int TILE = 32;

__global__ void transpose(float *out, const float *in, int n)
{
    __shared__ float tile[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += blockDim.y)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();
    for (int j = 0; j < TILE; j += blockDim.y)
        out[(x + j) * n + y] = tile[threadIdx.x][threadIdx.y + j];
}

__global__ void transpose_padded(float *out, const float *in, int n)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += blockDim.y)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();
    for (int j = 0; j < TILE; j += blockDim.y)
        out[(x + j) * n + y] = tile[threadIdx.x][threadIdx.y + j];
}

//
// 256 threads, a 128 x 128 tile of C, 8 x 8 results a thread. A is stored transposed, so that
// both fragments are read along rows. The transposed store is 2-way: two groups of columns, 4 x
// 128 words apart. The fragment reads are scalar as written: of As a warp reads 2 words, by
// broadcast; of Bs 16 words, 8 apart, which lie in 4 banks: 4-way, and most of the cost.

template <const int BM, const int BN, const int BK, const int TM, const int TN>
__global__ void __launch_bounds__((BM * BN) / (TM * TN), 1)
    sgemmVectorize(int M, int N, int K, float alpha, float *A, float *B, float beta, float *C)
{
    const uint cRow = blockIdx.y;
    const uint cCol = blockIdx.x;

    const int threadCol = threadIdx.x % (BN / TN);
    const int threadRow = threadIdx.x / (BN / TN);

    __shared__ float As[BM * BK];
    __shared__ float Bs[BK * BN];

    // Move blocktile to beginning of A's row and B's column
    A += cRow * BM * K;
    B += cCol * BN;
    C += cRow * BM * N + cCol * BN;

    // calculating the indices that this thread will load into SMEM
    const uint innerRowA = threadIdx.x / (BK / 4);
    const uint innerColA = threadIdx.x % (BK / 4);
    const uint innerRowB = threadIdx.x / (BN / 4);
    const uint innerColB = threadIdx.x % (BN / 4);

    float threadResults[TM * TN] = {0.0};
    float regM[TM] = {0.0};
    float regN[TN] = {0.0};

    for (uint bkIdx = 0; bkIdx < K; bkIdx += BK) {
        // transpose A while loading it
        float4 tmp = reinterpret_cast<float4 *>(&A[innerRowA * K + innerColA * 4])[0];
        As[(innerColA * 4 + 0) * BM + innerRowA] = tmp.x;
        As[(innerColA * 4 + 1) * BM + innerRowA] = tmp.y;
        As[(innerColA * 4 + 2) * BM + innerRowA] = tmp.z;
        As[(innerColA * 4 + 3) * BM + innerRowA] = tmp.w;

        reinterpret_cast<float4 *>(&Bs[innerRowB * BN + innerColB * 4])[0] =
            reinterpret_cast<float4 *>(&B[innerRowB * N + innerColB * 4])[0];
        __syncthreads();

        A += BK;     // move BK columns to right
        B += BK * N; // move BK rows down

        for (uint dotIdx = 0; dotIdx < BK; ++dotIdx) {
            for (uint i = 0; i < TM; ++i) {
                regM[i] = As[dotIdx * BM + threadRow * TM + i];
            }
            for (uint i = 0; i < TN; ++i) {
                regN[i] = Bs[dotIdx * BN + threadCol * TN + i];
            }
            for (uint resIdxM = 0; resIdxM < TM; ++resIdxM) {
                for (uint resIdxN = 0; resIdxN < TN; ++resIdxN) {
                    threadResults[resIdxM * TN + resIdxN] += regM[resIdxM] * regN[resIdxN];
                }
            }
        }
        __syncthreads();
    }

    for (uint resIdxM = 0; resIdxM < TM; resIdxM += 1) {
        for (uint resIdxN = 0; resIdxN < TN; resIdxN += 4) {
            float4 tmp = reinterpret_cast<float4 *>(&C[(threadRow * TM + resIdxM) * N + threadCol * TN + resIdxN])[0];
            tmp.x = alpha * threadResults[resIdxM * TN + resIdxN] + beta * tmp.x;
            tmp.y = alpha * threadResults[resIdxM * TN + resIdxN + 1] + beta * tmp.y;
            tmp.z = alpha * threadResults[resIdxM * TN + resIdxN + 2] + beta * tmp.z;
            tmp.w = alpha * threadResults[resIdxM * TN + resIdxN + 3] + beta * tmp.w;
            reinterpret_cast<float4 *>(&C[(threadRow * TM + resIdxM) * N + threadCol * TN + resIdxN])[0] = tmp;
        }
    }
}

//
// The tiled product of the textbooks: a 32 x 32 block loads a tile of A and of B, row by row,
// and multiplies. As is read by broadcast (a warp is one row of threads), Bs along a row: no
// conflicts.

template <int BLOCK_SIZE>
__global__ void MatrixMulCUDA(float *C, float *A, float *B, int wA, int wB)
{
    int bx = blockIdx.x;
    int by = blockIdx.y;
    int tx = threadIdx.x;
    int ty = threadIdx.y;

    int aBegin = wA * BLOCK_SIZE * by;
    int aEnd = aBegin + wA - 1;
    int aStep = BLOCK_SIZE;
    int bBegin = BLOCK_SIZE * bx;
    int bStep = BLOCK_SIZE * wB;
    float Csub = 0;

    for (int a = aBegin, b = bBegin; a <= aEnd; a += aStep, b += bStep) {
        __shared__ float As[BLOCK_SIZE][BLOCK_SIZE];
        __shared__ float Bs[BLOCK_SIZE][BLOCK_SIZE];

        As[ty][tx] = A[a + wA * ty + tx];
        Bs[ty][tx] = B[b + wB * ty + tx];
        __syncthreads();

#pragma unroll
        for (int k = 0; k < BLOCK_SIZE; ++k) {
            Csub += As[ty][k] * Bs[k][tx];
        }
        __syncthreads();
    }

    int c = wB * BLOCK_SIZE * by + BLOCK_SIZE * bx;
    C[c + wB * ty + tx] = Csub;
}

//
// A block of 512 threads scans 1024 elements in place: up the tree in sums, down in partial
// sums. At distance d the threads touch every 2d-th word, so the conflict doubles with each
// level: a power-of-two trap in the loop variable. The first load and the last store are 2-way
// already, since a thread owns two neighbours.

__global__ void prescan(float *g_odata, float *g_idata, int n)
{
    extern __shared__ float temp[]; // allocated on invocation

    int thid = threadIdx.x;
    int offset = 1;

    temp[2 * thid] = g_idata[2 * thid]; // load input into shared memory
    temp[2 * thid + 1] = g_idata[2 * thid + 1];

    for (int d = n >> 1; d > 0; d >>= 1) { // build sum in place up the tree
        __syncthreads();

        if (thid < d) {
            int ai = offset * (2 * thid + 1) - 1;
            int bi = offset * (2 * thid + 2) - 1;

            temp[bi] += temp[ai];
        }
        offset *= 2;
    }

    if (thid == 0) { temp[n - 1] = 0; } // clear the last element

    for (int d = 1; d < n; d *= 2) { // traverse down tree & build scan
        offset >>= 1;
        __syncthreads();

        if (thid < d) {
            int ai = offset * (2 * thid + 1) - 1;
            int bi = offset * (2 * thid + 2) - 1;

            float t = temp[ai];
            temp[ai] = temp[bi];
            temp[bi] += t;
        }
    }

    __syncthreads();

    g_odata[2 * thid] = temp[2 * thid]; // write results to device memory
    g_odata[2 * thid + 1] = temp[2 * thid + 1];
}

//
// The same scan with one word of padding after every 32, and a thread's two elements half a
// block apart. For 1024 elements nothing is left. With more, the padding itself repeats at the
// widest distances: 1024 elements have 32 words of padding, a whole row of banks.
// ZERO_BANK_CONFLICTS pads for those as well; its macro has the parentheses here that the widely
// copied one lacks.

#define NUM_BANKS 32
#define LOG_NUM_BANKS 5
#ifdef ZERO_BANK_CONFLICTS
#define CONFLICT_FREE_OFFSET(n) \
    (((n) >> LOG_NUM_BANKS) + ((n) >> (2 * LOG_NUM_BANKS)))
#else
#define CONFLICT_FREE_OFFSET(n) ((n) >> LOG_NUM_BANKS)
#endif

__global__ void prescan_padded(float *g_odata, float *g_idata, int n)
{
    extern __shared__ float temp[]; // allocated on invocation

    int thid = threadIdx.x;
    int offset = 1;

    int ai = thid;
    int bi = thid + (n / 2);
    int bankOffsetA = CONFLICT_FREE_OFFSET(ai);
    int bankOffsetB = CONFLICT_FREE_OFFSET(bi);
    temp[ai + bankOffsetA] = g_idata[ai];
    temp[bi + bankOffsetB] = g_idata[bi];

    for (int d = n >> 1; d > 0; d >>= 1) { // build sum in place up the tree
        __syncthreads();
        if (thid < d) {
            int ai = offset * (2 * thid + 1) - 1;
            int bi = offset * (2 * thid + 2) - 1;
            ai += CONFLICT_FREE_OFFSET(ai);
            bi += CONFLICT_FREE_OFFSET(bi);

            temp[bi] += temp[ai];
        }
        offset *= 2;
    }

    if (thid == 0) { temp[n - 1 + CONFLICT_FREE_OFFSET(n - 1)] = 0; }

    for (int d = 1; d < n; d *= 2) { // traverse down tree & build scan
        offset >>= 1;
        __syncthreads();
        if (thid < d) {
            int ai = offset * (2 * thid + 1) - 1;
            int bi = offset * (2 * thid + 2) - 1;
            ai += CONFLICT_FREE_OFFSET(ai);
            bi += CONFLICT_FREE_OFFSET(bi);

            float t = temp[ai];
            temp[ai] = temp[bi];
            temp[bi] += t;
        }
    }
    __syncthreads();
    g_odata[ai] = temp[ai + bankOffsetA];
    g_odata[bi] = temp[bi + bankOffsetB];
}

//
// While one stage is computed, the next is copied from global to shared memory without
// registers, by the intrinsics and by the asm lines that kernels carry. Each thread copies 16
// bytes and reads floats: contiguous both ways.


#define STAGES 2
#define THREADS 128

__global__ void pipelined_sum(const float *__restrict__ in, float *__restrict__ out, int tiles)
{
    __shared__ __align__(16) float buf[STAGES][THREADS * 4];
    const int tid = threadIdx.x;
    float acc = 0.0f;

    // prologue: fill the first stage
    __pipeline_memcpy_async(&buf[0][tid * 4], &in[tid * 4], sizeof(float4));
    __pipeline_commit();

    for (int tile = 0; tile < tiles; ++tile) {
        const int stage = tile % STAGES;
        if (tile + 1 < tiles) {
            __pipeline_memcpy_async(&buf[stage ^ 1][tid * 4], &in[(tile + 1) * THREADS * 4 + tid * 4], sizeof(float4));
        }
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();

#pragma unroll
        for (int k = 0; k < 4; ++k)
            acc += buf[stage][k * THREADS + tid];
        __syncthreads();
    }
    out[blockIdx.x * THREADS + tid] = acc;
}

__global__ void pipelined_sum_asm(const float *in, float *out, int tiles)
{
    extern __shared__ __align__(16) unsigned char raw[];
    float *buf = reinterpret_cast<float *>(raw);
    const unsigned tid = threadIdx.x;
    float acc = 0.0f;

    unsigned dst = (unsigned)__cvta_generic_to_shared(buf + tid);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(dst), "l"(in + tid) : "memory");
    asm volatile("cp.async.commit_group;");

    for (int tile = 0; tile < tiles; ++tile) {
        const int stage = tile & 1;
        if (tile + 1 < tiles) {
            unsigned next = (unsigned)__cvta_generic_to_shared(buf + (stage ^ 1) * THREADS + tid);
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(next), "l"(in + (tile + 1) * THREADS + tid) : "memory");
        }
        asm volatile("cp.async.commit_group;");
        asm volatile("cp.async.wait_group 1;");
        __syncthreads();
        acc += buf[stage * THREADS + tid];
        __syncthreads();
    }
    out[tid] = acc;
}

//
// The modulo is gone: thread t works on index 2st, so busy lanes are packed into few warps. They
// are now 2s words apart in a full warp: conflicts grow with every step until the lanes run out.

__global__ void reduce1(int *g_idata, int *g_odata)
{
    extern __shared__ int sdata[];

    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    sdata[tid] = g_idata[i];
    __syncthreads();

    for (unsigned int s = 1; s < blockDim.x; s *= 2) {
        int index = 2 * s * tid;

        if (index < blockDim.x) {
            sdata[index] += sdata[index + s];
        }
        __syncthreads();
    }

    if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}

__global__ void histogram(unsigned int *bins, int n)
{
    __shared__ unsigned int s_bins[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        s_bins[i] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        atomicAdd(&s_bins[i * 7 % 64], i);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        bins[i] = s_bins[i];
}

int main(void)
{
    const size_t bytes = 1 << 24;
    float *in, *out;
    if (cudaMalloc((void **)&in, bytes) != cudaSuccess || cudaMalloc((void **)&out, bytes) != cudaSuccess)
        return 1;
    cudaMemset(in, 0, bytes);
    cudaMemset(out, 0, bytes);

    transpose<<<dim3(1, 1), dim3(32, 8)>>>(out, in, 1024);
    transpose_padded<<<dim3(1, 1), dim3(32, 8)>>>(out, in, 1024);
    sgemmVectorize<128, 128, 8, 8, 8><<<dim3(1, 1), dim3(256)>>>(128, 128, 64, 1.0f, in, in, 0.0f, out);
    MatrixMulCUDA<32><<<dim3(2, 2), dim3(32, 32)>>>(out, in, in, 64, 64);
    prescan<<<1, 512, 1024 * sizeof(float)>>>(out, in, 1024);
    prescan_padded<<<1, 512, (1024 + CONFLICT_FREE_OFFSET(1024)) * sizeof(float)>>>(out, in, 1024);
    pipelined_sum<<<4, THREADS>>>(in, out, 8);
    pipelined_sum_asm<<<1, THREADS, STAGES * THREADS * sizeof(float)>>>(in, out, 8);
    reduce1<<<4, 256, 256 * sizeof(int)>>>((int *)in, (int *)out);
    histogram<<<1, 256>>>((unsigned int *)out, 4096);

    cudaError_t error = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(error));
    return error != cudaSuccess;
}
