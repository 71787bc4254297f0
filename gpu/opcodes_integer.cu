/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Opcodes: integers of 32 and 64 bits, bits and bytes, comparisons.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "opcodes.cuh"

/* -- sums and products of 32 bits, and carries between them ------------------------------------ */

PTX2(add_sat, "add.sat.s32")
PTX2(sub_sat, "sub.sat.s32")
PTX3(mad_hi_s32, "mad.hi.s32")
PTX3(mad_hi_u32, "mad.hi.u32")
PTX3(mad_hi_sat, "mad.hi.sat.s32")
PTX3(sad_s32, "sad.s32")
PTX3(sad_u32, "sad.u32")
PTX2(mul24_lo, "mul24.lo.u32")
PTX2(mul24_hi, "mul24.hi.s32")

static __device__ __forceinline__ uint64_t add96(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t low, middle, high;
    asm("{ add.cc.u32 %0, %3, %4; addc.cc.u32 %1, %4, %5; addc.u32 %2, %5, %3; }"
        : "=&r"(low), "=&r"(middle), "=r"(high)
        : "r"(a), "r"(b), "r"(c));
    return (uint64_t)(low ^ high) << 32 | middle;
}

static __device__ __forceinline__ uint64_t sub96(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t low, middle, high;
    asm("{ sub.cc.u32 %0, %3, %4; subc.cc.u32 %1, %4, %5; subc.u32 %2, %5, %3; }"
        : "=&r"(low), "=&r"(middle), "=r"(high)
        : "r"(a), "r"(b), "r"(c));
    return (uint64_t)(low ^ high) << 32 | middle;
}

/* 64 × 64 bits as four products with carries. */
static __device__ __forceinline__ uint64_t mad128(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t r0, r1, r2, r3;
    asm("{ mul.lo.u32 %0, %4, %5; mul.hi.u32 %1, %4, %5;"
        "  mad.lo.cc.u32 %1, %4, %6, %1; madc.hi.u32 %2, %4, %6, 0;"
        "  mad.lo.cc.u32 %1, %5, %6, %1; madc.hi.cc.u32 %2, %5, %6, %2; addc.u32 %3, 0, 0;"
        "  mad.lo.cc.u32 %2, %6, %6, %2; madc.hi.u32 %3, %6, %6, %3; }"
        : "=&r"(r0), "=&r"(r1), "=&r"(r2), "=&r"(r3)
        : "r"(a), "r"(b), "r"(c));
    return (uint64_t)(r3 ^ r0) << 32 | (r2 + r1);
}

#define SUMS(X, X2)                                                                                \
    X(a + b + c)                                                                                   \
    X(a - b - c)                                                                                   \
    X(b - a)                                                                                       \
    X(a *b + c)                                                                                    \
    X(c - a * b)                                                                                   \
    X(a * 12345u + b)                                                                              \
    X(__umulhi(a, b))                                                                              \
    X(__mulhi(sa, sb))                                                                             \
    X(mad_hi_s32(a, b, c))                                                                         \
    X(mad_hi_u32(a, b, c))                                                                         \
    X(mad_hi_sat(a, b, c))                                                                         \
    X(sad_s32(a, b, c))                                                                            \
    X(sad_u32(a, b, c))                                                                            \
    X(mul24_lo(a, b))                                                                              \
    X(mul24_hi(a, b))                                                                              \
    X(add_sat(a, b))                                                                               \
    X(sub_sat(a, b))                                                                               \
    X2((uint64_t)a *b)                                                                             \
    X2((int64_t)sa *sb)                                                                            \
    X2((uint64_t)a *b + c)                                                                         \
    X2((int64_t)sa *sb + sc)                                                                       \
    X2((int64_t)sa *sb - (int64_t)c)                                                               \
    X2((int64_t)sa * 48 + (uint64_t)b)                                                             \
    X2(add96(a, b, c))                                                                             \
    X2(sub96(a, b, c))                                                                             \
    X2(mad128(a, b, c))                                                                            \
    X((a << 3) + b)                                                                                \
    X((a << 31) + b)                                                                               \
    X(b - (a << 5))                                                                                \
    X(((sa >> 4) + sb))                                                                            \
    X2(((uint64_t)a << 7) + b)                                                                     \
    X2(((int64_t)sa << 5) + (((uint64_t)c << 32) | b))                                             \
    X(__uhadd(a, b))                                                                               \
    X(__hadd(sa, sb))                                                                              \
    X(__urhadd(a, b))                                                                              \
    X(__rhadd(sa, sb))                                                                             \
    X((uint32_t)(uint16_t)a *(uint16_t)b + c)                                                      \
    X((int16_t)a *(int16_t)(b >> 16) + sc)                                                         \
    X((int8_t)a + (uint8_t)(b >> 8) - (int16_t)c)                                                  \
    X(-sa)                                                                                         \
    X(~a + (b & 1))

