// SPDX-License-Identifier: GPL-3.0-or-later
// Launches of CUB's device-wide and block-wide algorithms, for recordings: see README.md.
#include <cstdio>
#include <cstdlib>
#include <cub/cub.cuh>

static const int N = 50000;

#define OK(call)                                                                                   \
    do {                                                                                           \
        cudaError_t e = (call);                                                                    \
        if (e != cudaSuccess) {                                                                    \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e));                             \
            exit(3);                                                                               \
        }                                                                                          \
    } while (0)

template <typename T> static T *filled(int n, unsigned range)
{
    T *host = new T[n], *device;
    for (int i = 0; i < n; i++)
        host[i] = (T)((unsigned)rand() % range);
    OK(cudaMalloc(&device, n * sizeof(T)));
    OK(cudaMemcpy(device, host, n * sizeof(T), cudaMemcpyHostToDevice));
    delete[] host;
    return device;
}

// Calls an algorithm twice, as CUB wants it: for the size of its workspace, then for the work.
template <typename F> static void twice(F algorithm)
{
    void *workspace = nullptr;
    size_t bytes = 0;
    OK(algorithm(workspace, bytes));
    OK(cudaMalloc(&workspace, bytes));
    OK(cudaMemset(workspace, 0, bytes));
    OK(algorithm(workspace, bytes));
    OK(cudaDeviceSynchronize());
}

struct is_even {
    __device__ bool operator()(int x) const
    {
        return x % 2 == 0;
    }
};

struct is_less {
    __device__ bool operator()(int a, int b) const
    {
        return a < b;
    }
};

template <int THREADS, int ITEMS> __global__ void block_transposes(const double *in, double *out)
{
    using load = cub::BlockLoad<double, THREADS, ITEMS, cub::BLOCK_LOAD_TRANSPOSE>;
    using store = cub::BlockStore<double, THREADS, ITEMS, cub::BLOCK_STORE_WARP_TRANSPOSE>;
    __shared__ union {
        typename load::TempStorage load;
        typename store::TempStorage store;
    } temporary;
    double items[ITEMS];
    load(temporary.load).Load(in + blockIdx.x * THREADS * ITEMS, items);
    __syncthreads();
    for (int i = 0; i < ITEMS; i++)
        items[i] = items[i] * 2 + threadIdx.x;
    store(temporary.store).Store(out + blockIdx.x * THREADS * ITEMS, items);
}

template <int THREADS, int ITEMS>
__global__ void block_sort(const unsigned short *in, unsigned short *out)
{
    using sort = cub::BlockRadixSort<unsigned short, THREADS, ITEMS>;
    __shared__ typename sort::TempStorage temporary;
    unsigned short items[ITEMS];
    cub::LoadDirectBlocked(threadIdx.x, in, items);
    sort(temporary).Sort(items);
    cub::StoreDirectBlocked(threadIdx.x, out, items);
}

int main()
{
    unsigned *keys = filled<unsigned>(N, 1u << 30), *sorted = filled<unsigned>(N, 1),
             *values = filled<unsigned>(N, 1000), *moved = filled<unsigned>(N, 1);
    int *numbers = filled<int>(N, 100), *sums = filled<int>(N, 1), *count = filled<int>(1, 1);
    float *floats = filled<float>(N, 1000), *total = filled<float>(1, 1);
    double *doubles = filled<double>(8192, 1000), *doubled = filled<double>(8192, 1);
    unsigned char *bytes = filled<unsigned char>(N, 256);
    unsigned short *shorts = filled<unsigned short>(1024, 65536),
                   *ordered = filled<unsigned short>(1024, 1);
    int *histogram = filled<int>(256, 1);

    twice(
        [&](void *w, size_t &b) { return cub::DeviceRadixSort::SortKeys(w, b, keys, sorted, N); });
    twice([&](void *w, size_t &b) {
        return cub::DeviceRadixSort::SortPairs(w, b, keys, sorted, values, moved, 3000);
    });
    twice(
        [&](void *w, size_t &b) { return cub::DeviceScan::ExclusiveSum(w, b, numbers, sums, N); });
    twice([&](void *w, size_t &b) { return cub::DeviceReduce::Sum(w, b, floats, total, N); });
    twice([&](void *w, size_t &b) {
        return cub::DeviceReduce::ArgMax(w, b, numbers, (cub::KeyValuePair<int, int> *)sums, N);
    });
    twice([&](void *w, size_t &b) {
        return cub::DeviceHistogram::HistogramEven(w, b, bytes, histogram, 257, 0, 256, N);
    });
    twice([&](void *w, size_t &b) {
        return cub::DeviceSelect::If(w, b, numbers, sums, count, N, is_even());
    });
    twice([&](void *w, size_t &b) {
        return cub::DeviceRunLengthEncode::Encode(w, b, numbers, sums, (int *)moved, count, N);
    });
    twice([&](void *w, size_t &b) {
        return cub::DeviceMergeSort::SortKeys(w, b, numbers, N, is_less());
    });
    block_transposes<128, 8><<<8, 128>>>(doubles, doubled);
    block_sort<128, 8><<<1, 128>>>(shorts, ordered);
    OK(cudaDeviceSynchronize());
    return 0;
}
