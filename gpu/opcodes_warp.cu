/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Opcodes: what the lanes of a warp do together, what a warp does once for all its lanes, and
 * memory: shared, local, constant, generic; atomics; matrices of 8 by 8.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "opcodes.cuh"

#define ALL 0xffffffffu

/* -- shuffles, votes, matches, reductions: all lanes ------------------------------------------- */

/* The value, and whether the source lane was in range: that bit turns the value over. */
#define SHUFFLE(NAME, MODE)                                                                        \
    static __device__ __forceinline__ uint32_t NAME(uint32_t a, uint32_t b, uint32_t c)            \
    {                                                                                              \
        uint32_t r;                                                                                \
        asm volatile("{ .reg .pred p; shfl.sync." MODE ".b32 %0|p, %1, %2, %3, 0xffffffff;"        \
                     " @!p not.b32 %0, %0; }"                                                      \
                     : "=&r"(r)                                                                    \
                     : "r"(a), "r"(b), "r"(c));                                                    \
        return r;                                                                                  \
    }
SHUFFLE(shfl_idx, "idx")
SHUFFLE(shfl_up, "up")
SHUFFLE(shfl_down, "down")
SHUFFLE(shfl_bfly, "bfly")

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define REDUCE(NAME, TYPE, ...)                                                                    \
    static __device__ __forceinline__ TYPE reduce_##NAME(TYPE x)                                   \
    {                                                                                              \
        return __reduce_##NAME##_sync(ALL, x);                                                     \
    }
#else
#define REDUCE(NAME, TYPE, ...)                                                                    \
    static __device__ __forceinline__ TYPE reduce_##NAME(TYPE x)                                   \
    {                                                                                              \
        for (int step = 16; step; step /= 2) {                                                     \
            const TYPE y = __shfl_xor_sync(ALL, x, step);                                          \
            x = __VA_ARGS__;                                                                       \
        }                                                                                          \
        return x;                                                                                  \
    }
#endif
REDUCE(add, uint32_t, x + y)
REDUCE(and, uint32_t, x &y)
REDUCE(or, uint32_t, x | y)
REDUCE(xor, uint32_t, x ^ y)
REDUCE(min, int32_t, min(x, y))
REDUCE(max, int32_t, max(x, y))
static __device__ __forceinline__ uint32_t reduce_umin(uint32_t x)
{
    return (uint32_t)reduce_min((int32_t)(x ^ 0x80000000)) ^ 0x80000000;
}

static __device__ __forceinline__ uint32_t match_all(uint32_t x)
{
    int same;
    const uint32_t lanes = __match_all_sync(ALL, x, &same);
    return lanes ^ (uint32_t)same;
}

static __device__ __forceinline__ uint32_t lane_masks()
{
    uint32_t eq, lt, le, gt, ge;
    asm("mov.u32 %0, %%lanemask_eq; mov.u32 %1, %%lanemask_lt; mov.u32 %2, %%lanemask_le;"
        "mov.u32 %3, %%lanemask_gt; mov.u32 %4, %%lanemask_ge;"
        : "=r"(eq), "=r"(lt), "=r"(le), "=r"(gt), "=r"(ge));
    return eq * 3 + lt * 5 + le * 7 + gt * 11 + ge * 13;
}

static __device__ __forceinline__ uint32_t lane_id()
{
    uint32_t r;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(r));
    return r;
}