BW_OPCODES_32(sums, SUMS, )

/* -- shifts, funnels, logic, permutes, bit fields ---------------------------------------------- */

PTX3(bfe_u32, "bfe.u32")
PTX3(bfe_s32, "bfe.s32")
PTX4(bfi_b32, "bfi.b32")
PTX2(bmsk_clamp, "bmsk.clamp.b32")
PTX2(bmsk_wrap, "bmsk.wrap.b32")
PTX2(szext_clamp_s32, "szext.clamp.s32")
PTX2(szext_wrap_u32, "szext.wrap.u32")
PTX2(shl_b32, "shl.b32")
PTX2(shr_u32, "shr.u32")
PTX2(shr_s32, "shr.s32")
PTX3(shf_l_wrap, "shf.l.wrap.b32")
PTX3(shf_r_wrap, "shf.r.wrap.b32")
PTX3(shf_l_clamp, "shf.l.clamp.b32")
PTX3(shf_r_clamp, "shf.r.clamp.b32")
PTX3(prmt, "prmt.b32")
PTX3(prmt_f4e, "prmt.b32.f4e")
PTX3(prmt_b4e, "prmt.b32.b4e")
PTX3(prmt_rc8, "prmt.b32.rc8")
PTX3(prmt_ecl, "prmt.b32.ecl")
PTX3(prmt_ecr, "prmt.b32.ecr")
PTX3(prmt_rc16, "prmt.b32.rc16")
PTX1(bfind_u32, "bfind.u32")
PTX1(bfind_s32, "bfind.s32")
PTX1(bfind_shift_u32, "bfind.shiftamt.u32")
PTX1(bfind_shift_s32, "bfind.shiftamt.s32")
PTX1(cnot, "cnot.b32")

template <int Table>
static __device__ __forceinline__ uint32_t lop3(uint32_t x, uint32_t y, uint32_t z)
{
    uint32_t r;
    asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(r) : "r"(x), "r"(y), "r"(z), "n"(Table));
    return r;
}

#define BITS(X, X2)                                                                                \
    X(a << (b & 31))                                                                               \
    X(a >> (b & 31))                                                                               \
    X(sa >> (b & 31))                                                                              \
    X(shl_b32(a, b & 63))                                                                          \
    X(shr_u32(a, b & 63))                                                                          \
    X(shr_s32(a, b & 63))                                                                          \
    X(shl_b32(a, c))                                                                               \
    X(shr_s32(a, c))                                                                               \
    X(shf_l_wrap(a, b, c))                                                                         \
    X(shf_r_wrap(a, b, c))                                                                         \
    X(shf_l_clamp(a, b, c & 63))                                                                   \
    X(shf_r_clamp(a, b, c & 63))                                                                   \
    X(shf_l_clamp(a, b, c))                                                                        \
    X(shf_r_clamp(a, b, c))                                                                        \
    X(__funnelshift_l(a, a, 7))                                                                    \
    X(__funnelshift_r(a, b, 13))                                                                   \
    X((a & b) | (~a & c))                                                                          \
    X(a ^ b ^ c)                                                                                   \
    X((a & b) ^ (b & c))                                                                           \
    X(lop3<0x1b>(a, b, c))                                                                         \
    X(lop3<0x96>(a, b, c))                                                                         \
    X(lop3<0x2d>(a, b, c))                                                                         \
    X(lop3<0xd8>(a, b, c))                                                                         \
    X(lop3<0x7f>(a, b, c))                                                                         \
    X(lop3<0x43>(a, b, 0x0f0f1234))                                                                \
    X(~(a | b))                                                                                    \
    X(__byte_perm(a, b, c))                                                                        \
    X(prmt(a, b, c))                                                                               \
    X(prmt(a, b, 0x7610))                                                                          \
    X(prmt(a, b, 0x9a8b))                                                                          \
    X(prmt(a, b, 0xfec4))                                                                          \
    X(prmt_f4e(a, b, c))                                                                           \
    X(prmt_b4e(a, b, c))                                                                           \
    X(prmt_rc8(a, b, c))                                                                           \
    X(prmt_ecl(a, b, c))                                                                           \
    X(prmt_ecr(a, b, c))                                                                           \
    X(prmt_rc16(a, b, c))                                                                          \
    X(__popc(a))                                                                                   \
    X(__popc(a & ~b))                                                                              \
    X(__clz(a))                                                                                    \
    X(__ffs(a))                                                                                    \
    X(__brev(a))                                                                                   \
    X(bfind_u32(a))                                                                                \
    X(bfind_s32(a))                                                                                \
    X(bfind_shift_u32(a))                                                                          \
    X(bfind_shift_s32(a))                                                                          \
    X(bfe_u32(a, b & 31, c & 31))                                                                  \
    X(bfe_s32(a, b & 31, c & 31))                                                                  \
    X(bfe_u32(a, b, c))                                                                            \
    X(bfe_s32(a, b, c))                                                                            \
    X(bfe_u32(a, 5, 9))                                                                            \
    X(bfe_s32(a, 5, 9))                                                                            \
    X(bfi_b32(a, b, c & 31, a & 31))                                                               \
    X(bfi_b32(a, b, c, a >> 16))                                                                   \
    X(bfi_b32(a, b, 8, 12))                                                                        \
    X(bmsk_clamp(a, b & 63))                                                                       \
    X(bmsk_wrap(a, b))                                                                             \
    X(szext_clamp_s32(a, b & 63))                                                                  \
    X(szext_wrap_u32(a, b))                                                                        \
    X((int8_t)a)                                                                                   \
    X((int16_t)(a >> 5))                                                                           \
    X((uint8_t)(a >> 11))                                                                          \
    X(cnot(a &b))                                                                                  \
    X(__fns(a, b & 31, (sc & 7) - 3))

