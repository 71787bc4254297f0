/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * shim: enough of CUDA C++ to compile a pattern file with g++ and watch what it does to memory.
 *
 * Owns the spellings (threadIdx, __shared__, atomicAdd, …). What a load or store costs is
 * runtime.cpp's business; the compiler itself reports them there, by -fsanitize=thread. This is a
 * checking tool for the stock patterns: it shares no code with the project's own language or model,
 * so that a wrong expectation cannot be copied from a wrong program.
 *
 * One operating-system thread; CUDA threads are fibers, switched at barriers only.
 */
#pragma once
#include <cassert>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

#define BW_QUIET __attribute__((no_sanitize("thread"), noinline))
#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__
#define __restrict__
#define __restrict
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __shared__ static
#define __constant__ __attribute__((section("bwconst")))

typedef unsigned int uint;
typedef unsigned char uchar;
typedef unsigned short ushort;

struct uint3 {
    unsigned x, y, z;
};
struct dim3 {
    unsigned x, y, z;
    dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c)
    {
    }
};
extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;
static const int warpSize = 32;

void bw_log(const void *pc, const char *op, const void *addr, unsigned bytes);
#define BW_PC __builtin_return_address(0)

/* Copies of class types are not seen by the sanitizer when they are arguments, so the vector types
 * report their own: one access of the type's alignment, or as many as its size needs. */
static inline BW_QUIET void bw_copy(const void *pc, void *to, const void *from, unsigned size,
                                    unsigned piece)
{
    for (unsigned i = 0; i < size; i += piece)
        bw_log(pc, "ld", (const char *)from + i, piece);
    for (unsigned i = 0; i < size; i += piece)
        bw_log(pc, "st", (char *)to + i, piece);
    memcpy(to, from, size);
}
#define BW_COPIES(N)                                                                               \
    N() = default;                                                                                 \
    BW_QUIET N(const N &o)                                                                         \
    {                                                                                              \
        bw_copy(BW_PC, this, &o, sizeof(N), alignof(N));                                           \
    }                                                                                              \
    BW_QUIET N &operator=(const N &o)                                                              \
    {                                                                                              \
        bw_copy(BW_PC, this, &o, sizeof(N), alignof(N));                                           \
        return *this;                                                                              \
    }

#define BW_VEC2(T, N, A)                                                                           \
    struct __align__(A) N                                                                          \
    {                                                                                              \
        T x, y;                                                                                    \
        BW_COPIES(N) BW_QUIET N(T a, T b) : x(a), y(b)                                             \
        {                                                                                          \
        }                                                                                          \
    };                                                                                             \
    static inline N make_##N(T a, T b)                                                             \
    {                                                                                              \
        return N(a, b);                                                                            \
    }
#define BW_VEC3(T, N, A)                                                                           \
    struct __align__(A) N                                                                          \
    {                                                                                              \
        T x, y, z;                                                                                 \
        BW_COPIES(N) BW_QUIET N(T a, T b, T c) : x(a), y(b), z(c)                                  \
        {                                                                                          \
        }                                                                                          \
    };                                                                                             \
    static inline N make_##N(T a, T b, T c)                                                        \
    {                                                                                              \
        return N(a, b, c);                                                                         \
    }
#define BW_VEC4(T, N, A)                                                                           \
    struct __align__(A) N                                                                          \
    {                                                                                              \
        T x, y, z, w;                                                                              \
        BW_COPIES(N)                                                                               \
        BW_QUIET N(T a, T b, T c, T d) : x(a), y(b), z(c), w(d)                                    \
        {                                                                                          \
        }                                                                                          \
    };                                                                                             \
    static inline N make_##N(T a, T b, T c, T d)                                                   \
    {                                                                                              \
        return N(a, b, c, d);                                                                      \
    }
BW_VEC2(char, char2, 2)
BW_VEC4(signed char, char4, 4)
BW_VEC4(unsigned char, uchar4, 4)
BW_VEC2(short, short2, 4)
BW_VEC2(int, int2, 8)
BW_VEC2(unsigned, uint2, 8)
BW_VEC4(int, int4, 16)
BW_VEC4(unsigned, uint4, 16)
BW_VEC3(int, int3, 4)
BW_VEC2(float, float2, 8)
BW_VEC3(float, float3, 4)
BW_VEC4(float, float4, 16)
BW_VEC2(double, double2, 16)