#define TOGETHER(X, X2)                                                                            \
    X(__shfl_xor_sync(ALL, a, 1))                                                                  \
    X(__shfl_xor_sync(ALL, a, 21))                                                                 \
    X(__shfl_xor_sync(ALL, a, 5, 8))                                                               \
    X(__shfl_up_sync(ALL, a, 3))                                                                   \
    X(__shfl_up_sync(ALL, a, 2, 4))                                                                \
    X(__shfl_down_sync(ALL, a, 7, 16))                                                             \
    X(__shfl_down_sync(ALL, a, 1, 2))                                                              \
    X(__shfl_sync(ALL, a, b & 31, 8))                                                              \
    X(__shfl_sync(ALL, a, b))                                                                      \
    X(__shfl_sync(ALL, a, 0))                                                                      \
    X(__shfl_sync(ALL, a, (b >> 8) & 31))                                                          \
    X(shfl_idx(a, b, c))                                                                           \
    X(shfl_up(a, b, c))                                                                            \
    X(shfl_down(a, b, c))                                                                          \
    X(shfl_bfly(a, b, c))                                                                          \
    X(shfl_idx(a, b, 0x1f))                                                                        \
    X(shfl_up(a, b, 0x1800))                                                                       \
    X(shfl_down(a, b, 0x181f))                                                                     \
    X(shfl_bfly(a, b, 0x1c03))                                                                     \
    X2(__shfl_xor_sync(ALL, (uint64_t)a << 32 | b, 9))                                             \
    X(__ballot_sync(ALL, a & 1))                                                                   \
    X(__ballot_sync(ALL, sa < sb))                                                                 \
    X(__any_sync(ALL, (a & 63) == 0))                                                              \
    X(__all_sync(ALL, a != 0))                                                                     \
    X(__any_sync(ALL, a == b) * 2 + __all_sync(ALL, a >= 1))                                       \
    X(__popc(__ballot_sync(ALL, sb > 0) & lane_masks()))                                           \
    X(__activemask())                                                                              \
    X(lane_masks())                                                                                \
    X(lane_id())                                                                                   \
    X(__match_any_sync(ALL, a & 7))                                                                \
    X(__match_any_sync(ALL, a))                                                                    \
    X(__match_any_sync(ALL, (uint64_t)(a & 3) << 40 | (b & 1)))                                    \
    X(match_all(a >> 31))                                                                          \
    X(match_all(a & 0))                                                                            \
    X(reduce_add(a))                                                                               \
    X(reduce_and(a | 0xff00ff00))                                                                  \
    X(reduce_or(a & 0x1010101))                                                                    \
    X(reduce_xor(a))                                                                               \
    X(reduce_min(sa))                                                                              \
    X(reduce_max(sa))                                                                              \
    X(reduce_umin(a))                                                                              \
    X(reduce_add(a & 1) + b)                                                                       \
    X(__shfl_sync(ALL, a, __ffs(__ballot_sync(ALL, b & 1) | 1u << 31) - 1))                        \
    X(threadIdx.x + blockDim.x * 3 + gridDim.x * 5 + blockIdx.x * 7)                               \
    X(threadIdx.y + blockDim.y * 3 + gridDim.z * 5 + blockIdx.z * 7)

BW_OPCODES_32(together, TOGETHER, )

/* -- some of the lanes: masks that depend on data ---------------------------------------------- */

enum { SUBSET_SLOTS = 8 };
extern "C" __global__ void __launch_bounds__(128)
    op_subsets(const uint32_t *pa, const uint32_t *pb, const uint32_t *pc, uint32_t *out)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    const uint32_t a = pa[i], b = pb[i], c = pc[i];
    uint32_t *to = out + i * SUBSET_SLOTS;
    for (int k = 0; k < SUBSET_SLOTS; k++)
        to[k] = 0;
    const uint32_t odd = __ballot_sync(ALL, a & 1);
    if (a & 1) {
        const uint32_t from = __fns(odd, 0, 1 + (int)(b % __popc(odd)));
        to[0] = __shfl_sync(odd, c, (int)from);
        to[1] = __ballot_sync(odd, b & 4);
        to[2] = __match_any_sync(odd, b & 3);
    } else {
        to[0] = __any_sync(~odd, (b & 15) == 0) + 100;
        to[1] = __activemask() & ~odd ? 5 : 6;
        __syncwarp(~odd);
        to[2] = __all_sync(~odd, b != 0) + 200;
    }
    __syncwarp();
    /* Groups of equal keys count themselves and add up their values, one after the other. */
    const uint32_t peers = __match_any_sync(ALL, b & 7);
    uint32_t sum = 0;
    for (uint32_t rest = peers; rest; rest &= rest - 1)
        sum += __shfl_sync(peers, c, __ffs((int)rest) - 1);
    to[3] = sum;
    to[4] = __popc(peers);
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    to[5] = __reduce_add_sync(peers, c & 0xffff);
    to[6] = (uint32_t)__reduce_max_sync(peers, (int)a);
#else
    int most = INT32_MIN;
    sum = 0;
    for (uint32_t rest = peers; rest; rest &= rest - 1) {
        sum += __shfl_sync(peers, c & 0xffff, __ffs((int)rest) - 1);
        most = max(most, (int)__shfl_sync(peers, a, __ffs((int)rest) - 1));
    }
    to[5] = sum;
    to[6] = (uint32_t)most;