BW_OPCODES_32(bits, BITS, )

/* -- comparisons, selections, predicates ------------------------------------------------------- */

PTX3(slct_s32, "slct.u32.s32")

/* setp with its complement, and with a predicate joined in. */
#define SETP(NAME, INSTRUCTION)                                                                    \
    static __device__ __forceinline__ uint32_t NAME(uint32_t a, uint32_t b, uint32_t c)            \
    {                                                                                              \
        uint32_t r;                                                                                \
        asm("{ .reg .pred p, q, s; .reg .u32 x, y; setp.gt.s32 s, %3, 17; " INSTRUCTION            \
            " p|q, %1, %2, s; selp.u32 x, 1, 0, p; selp.u32 y, 2, 0, q; or.b32 %0, x, y; }"        \
            : "=r"(r)                                                                              \
            : "r"(a), "r"(b), "r"(c));                                                             \
        return r;                                                                                  \
    }
SETP(setp_lt_and, "setp.lt.and.s32")
SETP(setp_lo_or, "setp.lo.or.u32")
SETP(setp_ge_xor, "setp.ge.xor.s32")
SETP(setp_hs_and, "setp.hs.and.u32")
SETP(setp_eq_or, "setp.eq.or.u32")
SETP(setp_ne_xor, "setp.ne.xor.u32")
SETP(setp_le_and, "setp.le.and.s32")
SETP(setp_hi_xor, "setp.hi.xor.u32")

#define CHOICE(X, X2)                                                                              \
    X(sa < sb ? a : c)                                                                             \
    X(a < b ? c : b)                                                                               \
    X(sa <= sb ? 1 : 7)                                                                            \
    X(a >= b)                                                                                      \
    X(a == b ? c : ~c)                                                                             \
    X((sa < sb && sb < sc) || a > c ? a : b)                                                       \
    X(((a & 1) != 0) ^ ((b & 2) != 0) ^ (sc < 0) ? a : b)                                          \
    X((sa > 0) + (sb > 0) + (sc > 0) + (a > b) * 8)                                                \
    X((a > b) << 5 | (b > c) << 4 | (c > a) << 3 | (sa > sb) << 2 | (sb > sc) << 1 | (sc > sa))    \
    X((a & b) ? c : b)                                                                             \
    X((a & 0x8000) && !(b & 0x100) ? c : a)                                                        \
    X(setp_lt_and(a, b, c))                                                                        \
    X(setp_lo_or(a, b, c))                                                                         \
    X(setp_ge_xor(a, b, c))                                                                        \
    X(setp_hs_and(a, b, c))                                                                        \
    X(setp_eq_or(a, b, c))                                                                         \
    X(setp_ne_xor(a, b, c))                                                                        \
    X(setp_le_and(a, b, c))                                                                        \
    X(setp_hi_xor(a, b, c))                                                                        \
    X(slct_s32(a, b, c))                                                                           \
    X(min(sa, sb))                                                                                 \
    X(max(sa, sb))                                                                                 \
    X(min(a, b))                                                                                   \
    X(max(a, b))                                                                                   \
    X(min(max(sa, sb), sc))                                                                        \
    X(max(max(a, b), c))                                                                           \
    X(min(sa + sb, sc))                                                                            \
    X(max(a + b, c))                                                                               \
    X(max(min(sa + sb, sc), 0))                                                                    \
    X(abs(sa))                                                                                     \
    X(abs(sa - sb))                                                                                \
    X(abs(sa) + abs(sb))                                                                           \
    X(sa<0 ? -1 : sa> 0)                                                                           \
    X((uint8_t)a < (uint8_t)b ? c : a)                                                             \
    X((int16_t)a < (int16_t)b ? c : b)                                                             \
    X(min((int16_t)a, (int16_t)b))                                                                 \
    X(max((uint8_t)a, (uint8_t)b))

