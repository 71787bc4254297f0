/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Opcodes: float, double, half precision, and conversions between them and integers.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "opcodes.cuh"

#define BITS(x) __float_as_uint(x)

/* float NAME(float …), one PTX instruction each. */
#define FLOAT1(NAME, INSTRUCTION)                                                                  \
    static __device__ __forceinline__ uint32_t NAME(float x)                                       \
    {                                                                                              \
        float r;                                                                                   \
        asm(INSTRUCTION " %0, %1;" : "=f"(r) : "f"(x));                                            \
        return BITS(r);                                                                            \
    }
#define FLOAT2(NAME, INSTRUCTION)                                                                  \
    static __device__ __forceinline__ uint32_t NAME(float x, float y)                              \
    {                                                                                              \
        float r;                                                                                   \
        asm(INSTRUCTION " %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));                                \
        return BITS(r);                                                                            \
    }
#define FLOAT3(NAME, INSTRUCTION)                                                                  \
    static __device__ __forceinline__ uint32_t NAME(float x, float y, float z)                     \
    {                                                                                              \
        float r;                                                                                   \
        asm(INSTRUCTION " %0, %1, %2, %3;" : "=f"(r) : "f"(x), "f"(y), "f"(z));                    \
        return BITS(r);                                                                            \
    }

/* -- float ------------------------------------------------------------------------------------- */

FLOAT2(add_rn, "add.rn.f32")
FLOAT2(add_rz, "add.rz.f32")
FLOAT2(add_rm, "add.rm.f32")
FLOAT2(add_rp, "add.rp.f32")
FLOAT2(add_ftz, "add.rn.ftz.f32")
FLOAT2(add_sat, "add.rn.sat.f32")
FLOAT2(sub_ftz_sat, "sub.rn.ftz.sat.f32")
FLOAT2(mul_rn, "mul.rn.f32")
FLOAT2(mul_rz, "mul.rz.f32")
FLOAT2(mul_rm, "mul.rm.f32")
FLOAT2(mul_rp, "mul.rp.f32")
FLOAT2(mul_ftz, "mul.rn.ftz.f32")
FLOAT2(mul_sat, "mul.rn.sat.f32")
FLOAT3(fma_rn, "fma.rn.f32")
FLOAT3(fma_rz, "fma.rz.f32")
FLOAT3(fma_rm, "fma.rm.f32")
FLOAT3(fma_rp, "fma.rp.f32")
FLOAT3(fma_ftz, "fma.rn.ftz.f32")
FLOAT3(fma_sat, "fma.rn.sat.f32")
FLOAT2(min_f32, "min.f32")
FLOAT2(max_f32, "max.f32")
FLOAT2(min_ftz, "min.ftz.f32")
FLOAT1(abs_ftz, "abs.ftz.f32")
FLOAT1(neg_f32, "neg.f32")
FLOAT2(copysign_f32, "copysign.f32")
FLOAT1(rni, "cvt.rni.f32.f32")
FLOAT1(rzi, "cvt.rzi.f32.f32")
FLOAT1(rmi, "cvt.rmi.f32.f32")
FLOAT1(rpi, "cvt.rpi.f32.f32")
FLOAT1(rni_ftz, "cvt.rni.ftz.f32.f32")
FLOAT1(sat_f32, "cvt.sat.f32.f32")

/* The newer ones are written out for sm_75. */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
FLOAT2(min_nan, "min.NaN.f32")
FLOAT2(max_nan, "max.NaN.f32")
#else
static __device__ __forceinline__ uint32_t min_nan(float x, float y)
{
    return x != x || y != y ? 0x7fffffff : BITS(fminf(x, y));
}
static __device__ __forceinline__ uint32_t max_nan(float x, float y)
{
    return x != x || y != y ? 0x7fffffff : BITS(fmaxf(x, y));
}
#endif

/* Two floats at once where the card can. */
static __device__ __forceinline__ uint64_t fma_f32x2(float x, float y, float z)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000
    uint64_t r;
    asm("{ .reg .b64 p, q, s; mov.b64 p, {%1, %2}; mov.b64 q, {%2, %3}; mov.b64 s, {%3, %1};"
        "  fma.rn.f32x2 %0, p, q, s; }"
        : "=l"(r)
        : "f"(x), "f"(y), "f"(z));
    return r;
#else
    return (uint64_t)BITS(__fmaf_rn(y, z, x)) << 32 | BITS(__fmaf_rn(x, y, z));
#endif
}

static __device__ __forceinline__ uint64_t add_mul_f32x2(float x, float y, float z)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000
    uint64_t r;
    asm("{ .reg .b64 p, q, s; mov.b64 p, {%1, %2}; mov.b64 q, {%2, %3}; mov.b64 s, {%3, %1};"
        "  add.rz.ftz.f32x2 p, p, q; mul.rn.f32x2 %0, p, s; }"
        : "=l"(r)
        : "f"(x), "f"(y), "f"(z));
    return r;
#else
    float low, high;
    asm("add.rz.ftz.f32 %0, %1, %2;" : "=f"(low) : "f"(x), "f"(y));
    asm("add.rz.ftz.f32 %0, %1, %2;" : "=f"(high) : "f"(y), "f"(z));
    return (uint64_t)BITS(__fmul_rn(high, x)) << 32 | BITS(__fmul_rn(low, z));
#endif
}