#endif
    /* Halves by turns. */
    if (threadIdx.x & 16)
        to[7] = __shfl_xor_sync(0xffff0000, a, 3);
    else
        to[7] = __shfl_up_sync(0x0000ffff, b, 2);
}

/* -- once for a warp: everything here depends on the block alone ------------------------------- */

enum { UNIFORM_SLOTS = 40 };
extern "C" __global__ void __launch_bounds__(128)
    op_uniform(const uint32_t *pa, const uint32_t *, const uint32_t *, uint32_t *out)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    const uint32_t p = (blockIdx.x + 1) * 0x9e3779b9u, q = (p >> 7) * 0x85ebca6bu + gridDim.x,
                   r = p ^ q * 5;
    const int32_t sp = (int32_t)p, sq = (int32_t)q, sr = (int32_t)r;
    const uint64_t P = (uint64_t)p << 32 | q, Q = (uint64_t)r * q, R = P ^ Q << 9;
    const uint32_t x = pa[i] & 0xff; /* so that lanes differ */
    uint32_t *to = out + i * UNIFORM_SLOTS, k = 0;
    to[k++] = (p + q - r) ^ x;
    to[k++] = (p * q + r) ^ x;
    to[k++] = __umulhi(p, q) ^ x;
    to[k++] = (uint32_t)__mulhi(sp, sq) ^ x;
    to[k++] = ((p << 5) + q) ^ x;
    to[k++] = (p << (q & 31)) ^ x;
    to[k++] = (p >> (q & 31)) ^ x;
    to[k++] = (uint32_t)(sp >> (q & 31)) ^ x;
    to[k++] = __funnelshift_l(p, q, r) ^ x;
    to[k++] = __funnelshift_rc(p, q, r & 63) ^ x;
    to[k++] = ((p & q) | (~p & r)) ^ x;
    to[k++] = __byte_perm(p, q, 0x5270) ^ x;
    to[k++] = (uint32_t)__popc(p) ^ x;
    to[k++] = (uint32_t)__clz(sp >> (q & 15)) ^ x;
    to[k++] = __brev(q) ^ x;
    to[k++] = (sp < sq ? r : p) ^ x;
    to[k++] = ((p > q && sr > 0) || sp < 0 ? q : r) ^ x;
    to[k++] = (uint32_t)min(sp, sq) ^ x;
    to[k++] = max(p, q) ^ x;
    to[k++] = (uint32_t)abs(sr) ^ x;
    to[k++] = (uint32_t)(P + Q) ^ x;
    to[k++] = (uint32_t)((P - Q) >> 32) ^ x;
    to[k++] = (uint32_t)((P * R) >> 32) ^ x;
    to[k++] = (uint32_t)(P << (r & 63) >> 32) ^ x;
    to[k++] = (uint32_t)((int64_t)Q >> (p & 63)) ^ x;
    to[k++] = (P < Q ? p : r) ^ x;
    to[k++] = ((int64_t)R < (int64_t)Q ? p : r) ^ x;
    to[k++] = (uint32_t)(P + ((uint64_t)p << 3)) ^ x;
    to[k++] = p / (q >> 12 | 1) ^ x;
    to[k++] = (uint32_t)(sp % (sq >> 8 | 1)) ^ x;
    to[k++] = __float_as_uint((float)sp * 0.5f + 3.0f) ^ x;
    to[k++] = (uint32_t)(int32_t)((float)q * 0.001f) ^ x;
    to[k++] = (uint32_t)(int8_t)p ^ x;
    to[k++] = (uint32_t)(int16_t)(q >> 8) ^ x;
    to[k++] = (p >> 9 & 0x7ff) ^ x;
    to[k++] = (p & 1 ? x : ~x);
    to[k++] = x + (sp > sq) + 2 * (sq > sr);
    uint32_t turns = 0;
    for (uint32_t w = p >> 27; w; w = w * 3 % 31 - 1) {
        turns += w;
        if (turns > 200)
            break;
    }
    to[k++] = turns ^ x;
    if (r & 1)
        __syncthreads();
    to[k++] = (uint32_t)__dp4a(sp, sq, sr) ^ x;
    to[k++] = k;
}

/* -- memory ------------------------------------------------------------------------------------ */