/* Halves: only their size and place matter here, so they hold a truncated float. */
struct half {
    uint16_t bits;
    BW_COPIES(half)
    BW_QUIET half(float f)
    {
        uint32_t u;
        memcpy(&u, &f, 4);
        bits = (uint16_t)(u >> 16);
    }
    BW_QUIET operator float() const
    {
        bw_log(BW_PC, "ld", this, 2);
        uint32_t u = (uint32_t)bits << 16;
        float f;
        memcpy(&f, &u, 4);
        return f;
    }
};
typedef half __half;
typedef half __nv_bfloat16;
struct __align__(4) half2
{
    half x, y;
    BW_COPIES(half2)
};
typedef half2 __half2;
static inline half __float2half(float f)
{
    return half(f);
}
static inline float __half2float(half h)
{
    return h;
}
static inline half2 __hadd2(half2 a, half2 b)
{
    half2 r;
    r.x = a.x + b.x;
    r.y = a.y + b.y;
    return r;
}
static inline half2 __hfma2(half2 a, half2 b, half2 c)
{
    half2 r;
    r.x = a.x * b.x + c.x;
    r.y = a.y * b.y + c.y;
    return r;
}
static inline half2 __float2half2_rn(float f)
{
    half2 r;
    r.x = f;
    r.y = f;
    return r;
}
static inline half __hadd(half a, half b)
{
    return half((float)a + (float)b);
}
static inline half2 __floats2half2_rn(float a, float b)
{
    half2 r;
    r.x = a;
    r.y = b;
    return r;
}
static inline float2 __half22float2(half2 h)
{
    return make_float2(h.x, h.y);
}
static inline half __low2half(half2 a)
{
    return a.x;
}
static inline half __high2half(half2 a)
{
    return a.y;
}

static inline int min(int a, int b)
{
    return a < b ? a : b;
}
static inline int max(int a, int b)
{
    return a > b ? a : b;
}
static inline float min(float a, float b)
{
    return a < b ? a : b;
}
static inline float max(float a, float b)
{
    return a > b ? a : b;
}
static inline unsigned min(unsigned a, unsigned b)
{
    return a < b ? a : b;
}
static inline unsigned max(unsigned a, unsigned b)
{
    return a > b ? a : b;
}
#define __expf(x) expf(x)
static inline float rsqrtf(float x)
{
    return 1 / sqrtf(x);
}
#define __sincosf(x, s, c) (*(s) = sinf(x), *(c) = cosf(x))
static inline float __fdividef(float a, float b)
{
    return a / b;
}
static inline int __popc(unsigned v)
{
    return __builtin_popcount(v);
}
static inline int __clz(unsigned v)
{
    return v ? __builtin_clz(v) : 32;
}
static inline int __ffs(unsigned v)
{
    return __builtin_ffs(v);
}
static inline unsigned __brev(unsigned v)
{
    unsigned r = 0;
    for (int i = 0; i < 32; i++)
        r |= (v >> i & 1) << (31 - i);
    return r;
}
static inline unsigned __umulhi(unsigned a, unsigned b)
{
    return (unsigned)((unsigned long long)a * b >> 32);
}
static inline int __float_as_int(float f)
{
    int i;
    memcpy(&i, &f, 4);
    return i;
}
static inline float __int_as_float(int i)
{
    float f;
    memcpy(&f, &i, 4);
    return f;
}
static inline int __float2int_rn(float f)
{
    return (int)rintf(f);
}
/* CUDA Math API, "Integer Intrinsics": the least significant 32 bits of the product of the least
 * significant 24 bits; the high order 8 bits of both are ignored. Of __mul24 the 24 bits are
 * signed. */
static inline unsigned __umul24(unsigned a, unsigned b)
{
    return (a & 0xffffffu) * (b & 0xffffffu);
}
static inline int __mul24(int a, int b)
{
    int x = (a & 0x7fffff) - (a & 0x800000), y = (b & 0x7fffff) - (b & 0x800000);
    return (int)(unsigned)((unsigned long long)x * (unsigned long long)y);
}
template <class T> static inline T __ldg(const T *p)
{
    return *p;
}
template <class T> static inline T __ldcs(const T *p)
{
    return *p;
}
template <class T> static inline void __stcs(T *p, T v)
{
    *p = v;
}

/* What the runtime offers. `op`: see runtime.cpp. */
void bw_block_barrier();
void bw_warp_barrier(unsigned mask);
int bw_lane();
void *bw_slot(int lane); /* 16 bytes of exchange space of a lane of this warp */
void bw_launch(dim3 grid, dim3 block, size_t dynamic, const char *kernel,
               const std::function<void()> &body);