static __device__ __forceinline__ uint32_t testp(float x)
{
    uint32_t r;
    asm("{ .reg .pred p; .reg .u32 t; mov.u32 %0, 0;"
        "  testp.finite.f32 p, %1; @p or.b32 %0, %0, 1; testp.infinite.f32 p, %1;"
        "  @p or.b32 %0, %0, 2; testp.number.f32 p, %1; @p or.b32 %0, %0, 4;"
        "  testp.normal.f32 p, %1; @p or.b32 %0, %0, 8; testp.subnormal.f32 p, %1;"
        "  @p or.b32 %0, %0, 16; }"
        : "=&r"(r)
        : "f"(x));
    return r;
}

/* All fourteen comparisons as bits, with or without flushing. */
#define COMPARE(BIT, NAME, TYPE) " setp." NAME "." TYPE " p, %1, %2; @p or.b32 %0, %0, " BIT ";"
#define COMPARISONS(TYPE)                                                                          \
    "{ .reg .pred p; mov.u32 %0, 0;" COMPARE("1", "eq", TYPE) COMPARE("2", "ne", TYPE)             \
        COMPARE("4", "lt", TYPE) COMPARE("8", "le", TYPE) COMPARE("16", "gt", TYPE)                \
            COMPARE("32", "ge", TYPE) COMPARE("64", "equ", TYPE) COMPARE("128", "neu", TYPE)       \
                COMPARE("256", "ltu", TYPE) COMPARE("512", "leu", TYPE)                            \
                    COMPARE("1024", "gtu", TYPE) COMPARE("2048", "geu", TYPE)                      \
                        COMPARE("4096", "num", TYPE) COMPARE("8192", "nan", TYPE) " }"

static __device__ __forceinline__ uint32_t compare_f32(float x, float y)
{
    uint32_t r;
    asm(COMPARISONS("f32") : "=&r"(r) : "f"(x), "f"(y));
    return r;
}

static __device__ __forceinline__ uint32_t compare_ftz(float x, float y)
{
    uint32_t r;
    asm(COMPARISONS("ftz.f32") : "=&r"(r) : "f"(x), "f"(y));
    return r;
}

/* A comparison joined with a predicate, and the result as a float. */
static __device__ __forceinline__ uint32_t set_f32(float x, float y, float z)
{
    uint32_t r;
    asm("{ .reg .pred p; setp.lt.f32 p, %3, %1; set.gtu.or.f32.f32 %0, %1, %2, p; }"
        : "=r"(r)
        : "f"(x), "f"(y), "f"(z));
    return r;
}