enum { BYTE_SLOTS = 10 };
extern "C" __global__ void __launch_bounds__(128)
    op_bytes(const uint32_t *pa, const uint32_t *pb, const uint32_t *pc, uint32_t *out)
{
    __shared__ __align__(16) unsigned char s[2048];
    const uint32_t t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    const uint32_t a = pa[i], b = pb[i], c = pc[i];
    uint32_t *to = out + i * BYTE_SLOTS;
    *(uint4 *)(s + 16 * t) = make_uint4(a, b, c, a ^ b);
    __syncthreads();
    to[0] = s[a % 2048];
    to[1] = (uint32_t)(int32_t)(signed char)s[b % 2048];
    to[2] = *(uint16_t *)(s + b % 1024 * 2);
    to[3] = (uint32_t)(int32_t) * (int16_t *)(s + c % 1024 * 2);
    to[4] = *(uint32_t *)(s + c % 512 * 4);
    const uint2 two = *(uint2 *)(s + a % 256 * 8);
    to[5] = two.x ^ two.y << 1;
    const uint4 four = *(uint4 *)(s + b % 128 * 16);
    to[6] = four.x ^ four.y << 1 ^ four.z << 2 ^ four.w << 3;
    __syncthreads();
    /* Each thread its own 16 bytes, by parts. */
    s[16 * t + 1] = (unsigned char)b;
    *(uint16_t *)(s + 16 * t + 6) = (uint16_t)c;
    s[16 * t + 15] = (unsigned char)(a >> 24);
    *(uint32_t *)(s + 16 * t + 8) += 0x01010101;
    if (c & 1)
        *(uint64_t *)(s + 16 * t) = (uint64_t)b << 32 | a;
    __syncthreads();
    to[7] = *(uint32_t *)(s + 16 * (t ^ 1));
    to[8] = *(uint32_t *)(s + 16 * (t ^ 5) + 4);
    to[9] = *(uint32_t *)(s + 16 * (127 - t) + 12);
}

__constant__ uint32_t op_table[64] = {
    3,   1,   4,   1,   5,   9,   2,   6,   5,   3,   5,   8,   9,   7,   9,   3,
    2,   3,   8,   4,   6,   2,   6,   4,   3,   3,   8,   3,   2,   7,   9,   5,
    100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115,
    200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215};

/* Local memory by a computed index, a table in constant memory, and pointers of which the compiler
 * does not know whether they are shared, local or global. */
enum { PLACE_SLOTS = 6 };
extern "C" __global__ void __launch_bounds__(128)
    op_places(const uint32_t *pa, const uint32_t *pb, const uint32_t *pc, uint32_t *out)
{
    __shared__ uint32_t s[128];
    uint32_t local[24];
    unsigned char bytes[40];
    const uint32_t t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    const uint32_t a = pa[i], b = pb[i], c = pc[i];
    uint32_t *to = out + i * PLACE_SLOTS;
    s[t] = c;
    for (uint32_t k = 0; k < 24; k++)
        local[k] = a * k + (b >> k);
    for (uint32_t k = 0; k < 40; k++)
        bytes[k] = (unsigned char)(c >> (k & 15));
    for (uint32_t k = 0; k < (c & 7); k++) {
        local[(a + k * b) % 24] ^= local[(b + k) % 24] + 1;
        bytes[(a >> k) % 40] += bytes[(b >> k) % 40];
    }
    __syncthreads();
    to[0] = local[c % 24];
    to[1] = bytes[a % 40] << 8 | bytes[(a ^ b) % 40];
    to[2] = op_table[a & 63] + op_table[b >> 26];
    const uint32_t *from = a & 1 ? s + (b & 127) : a & 2 ? pb + (c & 511) : local + (b % 24);
    to[3] = *from;
    uint32_t *into = b & 1 ? s + t : local + (a % 24);
    __syncthreads();
    *into = a ^ c;
    if (c & 2)
        atomicAdd(b & 1 ? s + t : to + 5, 0u);
    __syncthreads();
    to[4] = s[t ^ 3] ^ local[a % 24];
    to[5] = op_table[blockIdx.x & 63] ^ s[127 - t];
}