void *bw_global_memory(const char *name, bool *fresh);
unsigned long long bw_draw(unsigned long long n);
void bw_enter_loop();
void bw_next_iteration();
void bw_leave_loop();
struct bw_loop {
    BW_QUIET bw_loop()
    {
        bw_enter_loop();
    }
    BW_QUIET ~bw_loop()
    {
        bw_leave_loop();
    }
    BW_QUIET bool next()
    {
        bw_next_iteration();
        return true;
    }
};
void *bw_dynamic_shared();
void *bw_shared_base();

static inline void __syncthreads()
{
    bw_block_barrier();
}
static inline void __syncwarp(unsigned mask = ~0u)
{
    bw_warp_barrier(mask);
}
static inline void __threadfence()
{
}
static inline void __threadfence_block()
{
}

template <class T> BW_QUIET T bw_shuffle(unsigned mask, T v, int from)
{
    *(T *)bw_slot(bw_lane()) = v;
    bw_warp_barrier(mask);
    T r = *(T *)bw_slot(from & 31);
    bw_warp_barrier(mask);
    return r;
}
template <class T> T __shfl_sync(unsigned m, T v, int src, int w = 32)
{
    return bw_shuffle(m, v, (bw_lane() & ~(w - 1)) + (src & (w - 1)));
}
template <class T> T __shfl_down_sync(unsigned m, T v, unsigned d, int w = 32)
{
    int l = bw_lane();
    return bw_shuffle(m, v, (int)((l & (w - 1)) + d) < w ? l + (int)d : l);
}
template <class T> T __shfl_up_sync(unsigned m, T v, unsigned d, int w = 32)
{
    int l = bw_lane();
    return bw_shuffle(m, v, (l & (w - 1)) >= (int)d ? l - (int)d : l);
}
template <class T> T __shfl_xor_sync(unsigned m, T v, int x, int w = 32)
{
    (void)w;
    return bw_shuffle(m, v, bw_lane() ^ x);
}
static inline unsigned __ballot_sync(unsigned m, int p)
{
    unsigned r = 0;
    for (int i = 0; i < 32; i++)
        r |= (unsigned)!!__shfl_sync(m, p, i) << i;
    return r;
}

static inline int __any_sync(unsigned m, int p)
{
    return __ballot_sync(m, p) != 0;
}
static inline int __all_sync(unsigned m, int p)
{
    return __ballot_sync(m, !p) == 0;
}
static inline int __reduce_add_sync(unsigned m, int v)
{
    for (int x = 16; x; x /= 2)
        v += __shfl_xor_sync(m, v, x);
    return v;
}

/* Atomics: named as in the contract; the unused-result literal-1 add is rewritten by verify.py. */
template <class T> const char *bw_loop_or(const char *native)
{
    return sizeof(T) == 8 || T(0.5) != T(0) ? "loop" : native;
}
template <class T, class U> BW_QUIET T atomicAdd(T *p, U v)
{
    bw_log(BW_PC, bw_loop_or<T>("atomic"), p, sizeof(T));
    T o = *p;
    *p = (T)(o + v);
    return o;
}
template <class T, class U> BW_QUIET T atomicSub(T *p, U v)
{
    bw_log(BW_PC, bw_loop_or<T>("atomic"), p, sizeof(T));
    T o = *p;
    *p = (T)(o - v);
    return o;
}
template <class T, class U> BW_QUIET T bw_count(T *p, U v)
{
    bw_log(BW_PC, "count", p, sizeof(T));
    T o = *p;
    *p = (T)(o + v);
    return o;
}
template <class T, class U> BW_QUIET T atomicMax(T *p, U v)
{
    bw_log(BW_PC, bw_loop_or<T>("atomic"), p, sizeof(T));
    T o = *p;
    if ((T)v > o)
        *p = (T)v;
    return o;
}
template <class T, class U> BW_QUIET T atomicMin(T *p, U v)
{
    bw_log(BW_PC, bw_loop_or<T>("atomic"), p, sizeof(T));
    T o = *p;
    if ((T)v < o)
        *p = (T)v;
    return o;
}
template <class T, class U> BW_QUIET T atomicOr(T *p, U v)
{
    bw_log(BW_PC, bw_loop_or<T>("atomic"), p, sizeof(T));
    T o = *p;
    *p = o | (T)v;
    return o;
}
template <class T, class U> BW_QUIET T atomicExch(T *p, U v)
{
    bw_log(BW_PC, "atomic", p, sizeof(T));
    T o = *p;
    *p = (T)v;
    return o;
}
template <class T, class U, class V> BW_QUIET T atomicCAS(T *p, U c, V v)
{
    bw_log(BW_PC, "cas", p, sizeof(T));
    T o = *p;
    if (o == (T)c)
        *p = (T)v;
    return o;
}