#define FLOATS(X, X2)                                                                              \
    X(add_rn(x, y))                                                                                \
    X(add_rz(x, y))                                                                                \
    X(add_rm(x, y))                                                                                \
    X(add_rp(x, y))                                                                                \
    X(add_ftz(x, y))                                                                               \
    X(add_sat(x, y))                                                                               \
    X(sub_ftz_sat(x, y))                                                                           \
    X(BITS(__fsub_rn(x, y)))                                                                       \
    X(BITS(__fadd_rn(fabsf(x), -fabsf(y))))                                                        \
    X(mul_rn(x, y))                                                                                \
    X(mul_rz(x, y))                                                                                \
    X(mul_rm(x, y))                                                                                \
    X(mul_rp(x, y))                                                                                \
    X(mul_ftz(x, y))                                                                               \
    X(mul_sat(x, y))                                                                               \
    X(BITS(__fmul_rn(x, 0.333333343f)))                                                            \
    X(fma_rn(x, y, z))                                                                             \
    X(fma_rz(x, y, z))                                                                             \
    X(fma_rm(x, y, z))                                                                             \
    X(fma_rp(x, y, z))                                                                             \
    X(fma_ftz(x, y, z))                                                                            \
    X(fma_sat(x, y, z))                                                                            \
    X(fma_rn(-x, y, -z))                                                                           \
    X(fma_rn(x, y, -__fmul_rn(x, y)))                                                              \
    X2(fma_f32x2(x, y, z))                                                                         \
    X2(add_mul_f32x2(x, y, z))                                                                     \
    X(min_f32(x, y))                                                                               \
    X(max_f32(x, y))                                                                               \
    X(min_ftz(x, y))                                                                               \
    X(min_nan(x, y))                                                                               \
    X(max_nan(x, y))                                                                               \
    X(BITS(fmaxf(fminf(x, y), z)))                                                                 \
    X(BITS(fmaxf(fmaxf(fabsf(x), y), z)))                                                          \
    X(abs_ftz(x))                                                                                  \
    X(neg_f32(x))                                                                                  \
    X(copysign_f32(x, y))                                                                          \
    X(rni(x))                                                                                      \
    X(rzi(x))                                                                                      \
    X(rmi(x))                                                                                      \
    X(rpi(x))                                                                                      \
    X(rni_ftz(x))                                                                                  \
    X(sat_f32(x))                                                                                  \
    X(testp(x))                                                                                    \
    X(compare_f32(x, y))                                                                           \
    X(compare_ftz(x, y))                                                                           \
    X(set_f32(x, y, z))                                                                            \
    X(x < y ? a : c)                                                                               \
    X(BITS(x < y ? z : -z))                                                                        \
    X((x < y && y < z) || !(z >= 1.0f) ? a : b)                                                    \
    X(BITS(__fdiv_rn(x, y)))                                                                       \
    X(BITS(__fdiv_rz(x, y)))                                                                       \
    X(BITS(__fsqrt_rn(x)))                                                                         \
    X(BITS(__frcp_rn(x)))

BW_OPCODES_32(floats, FLOATS, [[maybe_unused]] const float x = __uint_as_float(a),
              y = __uint_as_float(b), z = __uint_as_float(c);)

/* -- functions that the card approximates: their last bits are the card's own -------------------
 */

FLOAT1(rcp_approx, "rcp.approx.f32")
FLOAT1(rcp_ftz, "rcp.approx.ftz.f32")
FLOAT1(rsqrt_approx, "rsqrt.approx.f32")
FLOAT1(rsqrt_ftz, "rsqrt.approx.ftz.f32")
FLOAT1(sqrt_approx, "sqrt.approx.f32")
FLOAT1(ex2_approx, "ex2.approx.f32")
FLOAT1(ex2_ftz, "ex2.approx.ftz.f32")
FLOAT1(lg2_approx, "lg2.approx.f32")
FLOAT1(sin_approx, "sin.approx.f32")
FLOAT1(cos_approx, "cos.approx.f32")
FLOAT1(tanh_approx, "tanh.approx.f32")
FLOAT2(div_approx, "div.approx.f32")

#define APPROXIMATIONS(X, X2)                                                                      \
    X(rcp_approx(x))                                                                               \
    X(rcp_ftz(x))                                                                                  \
    X(rsqrt_approx(x))                                                                             \
    X(rsqrt_ftz(x))                                                                                \
    X(sqrt_approx(x))                                                                              \
    X(ex2_approx(x))                                                                               \
    X(ex2_ftz(x))                                                                                  \
    X(lg2_approx(x))                                                                               \
    X(sin_approx(x))                                                                               \
    X(cos_approx(x))                                                                               \
    X(tanh_approx(x))                                                                              \
    X(div_approx(x, y))                                                                            \
    X(BITS(expf(x)))                                                                               \
    X(BITS(logf(x)))

BW_OPCODES_32(approximations, APPROXIMATIONS, const float x = __uint_as_float(a),
              y = __uint_as_float(b);)

