// SPDX-License-Identifier: GPL-3.0-or-later
// Kernels as people write them, one for each way of using shared memory, for recordings: see
// README.md.
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

namespace cg = cooperative_groups;

#define OK(call)                                                                                   \
    do {                                                                                           \
        cudaError_t e = (call);                                                                    \
        if (e != cudaSuccess) {                                                                    \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e));                             \
            exit(3);                                                                               \
        }                                                                                          \
    } while (0)

// Data-dependent: each thread compares the pairs of its stage and swaps.
__global__ void bitonic_sort(unsigned *data)
{
    __shared__ unsigned s[1024];
    unsigned base = blockIdx.x * 1024;
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        s[i] = data[base + i];
    for (int size = 2; size <= 1024; size *= 2)
        for (int stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            int at = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            bool up = (at & size) == 0;
            unsigned a = s[at], b = s[at + stride];
            if ((a > b) == up) {
                s[at] = b;
                s[at + stride] = a;
            }
        }
    __syncthreads();
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        data[base + i] = s[i];
}

// Data-dependent addresses and atomics.
__global__ void histogram_bytes(const unsigned char *data, int n, unsigned *bins)
{
    __shared__ unsigned s[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        s[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&s[data[i]], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        atomicAdd(&bins[i], s[i]);
}

__global__ void histogram_weighted(const unsigned char *data, const int *weights, int n, int *bins)
{
    __shared__ int s[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        s[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&s[data[i]], weights[i]);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        atomicAdd(&bins[i], s[i]);
}

// A table of permutations held in shared memory: gathers of doubles.
template <typename T> __global__ void gather(const T *in, const int *order, T *out, int n)
{
    extern __shared__ unsigned char raw[];
    T *s = reinterpret_cast<T *>(raw);
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        s[i] = in[blockIdx.x * n + i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        out[blockIdx.x * n + i] = s[order[i]];
}

// Doubles, templates, tree in shared memory, early exits.
template <int N> __global__ void reduce_double(const double *in, double *out)
{
    __shared__ double s[N];
    unsigned t = threadIdx.x;
    s[t] = in[blockIdx.x * N + t];
    __syncthreads();
    for (int half = N / 2; half > 0; half /= 2) {
        if (t < half)
            s[t] += s[t + half];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

// Bytes and structures of twelve bytes.
struct pixel3 {
    float r, g, b;
};

__global__ void blur_bytes(const unsigned char *in, unsigned char *out, int width)
{
    __shared__ unsigned char s[18][70];
    int x = blockIdx.x * 64, y = blockIdx.y * 16;
    for (int i = threadIdx.y * blockDim.x + threadIdx.x; i < 18 * 66; i += blockDim.x * blockDim.y)
        s[i / 66][i % 66] = in[(y + i / 66) * width + x + i % 66];
    __syncthreads();
    for (int i = threadIdx.y; i < 16; i += blockDim.y)
        for (int j = threadIdx.x; j < 64; j += blockDim.x) {
            int sum = 0;
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++)
                    sum += s[i + a][j + b];
            out[(y + i) * width + x + j] = (unsigned char)(sum / 9);
        }
}

__global__ void pixels_mirrored(const pixel3 *in, pixel3 *out, int n)
{
    __shared__ pixel3 s[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        s[threadIdx.x] = in[i];
    __syncthreads();
    int from = blockIdx.x * 256 + 255 - threadIdx.x;
    if (i < n && from < n)
        out[i] = s[255 - threadIdx.x];
}

// One dynamic buffer carved into three tiles.
__global__ void carved(const float *a, const float *b, float *c, int m, int k)
{
    extern __shared__ float smem[];
    float *sa = smem, *sb = sa + m * k, *row = sb + k * m;
    for (int i = threadIdx.x; i < m * k; i += blockDim.x) {
        sa[i] = a[blockIdx.x * m * k + i];
        sb[(i % k) * m + i / k] = b[blockIdx.x * m * k + i];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < m * m; i += blockDim.x) {
        float sum = 0;
        for (int j = 0; j < k; j++)
            sum += sa[(i / m) * k + j] * sb[j * m + i % m];
        c[blockIdx.x * m * m + i] = sum;
        if (i % m == 0)
            row[i / m] = sum;
    }
    __syncthreads();
    if (threadIdx.x < m)
        c[blockIdx.x * m * m + threadIdx.x] += row[m - 1 - threadIdx.x];
}

// A local array indexed by data: the stack.
__global__ void local_array(const int *in, int *out)
{
    __shared__ int s[32 * 33];
    int mine[16];
    for (int i = 0; i < 16; i++)
        mine[i] = in[threadIdx.x * 16 + i];
    for (int i = 0; i < 16; i++)
        s[(threadIdx.x % 32) * 33 + (mine[mine[i] & 15] & 31)] = i;
    __syncthreads();
    out[threadIdx.x] = s[(threadIdx.x % 32) * 33 + mine[threadIdx.x & 15] % 32];
}

// Cooperative groups: tiles, shuffles, a group's reduction.
__global__ void grouped(const int *in, int *out)
{
    __shared__ int s[8];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    int v = in[block.group_index().x * block.size() + block.thread_rank()];
    for (int i = warp.size() / 2; i > 0; i /= 2)
        v += warp.shfl_down(v, i);
    if (warp.thread_rank() == 0)
        s[warp.meta_group_rank()] = v;
    block.sync();
    if (warp.meta_group_rank() == 0) {
        v = warp.thread_rank() < 8 ? s[warp.thread_rank()] : 0;
        cg::coalesced_group active = cg::coalesced_threads();
        for (int i = 4; i > 0; i /= 2)
            v += active.shfl_down(v, i);
        if (warp.thread_rank() == 0)
            out[block.group_index().x] = v;
    }
}

// wmma from shared memory, rows of 72 halfs.
__global__ void wmma_tile(const half *a, const half *b, float *c)
{
    using namespace nvcuda;
    __shared__ half sa[64][72], sb[64][64];
    for (int i = threadIdx.x; i < 64 * 8; i += blockDim.x) {
        *(int4 *)&sa[i / 8][i % 8 * 8] = ((const int4 *)a)[i];
        *(int4 *)&sb[i / 8][i % 8 * 8] = ((const int4 *)b)[i];
    }
    __syncthreads();
    int w = threadIdx.x / 32;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    for (int n = 0; n < 4; n++) {
        wmma::fill_fragment(fc, 0.0f);
        for (int k = 0; k < 4; k++) {
            wmma::load_matrix_sync(fa, &sa[w * 16][k * 16], 72);
            wmma::load_matrix_sync(fb, &sb[n * 16][k * 16], 64);
            wmma::mma_sync(fc, fa, fb, fc);
        }
        wmma::store_matrix_sync(c + w * 16 * 64 + n * 16, fc, 64, wmma::mem_row_major);
    }
}

// ldmatrix by hand with an XOR swizzle.
__global__ void ldmatrix_swizzled(const half *in, unsigned *out)
{
    __shared__ __align__(128) half s[64 * 64];
    for (int i = threadIdx.x; i < 64 * 8; i += blockDim.x)
        *(int4 *)&s[i / 8 * 64 + ((i % 8) ^ (i / 8 % 8)) * 8] = ((const int4 *)in)[i];
    __syncthreads();
    int lane = threadIdx.x % 32, w = threadIdx.x / 32;
    unsigned sum = 0;
    for (int k = 0; k < 8; k += 2) {
        int row = w * 16 + lane % 16, chunk = k + lane / 16;
        unsigned address =
            (unsigned)__cvta_generic_to_shared(&s[row * 64 + (chunk ^ (row % 8)) * 8]);
        unsigned r0, r1, r2, r3;
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3)
                     : "r"(address));
        sum += r0 ^ r1 ^ r2 ^ r3;
    }
    out[threadIdx.x] = sum;
}

// A pipeline of asynchronous copies of 16 bytes, and of 4.
template <typename T> __global__ void pipelined(const T *in, T *out, int steps)
{
    __shared__ T s[2][256];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[0][t], &in[t], sizeof(T));
    __pipeline_commit();
    for (int i = 0; i < steps; i++) {
        if (i + 1 < steps)
            __pipeline_memcpy_async(&s[(i + 1) % 2][t], &in[(i + 1) * 256 + t], sizeof(T));
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        out[i * 256 + t] = s[i % 2][(t * 5) % 256];
        __syncthreads();
    }
}

// A switch over data (jump table), called functions, recursion by hand.
__device__ __noinline__ int mixed(int x, int *s)
{
    s[x & 63] += x;
    return s[(x * 7) & 63];
}

__global__ void switched(const int *in, int *out)
{
    __shared__ int s[64 * 4];
    int *mine = s + threadIdx.x / 32 % 4 * 64, v = in[threadIdx.x];
    for (int i = threadIdx.x % 32; i < 64; i += 32)
        mine[i] = i;
    __syncwarp();
    for (int i = 0; i < 12; i++) {
        switch (v & 7) {
        case 0: v = mine[v & 63] + 1; break;
        case 1: v = v * 3 + i; break;
        case 2: v = mixed(v, mine); break;
        case 3:
            mine[i] = v;
            v >>= 1;
            break;
        case 4: v ^= mine[63 - (v & 63)]; break;
        case 5: v += 11; continue;
        case 6: v = mixed(v + 1, mine); break;
        default: v = -v; break;
        }
        if (v > 100000)
            break;
        __syncwarp(__activemask());
    }
    out[threadIdx.x] = v;
}

// Warp-wise prefix sums and a segmented scan in shared memory.
__global__ void scan_block(const int *in, int *out, int n)
{
    __shared__ int sums[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, v = i < n ? in[i] : 0;
    for (int d = 1; d < 32; d *= 2) {
        int u = __shfl_up_sync(~0u, v, d);
        if (lane >= d)
            v += u;
    }
    if (lane == 31)
        sums[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x < 32) {
        int w = threadIdx.x < blockDim.x / 32 ? sums[threadIdx.x] : 0;
        for (int d = 1; d < 32; d *= 2) {
            int u = __shfl_up_sync(~0u, w, d);
            if (lane >= d)
                w += u;
        }
        sums[threadIdx.x] = w;
    }
    __syncthreads();
    if (i < n)
        out[i] = v + (threadIdx.x >= 32 ? sums[threadIdx.x / 32 - 1] : 0);
}

// Softmax of rows: attention's inner part with a carved buffer of K and V.
template <int D>
__global__ void attention(const float *q, const float *k, const float *v, float *o, int n)
{
    extern __shared__ float tiles[];
    float *sk = tiles, *sv = tiles + 32 * D;
    float mine[D], sum[D], most = -1e30f, total = 0;
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    for (int d = 0; d < D; d++) {
        mine[d] = q[row * D + d];
        sum[d] = 0;
    }
    for (int j = 0; j < n; j += 32) {
        __syncthreads();
        for (int i = threadIdx.x; i < 32 * D; i += blockDim.x) {
            sk[i] = k[j * D + i];
            sv[i] = v[j * D + i];
        }
        __syncthreads();
        for (int i = 0; i < 32; i++) {
            float dot = 0;
            for (int d = 0; d < D; d++)
                dot += mine[d] * sk[i * D + d];
            float up = fmaxf(most, dot), scale = __expf(most - up), p = __expf(dot - up);
            total = total * scale + p;
            for (int d = 0; d < D; d++)
                sum[d] = sum[d] * scale + p * sv[i * D + d];
            most = up;
        }
    }
    for (int d = 0; d < D; d++)
        o[row * D + d] = sum[d] / total;
}

// FFT exchange: radix 4, real and imaginary parts in turn.
__global__ void fft_exchange(float2 *data)
{
    __shared__ float s[1024 + 32];
    float2 v[4];
    int t = threadIdx.x;
    for (int i = 0; i < 4; i++)
        v[i] = data[blockIdx.x * 1024 + i * 256 + t];
    for (int stride = 1; stride < 256; stride *= 4) {
        int to = (t / stride) * stride * 4 + t % stride;
        for (int part = 0; part < 2; part++) {
            for (int i = 0; i < 4; i++)
                s[(to + i * stride) + (to + i * stride) / 32] = part ? v[i].y : v[i].x;
            __syncthreads();
            for (int i = 0; i < 4; i++) {
                float x = s[(i * 256 + t) + (i * 256 + t) / 32];
                if (part)
                    v[i].y = x;
                else
                    v[i].x = x;
            }
            __syncthreads();
        }
    }
    for (int i = 0; i < 4; i++)
        data[blockIdx.x * 1024 + i * 256 + t] = v[i];
}

// Float addition in shared memory: a compare-and-swap loop, with data.
__global__ void float_bins(const int *at, const float *add, float *out)
{
    __shared__ float s[64];
    if (threadIdx.x < 64)
        s[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&s[at[threadIdx.x] & 63], add[threadIdx.x]);
    __syncthreads();
    if (threadIdx.x < 64)
        out[threadIdx.x] = s[threadIdx.x];
}

template <typename T> static T *filled(int n, unsigned range)
{
    T *host = new T[n], *device;
    for (int i = 0; i < n; i++)
        host[i] = (T)((float)((unsigned)rand() % range));
    OK(cudaMalloc(&device, n * sizeof(T)));
    OK(cudaMemcpy(device, host, n * sizeof(T), cudaMemcpyHostToDevice));
    delete[] host;
    return device;
}

int main()
{
    const int N = 1 << 16;
    unsigned *keys = filled<unsigned>(N, 1u << 31), *bins = filled<unsigned>(256, 1);
    unsigned char *bytes = filled<unsigned char>(N, 256), *blurred = filled<unsigned char>(N, 1);
    int *numbers = filled<int>(N, 1024), *results = filled<int>(N, 1);
    double *doubles = filled<double>(N, 1000), *doubled = filled<double>(N, 1);
    float *floats = filled<float>(3 * N, 64), *more = filled<float>(N, 64),
          *out = filled<float>(3 * N, 1);
    half *halfs = filled<half>(N, 64);

    bitonic_sort<<<16, 512>>>(keys);
    histogram_bytes<<<4, 256>>>(bytes, 30000, bins);
    histogram_weighted<<<2, 192>>>(bytes, numbers, 10000, results);
    gather<double><<<4, 256, 1024 * 8>>>(doubles, numbers, doubled, 1024);
    gather<short><<<2, 96, 1024 * 2>>>((short *)floats, numbers, (short *)doubled, 1024);
    reduce_double<256><<<8, 256>>>(doubles, doubled);
    blur_bytes<<<dim3(3, 2), dim3(16, 8)>>>(bytes, blurred, 256);
    pixels_mirrored<<<5, 256>>>((pixel3 *)floats, (pixel3 *)out, 1100);
    carved<<<4, 128, (24 * 20 * 2 + 24) * 4>>>(floats, more, out, 24, 20);
    local_array<<<1, 64>>>(numbers, results);
    grouped<<<8, 256>>>(numbers, results);
    wmma_tile<<<1, 128>>>(halfs, halfs + 4096, out);
    ldmatrix_swizzled<<<1, 128>>>(halfs, bins);
    pipelined<float4><<<2, 256>>>((float4 *)floats, (float4 *)out, 6);
    pipelined<float><<<2, 256>>>(floats, out, 6);
    switched<<<1, 128>>>(numbers, results);
    scan_block<<<5, 320>>>(numbers, results, 1500);
    attention<32><<<2, 64, 2 * 32 * 32 * 4>>>(floats, more, floats + N, out, 128);
    fft_exchange<<<4, 256>>>((float2 *)floats);
    float_bins<<<1, 32>>>(numbers, floats, out);
    OK(cudaDeviceSynchronize());
    return 0;
}
