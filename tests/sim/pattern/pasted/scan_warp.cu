// Overloads by type, default arguments, references to arrays, comma operators and pointers to rows.
__device__ int mix(int a) { return a * 3; }
__device__ float mix(float a) { return a * 0.5f; }
__device__ unsigned clampi(unsigned v, unsigned lo = 0, unsigned hi = 31) { return v < lo ? lo : v > hi ? hi : v; }
template <typename T, int N> __device__ T sum(const T (&v)[N])
{
    T s = T(0);
    for (int i = 0; i < N; ++i) s += v[i];
    return s;
}
__device__ void swap(int &a, int &b) { int t = a; a = b, b = t; }
static __device__ void store_row(float (*rows)[33], int r, int c, float v) { rows[r][c] = v; }  // expect: 1-way

__global__ void k(float *out, int n = 1)
{
    __shared__ float tile[32][33];
    int a = threadIdx.x, b = 31 - threadIdx.x, i, j;
    for (i = 0, j = 31; i < j; i++, j--) swap(a, b);
    store_row(tile, clampi(a + 100, 0), clampi(mix(1)), mix(2.0f));
    store_row(tile, mix(a) % 32, 0, 1.0f);
    int v[4] = {1, 2, 3, 4};
    const float w[] = {0.5f, 0.25f, 0.25f};
    tile[threadIdx.x][sum(v)] = sum(w);
    float (*p)[33] = &tile[1];
    p[-1][threadIdx.x] = 0;
    float *q = *p;
    *(q++) = 1, *q = 2;
    out[0] = tile[0][0];
}

k<<<1, 32>>>(out);