/* -- float and integers ------------------------------------------------------------------------ */

/* uint32_t NAME(uint32_t) through a conversion whose ends are of other types. */
#define CONVERT(NAME, TO, INSTRUCTION)                                                             \
    static __device__ __forceinline__ uint64_t NAME(uint32_t x)                                    \
    {                                                                                              \
        uint64_t r;                                                                                \
        asm("{ .reg ." TO " t; .reg .b32 u; " INSTRUCTION " }" : "=l"(r) : "r"(x));                \
        return r;                                                                                  \
    }
#define FROM_INT(NAME, MODE)                                                                       \
    CONVERT(NAME, "f32", "cvt." MODE " t, %1; mov.b32 u, t; cvt.u64.u32 %0, u;")

FROM_INT(f32_s32_rn, "rn.f32.s32")
FROM_INT(f32_s32_rz, "rz.f32.s32")
FROM_INT(f32_s32_rm, "rm.f32.s32")
FROM_INT(f32_s32_rp, "rp.f32.s32")
FROM_INT(f32_u32_rn, "rn.f32.u32")
FROM_INT(f32_u32_rz, "rz.f32.u32")
FROM_INT(f32_u32_rm, "rm.f32.u32")
FROM_INT(f32_u32_rp, "rp.f32.u32")

#define TO_INT(NAME, TYPE, LETTER, MODE)                                                           \
    static __device__ __forceinline__ TYPE NAME(float x)                                           \
    {                                                                                              \
        TYPE r;                                                                                    \
        asm("cvt." MODE ".f32 %0, %1;" : LETTER(r) : "f"(x));                                      \
        return r;                                                                                  \
    }
TO_INT(s32_rni, uint32_t, "=r", "rni.s32")
TO_INT(s32_rzi, uint32_t, "=r", "rzi.s32")
TO_INT(s32_rmi, uint32_t, "=r", "rmi.s32")
TO_INT(s32_rpi, uint32_t, "=r", "rpi.s32")
TO_INT(u32_rni, uint32_t, "=r", "rni.u32")
TO_INT(u32_rzi, uint32_t, "=r", "rzi.u32")
TO_INT(u32_rmi, uint32_t, "=r", "rmi.u32")
TO_INT(u32_rpi, uint32_t, "=r", "rpi.u32")
TO_INT(s32_rzi_ftz, uint32_t, "=r", "rzi.ftz.s32")
TO_INT(s64_rni, uint64_t, "=l", "rni.s64")
TO_INT(s64_rzi, uint64_t, "=l", "rzi.s64")
TO_INT(u64_rmi, uint64_t, "=l", "rmi.u64")
TO_INT(u64_rzi, uint64_t, "=l", "rzi.u64")

static __device__ __forceinline__ uint32_t small_from_float(float x)
{
    uint16_t r, s;
    asm("{ .reg .s8 t; cvt.rzi.s16.f32 %0, %2; cvt.rni.u16.f32 %1, %2; }"
        : "=h"(r), "=h"(s)
        : "f"(x));
    return (uint32_t)r << 16 | s;
}

static __device__ __forceinline__ uint32_t bytes_from_float(float x)
{
    uint32_t r, s;
    asm("cvt.rni.sat.s8.f32 %0, %2; cvt.rzi.u8.f32 %1, %2;" : "=r"(r), "=r"(s) : "f"(x));
    return (r & 0xff) << 16 | (s & 0xff);
}