/* Matrix and asynchronous copies, as functions. asm lines are rewritten to these by verify.py. */
BW_QUIET static void bw_ldmatrix(int n, uintptr_t a)
{
    bw_log(BW_PC,
           n == 1   ? "matrix1"
           : n == 2 ? "matrix2"
                    : "matrix4",
           (char *)bw_shared_base() + a, 16);
}
BW_QUIET static void bw_cp_async(uintptr_t dst, int bytes)
{
    bw_log(BW_PC, "async", (char *)bw_shared_base() + dst, (unsigned)bytes);
}
BW_QUIET static void __pipeline_memcpy_async(void *dst, const void *src, size_t n)
{
    (void)src;
    bw_log(BW_PC, "async", dst, (unsigned)n);
}
#define __pipeline_commit()
#define __pipeline_wait_prior(n)
#define BW_NOTHING(...)
BW_QUIET static void bw_matrix_function(const char *op, const void *p)
{
    bw_log(BW_PC, op, p, 16);
}
#define __ldmatrix_x1(p) bw_matrix_function("matrix1", p)
#define __ldmatrix_x2(p) bw_matrix_function("matrix2", p)
#define __ldmatrix_x4(p) bw_matrix_function("matrix4", p)
#define __ldmatrix_x1_trans(p) bw_matrix_function("matrix1", p)
#define __ldmatrix_x2_trans(p) bw_matrix_function("matrix2", p)
#define __ldmatrix_x4_trans(p) bw_matrix_function("matrix4", p)
#define __stmatrix_x1(p) bw_matrix_function("matrix1", p)
#define __stmatrix_x2(p) bw_matrix_function("matrix2", p)
#define __stmatrix_x4(p) bw_matrix_function("matrix4", p)
static inline size_t __cvta_generic_to_shared(const void *p)
{
    return (size_t)((const char *)p - (const char *)bw_shared_base());
}

/* CuTe's Swizzle<B, M, S>: bits [M+S, M+S+B) are XORed into bits [M, M+B). */
template <int B, int M, int S> static inline unsigned swizzle(unsigned o)
{
    return o ^ ((o >> S) & (((1u << B) - 1) << M));
}
static inline unsigned tma_swizzle_32B(unsigned o)
{
    return swizzle<1, 4, 3>(o);
}
static inline unsigned tma_swizzle_64B(unsigned o)
{
    return swizzle<2, 4, 3>(o);
}
static inline unsigned tma_swizzle_128B(unsigned o)
{
    return swizzle<3, 4, 3>(o);
}
static inline int bw_random(unsigned long long n)
{
    return (int)bw_draw(n);
}
int bw_zipf(int n, double s);

/* A pointer argument of a launch: memory made on first use, filled by the file's assume line. */
struct bw_global {
    const char *name;
    std::function<double(long long)> fill;
    template <class T> BW_QUIET operator T *() const
    {
        bool fresh;
        typedef typename std::remove_const<T>::type U;
        U *p = (U *)bw_global_memory(name, &fresh);
        if constexpr (std::is_constructible<U, double>::value)
            for (long long i = 0; fresh && fill && i < (1 << 20); i++)
                p[i] = (U)fill(i);
        return p;
    }
};

/* Cooperative groups: the block and its warps. */
namespace cooperative_groups
{
struct thread_block {
    void sync() const
    {
        bw_block_barrier();
    }
    unsigned thread_rank() const
    {
        return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    }
    unsigned size() const
    {
        return blockDim.x * blockDim.y * blockDim.z;
    }
    unsigned num_threads() const
    {
        return size();
    }
};
typedef thread_block thread_group; /* the stock files pass only blocks */
inline thread_block this_thread_block()
{
    return thread_block();
}
inline void sync(const thread_block &b)
{
    b.sync();
}
template <unsigned N> struct thread_block_tile {
    void sync() const
    {
        bw_warp_barrier(~0u);
    }
    unsigned thread_rank() const
    {
        return (unsigned)bw_lane() % N;
    }
    unsigned size() const
    {
        return N;
    }
    unsigned num_threads() const
    {
        return N;
    }
    unsigned meta_group_rank() const
    {
        return thread_block().thread_rank() / N;
    }
    unsigned meta_group_size() const
    {
        return thread_block().size() / N;
    }
    template <class T> T shfl_down(T v, unsigned d) const
    {
        return __shfl_down_sync(~0u, v, d, N);
    }
    template <class T> T shfl_xor(T v, unsigned d) const
    {
        return __shfl_xor_sync(~0u, v, (int)d, N);
    }
};
template <unsigned N> thread_block_tile<N> tiled_partition(const thread_block &)
{
    return thread_block_tile<N>();
}
} // namespace cooperative_groups