/* Atomics whose result does not depend on the order of lanes. */
enum { ATOMIC_SLOTS = 6 };
extern "C" __global__ void __launch_bounds__(128)
    op_atomics(const uint32_t *pa, const uint32_t *pb, const uint32_t *pc, uint32_t *out)
{
    __shared__ uint32_t s[256];
    __shared__ unsigned long long w[128];
    __shared__ float f[32];
    __shared__ double d[16];
    const uint32_t t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    const uint32_t a = pa[i], b = pb[i], c = pc[i];
    uint32_t *to = out + i * ATOMIC_SLOTS;
    s[t] = s[t + 128] = 0x1000;
    w[t] = 0x100000000ull;
    if (t < 32)
        f[t] = 0;
    if (t < 16)
        d[t] = 0;
    __syncthreads();
    atomicAdd(&s[a & 31], 1);
    atomicAdd(&s[a >> 5 & 31], b);
    atomicSub(&s[b & 31], c);
    atomicMin(&s[32 + (a & 15)], b);
    atomicMax(&s[48 + (b & 15)], c);
    atomicMin((int *)&s[64 + (a & 15)], (int)c);
    atomicMax((int *)&s[80 + (b & 15)], (int)a);
    atomicAnd(&s[96 + (c & 15)], a | 0xf0f0f0f0);
    atomicOr(&s[112 + (a & 15)], b & 0x0f0f0f0f);
    atomicXor(&s[128 + (b & 15)], c);
    atomicInc(&s[144 + (c & 15)], 0x1010);
    atomicDec(&s[160 + (a & 15)], 0x1010);
    atomicAdd(&w[a & 7], (unsigned long long)b << 16 | c);
    atomicMax(&w[8 + (b & 7)], (unsigned long long)a << 32 | b);
    atomicXor(&w[16 + (c & 7)], (unsigned long long)c << 32 | a);
    atomicAdd(&f[a & 31], 1.0f);
    atomicAdd(&d[b & 15], (double)(int)(c & 0xff));
    /* Each thread its own word: here the old value is certain too. */
    const uint32_t own = 176 + (t & 63);
    uint32_t old = 0;
    if (t < 64) {
        old = atomicExch(&s[own], a);
        old += atomicCAS(&s[own], c & 1 ? a : b, c) * 3;
        old ^= atomicAdd(&s[own], b) * 5;
        old += (uint32_t)(atomicCAS(&w[64 + t], b & 1 ? 0x100000000ull : 7,
                                    (unsigned long long)b << 9) >>
                          32);
        old += (uint32_t)atomicExch(&w[64 + t], (unsigned long long)a << 20);
    }
    __syncthreads();
    to[0] = s[t];
    to[1] = s[t + 128];
    to[2] = (uint32_t)w[t] ^ (uint32_t)(w[t] >> 32) * 3;
    to[3] = (uint32_t)f[t & 31];
    to[4] = (uint32_t)d[t & 15];
    to[5] = old;
}

/* Atomics whose old values depend on the order of lanes: one warp, so that the card's order within
 * a request shows. */
enum { ORDER_SLOTS = 7 };
extern "C" __global__ void __launch_bounds__(32)
    op_order(const uint32_t *pa, const uint32_t *pb, const uint32_t *pc, uint32_t *out)
{
    __shared__ uint32_t s[128];
    __shared__ unsigned long long w[32];
    const uint32_t t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    const uint32_t a = pa[i], b = pb[i], c = pc[i];
    uint32_t *to = out + i * ORDER_SLOTS;
    for (uint32_t k = t; k < 128; k += 32)
        s[k] = k;
    w[t] = t;
    __syncwarp();
    to[0] = atomicAdd(&s[a & 7], 1);
    to[1] = atomicAdd(&s[b & 15], c);
    to[2] = atomicExch(&s[16 + (c & 3)], a);
    to[3] = atomicCAS(&s[32 + (a & 1)], 32 + (b & 1), c);
    to[4] = atomicMax(&s[48 + (b & 7)], c);
    to[5] = (uint32_t)atomicExch(&w[a & 15], (unsigned long long)t << 32 | b);
    __syncwarp();
    s[64 + (c & 15)] = t;
    __syncwarp();
    to[6] = s[64 + (t & 15)] ^ s[t & 63] * 3;
}

/* -- matrices of 8 by 8 halves ----------------------------------------------------------------- */