static __device__ __forceinline__ uint32_t pack_s16(uint32_t a, uint32_t b)
{
    uint32_t r;
    asm("cvt.pack.sat.s16.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    return r;
}

static __device__ __forceinline__ uint32_t pack_u8(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t r;
    asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
}

static __device__ __forceinline__ uint32_t saturate(uint32_t a)
{
    uint32_t r, s;
    asm("cvt.sat.s8.s32 %0, %2; cvt.sat.u16.s32 %1, %2;" : "=r"(r), "=r"(s) : "r"(a));
    return (r & 0xff) << 16 | (s & 0xffff);
}

#define FROM_INTEGERS(X, X2)                                                                       \
    X(f32_s32_rn(a))                                                                               \
    X(f32_s32_rz(a))                                                                               \
    X(f32_s32_rm(a))                                                                               \
    X(f32_s32_rp(a))                                                                               \
    X(f32_u32_rn(a))                                                                               \
    X(f32_u32_rz(a))                                                                               \
    X(f32_u32_rm(a))                                                                               \
    X(f32_u32_rp(a))                                                                               \
    X(BITS((float)(int16_t)a))                                                                     \
    X(BITS((float)(uint8_t)(a >> 8)))                                                              \
    X(BITS((float)(int8_t)(a >> 16)))                                                              \
    X(BITS(__ll2float_rn((int64_t)((uint64_t)a << 32 | b))))                                       \
    X(BITS(__ll2float_rz((int64_t)((uint64_t)a << 32 | b))))                                       \
    X(BITS(__ull2float_ru((uint64_t)a << 32 | b)))                                                 \
    X(BITS(__ull2float_rd((uint64_t)b << 17 | a)))                                                 \
    X2(__double_as_longlong((double)sa))                                                           \
    X2(__double_as_longlong((double)a))                                                            \
    X2(__double_as_longlong(__ll2double_rn((int64_t)((uint64_t)a << 32 | b))))                     \
    X2(__double_as_longlong(__ull2double_rz((uint64_t)a << 32 | b)))                               \
    X(__half_as_ushort(__int2half_rn(sa)))                                                         \
    X(__half_as_ushort(__uint2half_rz(a & 0x1ffff)))                                               \
    X(__float2uint_rz(__uint2float_rn(a) * 0.37f))                                                 \
    X(__float2int_rn(__int2float_rz(sb) / 3.0f))                                                   \
    X(saturate(a))                                                                                 \
    X(pack_s16(a, b))                                                                              \
    X(pack_u8(a, b, c))

BW_OPCODES_32(from_integers, FROM_INTEGERS, )

static __device__ __forceinline__ uint32_t tf32(float x)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    uint32_t r;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(x));
    return r;
#else
    return x != x ? 0x7fffffff : isinf(x) ? BITS(x) : (BITS(x) + 0x1000) & ~0x1fffu;
#endif
}

static __device__ __forceinline__ uint32_t half_bits(__half x)
{
    return __half_as_ushort(x);
}

static __device__ __forceinline__ uint32_t half2_bits(__half2 x)
{
    return (uint32_t)__half_as_ushort(x.y) << 16 | __half_as_ushort(x.x);
}

static __device__ __forceinline__ uint32_t bf16_bits(__nv_bfloat16 x)
{
    return __bfloat16_as_ushort(x);
}

static __device__ __forceinline__ uint32_t bf162_bits(__nv_bfloat162 x)
{
    return (uint32_t)__bfloat16_as_ushort(x.y) << 16 | __bfloat16_as_ushort(x.x);
}

#define FROM_FLOATS(X, X2)                                                                         \
    X(s32_rni(x))                                                                                  \
    X(s32_rzi(x))                                                                                  \
    X(s32_rmi(x))                                                                                  \
    X(s32_rpi(x))                                                                                  \
    X(u32_rni(x))                                                                                  \
    X(u32_rzi(x))                                                                                  \
    X(u32_rmi(x))                                                                                  \
    X(u32_rpi(x))                                                                                  \
    X(s32_rzi_ftz(x))                                                                              \
    X2(s64_rni(x))                                                                                 \
    X2(s64_rzi(x))                                                                                 \
    X2(u64_rmi(x))                                                                                 \
    X2(u64_rzi(x))                                                                                 \
    X(small_from_float(x))                                                                         \
    X(bytes_from_float(x))                                                                         \
    X(half_bits(__float2half_rn(x)))                                                               \
    X(half_bits(__float2half_rz(x)))                                                               \
    X(half_bits(__float2half_rd(x)))                                                               \
    X(half_bits(__float2half_ru(x)))                                                               \
    X(half2_bits(__floats2half2_rn(x, y)))                                                         \
    X(bf16_bits(__float2bfloat16_rn(x)))                                                           \
    X(bf16_bits(__float2bfloat16_rz(x)))                                                           \
    X(bf162_bits(__floats2bfloat162_rn(x, y)))                                                     \
    X(BITS(__bfloat162float(__ushort_as_bfloat16((uint16_t)a))))                                   \
    X(tf32(x))                                                                                     \
    X2(__double_as_longlong((double)x))                                                            \
    X(lrintf(x))                                                                                   \
    X((int32_t)floorf(x * 0.25f))                                                                  \
    X((uint8_t)(int32_t)x)