BW_OPCODES_32(choice, CHOICE, )

/* -- several numbers in a word ----------------------------------------------------------------- */

static __device__ __forceinline__ uint32_t dp4a_us(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t r;
    asm("dp4a.u32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
}

PTX3(vadd_b0, "vadd.s32.s32.s32.max")
PTX3(vset_min, "vmin.s32.u32.s32.add")
PTX3(vabsdiff_add, "vabsdiff.u32.u32.u32.add")
PTX3(vabsdiff4_add, "vabsdiff4.u32.u32.u32.add")

static __device__ __forceinline__ uint32_t vadd_sub(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t r;
    asm("vadd.s32.s32.u32.sat %0, %1.b1, %2.h1; " : "=r"(r) : "r"(a), "r"(b));
    return r + c;
}

#define LANES(X, X2)                                                                               \
    X(__vadd2(a, b))                                                                               \
    X(__vadd4(a, b))                                                                               \
    X(__vsub2(a, b))                                                                               \
    X(__vsub4(a, b))                                                                               \
    X(__vaddss2(a, b))                                                                             \
    X(__vaddus4(a, b))                                                                             \
    X(__vavgu4(a, b))                                                                              \
    X(__vabsdiffu4(a, b))                                                                          \
    X(__vabsdiffs2(a, b))                                                                          \
    X(__vsadu4(a, b))                                                                              \
    X(__vsads2(a, b))                                                                              \
    X(__vabs2(a))                                                                                  \
    X(__vabs4(a))                                                                                  \
    X(__vneg2(a))                                                                                  \
    X(__vmaxs2(a, b))                                                                              \
    X(__vmaxu2(a, b))                                                                              \
    X(__vmins2(a, b))                                                                              \
    X(__vminu2(a, b))                                                                              \
    X(__vmaxs4(a, b))                                                                              \
    X(__vminu4(a, b))                                                                              \
    X(__vcmpeq4(a, b))                                                                             \
    X(__vcmpgtu2(a, b))                                                                            \
    X(__vsetles4(a, b))                                                                            \
    X(__viaddmax_s32(sa, sb, sc))                                                                  \
    X(__viaddmin_u32(a, b, c))                                                                     \
    X(__viaddmax_s32_relu(sa, sb, sc))                                                             \
    X(__viaddmax_s16x2(a, b, c))                                                                   \
    X(__viaddmin_u16x2(a, b, c))                                                                   \
    X(__viaddmin_s16x2_relu(a, b, c))                                                              \
    X(__vimax_s32_relu(sa, sb))                                                                    \
    X(__vimin_s16x2_relu(a, b))                                                                    \
    X(__vimax3_s32(sa, sb, sc))                                                                    \
    X(__vimin3_u32(a, b, c))                                                                       \
    X(__vimax3_s16x2(a, b, c))                                                                     \
    X(__vimin3_u16x2(a, b, c))                                                                     \
    X(__vimax3_s32_relu(sa, sb, sc))                                                               \
    X(__dp4a(sa, sb, sc))                                                                          \
    X(__dp4a(a, b, c))                                                                             \
    X(dp4a_us(a, b, c))                                                                            \
    X(__dp2a_lo(sa, sb, sc))                                                                       \
    X(__dp2a_hi(a, b, c))                                                                          \
    X(vadd_b0(a, b, c))                                                                            \
    X(vadd_sub(a, b, c))                                                                           \
    X(vset_min(a, b, c))                                                                           \
    X(vabsdiff_add(a, b, c))                                                                       \
    X(vabsdiff4_add(a, b, c))

BW_OPCODES_32(lanes, LANES, )

/* -- division ---------------------------------------------------------------------------------- */

#define QUOTIENTS(X, X2)                                                                           \
    X(a / (b | 1))                                                                                 \
    X(a % (b | 1))                                                                                 \
    X(sa / (sb | 1))                                                                               \
    X(sa % (sb | 1))                                                                               \
    X(a / (b >> (c & 31) | 1))                                                                     \
    X(sa % (sb >> (c & 31) | 1))                                                                   \
    X((a >> 20) / ((b >> 24) | 1))                                                                 \
    X((uint16_t)a / ((uint16_t)b | 1))                                                             \
    X((int16_t)a % ((int16_t)b | 1))                                                               \
    X((uint8_t)a / ((uint8_t)b | 1))                                                               \
    X(a / 7)                                                                                       \
    X(a % 10)                                                                                      \
    X(sa / 13)                                                                                     \
    X(sa % 1000003)                                                                                \
    X(sa / 16)                                                                                     \
    X(sa % 32)                                                                                     \
    X(a / 641)

BW_OPCODES_32(quotients, QUOTIENTS, )

/* -- 64 bits ----------------------------------------------------------------------------------- */

#define LONG_SUMS(X, X2)                                                                           \
    X2(A + B)                                                                                      \
    X2(A - B - C)                                                                                  \
    X2(A *B)                                                                                       \
    X2(A *B + C)                                                                                   \
    X2(__umul64hi(A, B))                                                                           \
    X2(__mul64hi(SA, SB))                                                                          \
    X2(A << (c & 63))                                                                              \
    X2(A >> (c & 63))                                                                              \
    X2(SA >> (c & 63))                                                                             \
    X2(A << 37)                                                                                    \
    X2(SA >> 9)                                                                                    \
    X2((A & B) | (~A & C))                                                                         \
    X2(A ^ B ^ C)                                                                                  \
    X(__popcll(A))                                                                                 \
    X(__clzll(SA &SB))                                                                             \
    X(__ffsll(SA))                                                                                 \
    X2(__brevll(A))                                                                                \
    X(SA < SB ? a : c)                                                                             \
    X(A >= B ? a : b)                                                                              \
    X(SA <= SB && B > C)                                                                           \
    X(A == B || SB == SC ? a : c)                                                                  \
    X2(A != B ? C : ~A)                                                                            \
    X2(min(SA, SB))                                                                                \
    X2(max(A, B))                                                                                  \
    X2(min(max(SA, SB), SC))                                                                       \
    X2(llabs(SA))                                                                                  \
    X2((A << 3) + B)                                                                               \
    X2(A + (uint64_t)b * 40)                                                                       \
    X2(A + (int64_t)(int32_t)b * 4)                                                                \
    X2(A - (int64_t)(int32_t)b)                                                                    \
    X(A * 5 > B + 7)                                                                               \
    X2(A / 10)                                                                                     \
    X2(SA % 7)

BW_OPCODES_64(long_sums, LONG_SUMS, )

#define LONG_QUOTIENTS(X, X2)                                                                      \
    X2(A / (B | 1))                                                                                \
    X2(A % (B | 1))                                                                                \
    X2(A / (B >> (c & 63) | 1))                                                                    \
    X2(A % (B >> (c & 63) | 1))                                                                    \
    X2(SA / (SB >> (c & 63) | 1))                                                                  \
    X2(SA % (SB >> (c & 63) | 1))

BW_OPCODES_64(long_quotients, LONG_QUOTIENTS, )

const bw_opcodes bw_opcodes_integer[] = {
    BW_OPCODES_ROW(sums, BW_OPERANDS_32),           BW_OPCODES_ROW(bits, BW_OPERANDS_32),
    BW_OPCODES_ROW(choice, BW_OPERANDS_32),         BW_OPCODES_ROW(lanes, BW_OPERANDS_32),
    BW_OPCODES_ROW(quotients, BW_OPERANDS_32),      BW_OPCODES_ROW(long_sums, BW_OPERANDS_64),
    BW_OPCODES_ROW(long_quotients, BW_OPERANDS_64),
};
const unsigned bw_opcodes_integer_count = sizeof bw_opcodes_integer / sizeof *bw_opcodes_integer;