static __device__ __forceinline__ uint32_t address_of(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

enum { MATRIX_SLOTS = 12 };
extern "C" __global__ void __launch_bounds__(32)
    op_matrices(const uint32_t *pa, const uint32_t *pb, const uint32_t *pc, uint32_t *out)
{
    __shared__ __align__(16) uint32_t s[4 * 64];
    const uint32_t t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    const uint32_t a = pa[i], b = pb[i], c = pc[i];
    uint32_t *to = out + i * MATRIX_SLOTS, r[4];
    for (uint32_t k = 0; k < 8; k++)
        s[k * 32 + t] = a * (k + 1) + (b >> k);
    __syncwarp();
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
                 : "=r"(to[0])
                 : "r"(address_of(s + (c & 63) * 4)));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(to[1]), "=r"(to[2])
                 : "r"(address_of(s + (c >> 6 & 63) * 4)));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(address_of(s + (c >> 12 & 63) * 4)));
    to[3] = r[0];
    to[4] = r[1];
    to[5] = r[2];
    to[6] = r[3];
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(to[7]) : "r"(a));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(address_of(s + (b >> 20 & 63) * 4)));
    to[8] = r[0];
    to[9] = r[1];
    to[10] = r[2];
    to[11] = r[3];
}

enum { STORED_SLOTS = 8 };
extern "C" __global__ void __launch_bounds__(32)
    op_stored_matrices(const uint32_t *pa, const uint32_t *pb, const uint32_t *pc, uint32_t *out)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    __shared__ __align__(16) uint32_t s[4 * 64];
    const uint32_t t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    const uint32_t a = pa[i], b = pb[i], c = pc[i];
    for (uint32_t k = 0; k < 8; k++)
        s[k * 32 + t] = 0;
    __syncwarp();
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                     address_of(s + (t ^ (blockIdx.x & 31)) * 4)),
                 "r"(a), "r"(b), "r"(c), "r"(a ^ b)
                 : "memory");
    asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(
                     address_of(s + 128 + (t * 5 & 31) * 4)),
                 "r"(c), "r"(a)
                 : "memory");
    __syncwarp();
    for (uint32_t k = 0; k < 8; k++)
        out[i * STORED_SLOTS + k] = s[k * 32 + t];
#endif
}

/* -- asynchronous copies and barriers in memory ------------------------------------------------ */

enum { COPIED_SLOTS = 6 };
extern "C" __global__ void __launch_bounds__(128)
    op_copies(const uint32_t *pa, const uint32_t *pb, const uint32_t *pc, uint32_t *out)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    __shared__ __align__(16) uint32_t s[1024];
    const uint32_t t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    const uint32_t a = pa[i], b = pb[i];
    const uint32_t base = blockIdx.x * blockDim.x;
    s[t] = s[t + 128] = 7;
    for (uint32_t k = 256 + t; k < 1024; k += 128)
        s[k] = 9;
    __syncthreads();
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(address_of(s + (t ^ 5))),
                 "l"(pc + base + (a & 127))
                 : "memory");
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(address_of(s + 256 + 2 * t)),
                 "l"(pc + base + (b & 63) * 2), "r"((a >> 8 & 1) * 8)
                 : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
    if (b & 1)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address_of(s + 512 + 4 * t)),
                     "l"(pa + base + (b >> 1 & 31) * 4)
                     : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    for (uint32_t k = 0; k < COPIED_SLOTS; k++)
        out[i * COPIED_SLOTS + k] = s[k * 160 + t];
#endif
}

static const char *const bw_slots_unnamed[40] = {};

#define ROW(NAME, GRID, BLOCK, SLOTS, LEAST)                                                       \
    {                                                                                              \
#NAME, (const void *)op_##NAME, BW_OPERANDS_32, GRID, BLOCK, LEAST, SLOTS,                 \
            bw_slots_unnamed                                                                       \
    }
const bw_opcodes bw_opcodes_warp[] = {
    BW_OPCODES_ROW(together, BW_OPERANDS_32),
    ROW(subsets, 8, 128, SUBSET_SLOTS, 75),
    ROW(uniform, 64, 32, UNIFORM_SLOTS, 75),
    ROW(bytes, 8, 128, BYTE_SLOTS, 75),
    ROW(places, 8, 128, PLACE_SLOTS, 75),
    ROW(atomics, 8, 128, ATOMIC_SLOTS, 75),
    ROW(order, 32, 32, ORDER_SLOTS, 75),
    ROW(matrices, 32, 32, MATRIX_SLOTS, 75),
    ROW(stored_matrices, 32, 32, STORED_SLOTS, 90),
    ROW(copies, 8, 128, COPIED_SLOTS, 80),
};
const unsigned bw_opcodes_warp_count = sizeof bw_opcodes_warp / sizeof *bw_opcodes_warp;