BW_OPCODES_32(from_floats, FROM_FLOATS, const float x = __uint_as_float(a), y = __uint_as_float(b);)

/* -- double ------------------------------------------------------------------------------------ */

#define LONG(x) __double_as_longlong(x)

static __device__ __forceinline__ uint32_t compare_f64(double x, double y)
{
    uint32_t r;
    asm(COMPARISONS("f64") : "=&r"(r) : "d"(x), "d"(y));
    return r;
}

static __device__ __forceinline__ uint64_t round_f64(double x)
{
    double p, q, r, s;
    asm("cvt.rni.f64.f64 %0, %4; cvt.rzi.f64.f64 %1, %4; cvt.rmi.f64.f64 %2, %4;"
        "cvt.rpi.f64.f64 %3, %4;"
        : "=d"(p), "=d"(q), "=d"(r), "=d"(s)
        : "d"(x));
    return (uint64_t)(LONG(p) ^ LONG(q) << 1 ^ LONG(r) << 2 ^ LONG(s) << 3);
}

#define DOUBLES(X, X2)                                                                             \
    X2(LONG(__dadd_rn(x, y)))                                                                      \
    X2(LONG(__dadd_rz(x, y)))                                                                      \
    X2(LONG(__dadd_rd(x, y)))                                                                      \
    X2(LONG(__dadd_ru(x, y)))                                                                      \
    X2(LONG(__dsub_rn(x, fabs(y))))                                                                \
    X2(LONG(__dmul_rn(x, y)))                                                                      \
    X2(LONG(__dmul_rz(x, y)))                                                                      \
    X2(LONG(__dmul_rd(x, y)))                                                                      \
    X2(LONG(__dmul_ru(x, y)))                                                                      \
    X2(LONG(__fma_rn(x, y, z)))                                                                    \
    X2(LONG(__fma_rz(x, y, z)))                                                                    \
    X2(LONG(__fma_rd(-x, y, z)))                                                                   \
    X2(LONG(__fma_ru(x, y, -z)))                                                                   \
    X2(LONG(fmin(x, y)))                                                                           \
    X2(LONG(fmax(x, y)))                                                                           \
    X2(LONG(fabs(x)))                                                                              \
    X2(LONG(-x))                                                                                   \
    X2(round_f64(x))                                                                               \
    X(compare_f64(x, y))                                                                           \
    X(x < y ? a : c)                                                                               \
    X((x < y && y < z) || !(z >= 1.0) ? a : b)                                                     \
    X2(LONG(x <= y ? z : x))                                                                       \
    X2(LONG(__ddiv_rn(x, y)))                                                                      \
    X2(LONG(__dsqrt_rn(x)))                                                                        \
    X2(LONG(__drcp_rn(x)))

BW_OPCODES_64(doubles, DOUBLES, const double x = __longlong_as_double(SA),
              y = __longlong_as_double(SB), z = __longlong_as_double(SC);)

#define FROM_DOUBLES(X, X2)                                                                        \
    X(__double2int_rn(x))                                                                          \
    X(__double2int_rz(x))                                                                          \
    X(__double2int_rd(x))                                                                          \
    X(__double2int_ru(x))                                                                          \
    X(__double2uint_rn(x))                                                                         \
    X(__double2uint_rz(x))                                                                         \
    X(__double2uint_rd(x))                                                                         \
    X(__double2uint_ru(x))                                                                         \
    X2(__double2ll_rn(x))                                                                          \
    X2(__double2ll_rz(x))                                                                          \
    X2(__double2ll_rd(x))                                                                          \
    X2(__double2ull_rz(x))                                                                         \
    X2(__double2ull_ru(x))                                                                         \
    X(BITS(__double2float_rn(x)))                                                                  \
    X(BITS(__double2float_rz(x)))                                                                  \
    X(BITS(__double2float_rd(x)))                                                                  \
    X(BITS(__double2float_ru(x)))                                                                  \
    X(half_bits(__double2half(x)))                                                                 \
    X((int16_t)x)                                                                                  \
    X(__double2hiint(x))                                                                           \
    X(__double2loint(x))

BW_OPCODES_64(from_doubles, FROM_DOUBLES, const double x = __longlong_as_double(SA);)

/* -- half precision ---------------------------------------------------------------------------- */

PTX2(hadd2, "add.rn.f16x2")
PTX2(hadd2_ftz, "add.ftz.f16x2")
PTX2(hadd2_sat, "add.sat.f16x2")
PTX2(hsub2, "sub.rn.f16x2")
PTX2(hmul2, "mul.rn.f16x2")
PTX2(hmul2_sat, "mul.ftz.sat.f16x2")
PTX3(hfma2, "fma.rn.f16x2")
PTX3(hfma2_ftz, "fma.rn.ftz.f16x2")
PTX3(hfma2_sat, "fma.rn.sat.f16x2")
PTX1(hneg2, "neg.f16x2")
PTX1(habs2, "abs.f16x2")

#define HALVES(X, X2)                                                                              \
    X(hadd2(a, b))                                                                                 \
    X(hadd2_ftz(a, b))                                                                             \
    X(hadd2_sat(a, b))                                                                             \
    X(hsub2(a, b))                                                                                 \
    X(hmul2(a, b))                                                                                 \
    X(hmul2_sat(a, b))                                                                             \
    X(hfma2(a, b, c))                                                                              \
    X(hfma2_ftz(a, b, c))                                                                          \
    X(hfma2_sat(a, b, c))                                                                          \
    X(hneg2(a))                                                                                    \
    X(habs2(a))                                                                                    \
    X(half_bits(__hadd_rn(x, y)))                                                                  \
    X(half_bits(__hfma(x, y, z)))                                                                  \
    X(half2_bits(__hmin2(p, q)))                                                                   \
    X(half2_bits(__hmax2(p, q)))                                                                   \
    X(half_bits(__hmin_nan(x, y)))                                                                 \
    X(half2_bits(__heq2(p, q)))                                                                    \
    X(half2_bits(__hltu2(p, q)))                                                                   \
    X(half2_bits(__hge2(p, q)))                                                                    \
    X(__hgt(x, y) ? a : c)                                                                         \
    X(__hneu(x, y) | __hle(y, z) << 1 | __hbequ2(p, q) << 2 | __hblt2(p, q) << 3)                  \
    X(BITS(__half2float(x)))                                                                       \
    X(BITS(__high2float(p)))                                                                       \
    X(BITS(__half2float(x) * __half2float(y)))                                                     \
    X(half2_bits(__lows2half2(p, q)))                                                              \
    X(half2_bits(__highs2half2(p, q)))                                                             \
    X(half2_bits(__lowhigh2highlow(p)))                                                            \
    X(__half2int_rn(x))                                                                            \
    X(__half2int_rz(x))                                                                            \
    X(__half2uint_rd(x))                                                                           \
    X(__half2short_rz(x))                                                                          \
    X2(__half2ll_ru(x))                                                                            \
    X(half_bits(hrint(x)))                                                                         \
    X(half_bits(htrunc(x)))                                                                        \
    X(half_bits(hfloor(x)))                                                                        \
    X(half_bits(hceil(x)))                                                                         \
    X(half_bits(__float2half_rn(__half2float(x) + __half2float(y))))

static __device__ __forceinline__ __half2 as_half2(uint32_t x)
{
    return __half2(__ushort_as_half((uint16_t)x), __ushort_as_half((uint16_t)(x >> 16)));
}

BW_OPCODES_32(halves, HALVES, const __half2 p = as_half2(a), q = as_half2(b);
              const __half x = p.x, y = q.x, z = as_half2(c).x;)

const bw_opcodes bw_opcodes_float[] = {
    BW_OPCODES_ROW(floats, BW_OPERANDS_FLOAT),
    BW_OPCODES_ROW(approximations, BW_OPERANDS_FLOAT),
    BW_OPCODES_ROW(from_integers, BW_OPERANDS_32),
    BW_OPCODES_ROW(from_floats, BW_OPERANDS_FLOAT),
    BW_OPCODES_ROW(doubles, BW_OPERANDS_DOUBLE),
    BW_OPCODES_ROW(from_doubles, BW_OPERANDS_DOUBLE),
    BW_OPCODES_ROW(halves, BW_OPERANDS_HALF),
};
const unsigned bw_opcodes_float_count = sizeof bw_opcodes_float / sizeof *bw_opcodes_float;
