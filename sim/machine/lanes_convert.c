/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Evaluators of conversions between integers, floats, doubles and halves.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "lanes_float.h"

/* mode: how many bits of the source count (0: all), shift: from where. */
static inline int64_t whole_source(const bw_ins *i, const bw_vec *a, int l)
{
    if (i->source_width[0] == 2) /* the caller knows whether it is signed */
        return (int64_t)bw_pair(a, l);
    uint32_t v = a->v[l] >> i->shift;
    if (i->mode == 8)
        return i->is_signed ? (int8_t)v : (int64_t)(uint8_t)v;
    if (i->mode == 16)
        return i->is_signed ? (int16_t)v : (int64_t)(uint16_t)v;
    return i->is_signed ? (int32_t)v : (int64_t)v;
}

static float float_of(const bw_ins *i, int64_t v)
{
    bool is_unsigned64 = i->source_width[0] == 2 && !i->is_signed;
    if (i->round == BW_RN)
        return is_unsigned64 ? (float)(uint64_t)v : (float)v;
    double high = is_unsigned64 ? (double)(uint64_t)v : (double)v;
    wide exact = is_unsigned64 ? (wide)(uint64_t)v : (wide)v;
    return narrow(high, (double)(exact - (wide)high), i->round);
}

BW_EVALUATOR(i2f)
{
    for (int l = 0; l < BW_LANES; l++)
        d->v[l] = bw_float_bits(float_of(i, whole_source(i, a, l)));
}

BW_EVALUATOR(i2f64)
{
    bw_vec low, high;
    for (int l = 0; l < BW_LANES; l++) {
        int64_t v = whole_source(i, a, l);
        bool is_unsigned64 = i->source_width[0] == 2 && !i->is_signed;
        double x = is_unsigned64 ? (double)(uint64_t)v : (double)v;
        if (i->round != BW_RN && i->source_width[0] == 2) {
            wide off = (is_unsigned64 ? (wide)(uint64_t)v : (wide)v) - (wide)x;
            bool toward_zero = i->round == BW_RZ_MODE;
            if (off < 0 && (i->round == BW_RM || (toward_zero && x > 0)))
                x = nextafter(x, -INFINITY);
            if (off > 0 && (i->round == BW_RP || (toward_zero && x < 0)))
                x = nextafter(x, INFINITY);
        }
        uint64_t bits = bw_double_bits(x);
        low.v[l] = (uint32_t)bits, high.v[l] = (uint32_t)(bits >> 32);
    }
    d[0] = low, d[1] = high;
}

/* The lower half of a register. */
static inline double low_half(const bw_ins *i, const bw_vec *a, int l)
{
    return half_value(source_bits(i, 0, a, l) & 0xffff);
}

/* Source of a conversion from a float of either width. */
static inline double any_source(const bw_ins *i, const bw_vec *a, int l)
{
    return i->source_width[0] == 2 ? wide_source(i, 0, a, l) : source(i, 0, a, l);
}

/* Cut to `bits` (mode). A NaN becomes 0, from or to 64 bits the value with only the top bit set
 * (PTX ISA, "cvt"). */
static inline uint32_t whole32(const bw_ins *i, double x)
{
    const unsigned bits = i->mode ? i->mode : 32;
    const double most = i->is_signed ? ldexp(1, (int)bits - 1) - 1 : ldexp(1, (int)bits) - 1;
    const double least = i->is_signed ? -ldexp(1, (int)bits - 1) : 0;
    if (x != x)
        return i->source_width[0] == 2 ? 0x80000000u : 0;
    x = round_whole(x, i->round);
    x = x > most ? most : x < least ? least : x;
    return i->is_signed ? (uint32_t)(int32_t)x : (uint32_t)x;
}

static inline uint64_t whole64(const bw_ins *i, double x)
{
    if (x != x)
        return (uint64_t)1 << 63;
    if (i->is_signed)
        return x >= 0x1p63    ? INT64_MAX
               : x <= -0x1p63 ? (uint64_t)1 << 63
                              : (uint64_t)(int64_t)round_whole(x, i->round);
    return x >= 0x1p64 ? UINT64_MAX : x <= 0 ? 0 : (uint64_t)round_whole(x, i->round);
}

BW_EVALUATOR(f2i)
{
    for (int l = 0; l < BW_LANES; l++)
        d->v[l] = whole32(i, any_source(i, a, l));
}

BW_EVALUATOR(f2i_half)
{
    for (int l = 0; l < BW_LANES; l++)
        d->v[l] = whole32(i, low_half(i, a, l));
}

BW_EVALUATOR(f2i_64)
{
    bw_vec low, high;
    for (int l = 0; l < BW_LANES; l++) {
        uint64_t v = whole64(i, any_source(i, a, l));
        low.v[l] = (uint32_t)v, high.v[l] = (uint32_t)(v >> 32);
    }
    d[0] = low, d[1] = high;
}

BW_EVALUATOR(f2i_64_half)
{
    bw_vec low, high;
    for (int l = 0; l < BW_LANES; l++) {
        uint64_t v = whole64(i, low_half(i, a, l));
        low.v[l] = (uint32_t)v, high.v[l] = (uint32_t)(v >> 32);
    }
    d[0] = low, d[1] = high;
}

/* To a half in the lower bits: of an integer of at most 32 bits, which a double holds exactly. */
BW_EVALUATOR(i2f_half)
{
    for (int l = 0; l < BW_LANES; l++)
        d->v[l] = half_rounded((double)whole_source(i, a, l), i->round);
}

BW_EVALUATOR(frnd_half)
{
    for (int l = 0; l < BW_LANES; l++)
        d->v[l] = half_bits(round_whole(low_half(i, a, l), i->round));
}

BW_EVALUATOR(f2f_narrow)
{
    for (int l = 0; l < BW_LANES; l++) {
        double x = wide_source(i, 0, a, l);
        uint32_t payload = (uint32_t)(bw_pair(a, l) >> 29) & 0x7fffff;
        uint32_t sign = (uint32_t)(bw_pair(a, l) >> 32) & 0x80000000;
        d->v[l] = x != x ? sign | 0x7fc00000 | payload : result_bits(i, narrow(x, 0, i->round));
    }
}

BW_EVALUATOR(f2f_widen)
{
    bw_vec low, high;
    for (int l = 0; l < BW_LANES; l++) {
        uint64_t bits = bw_double_bits((double)source(i, 0, a, l));
        low.v[l] = (uint32_t)bits, high.v[l] = (uint32_t)(bits >> 32);
    }
    d[0] = low, d[1] = high;
}

/* Rounded to nearest even, or cut. */
static uint32_t bf16_bits(const bw_ins *i, uint32_t f)
{
    if ((f & 0x7fffffff) > 0x7f800000)
        return 0x7fff;
    if (i->round == BW_RZ_MODE)
        return f >> 16;
    return (f + 0x7fff + (f >> 16 & 1)) >> 16;
}

static uint32_t narrow16(const bw_ins *i, uint32_t bits)
{
    return i->mode & 1 ? bf16_bits(i, bits) : half_rounded((double)bw_as_float(bits), i->round);
}

/* A float as a half (mode 1: bfloat) in the lower bits. */
BW_EVALUATOR(f2f_half)
{
    for (int l = 0; l < BW_LANES; l++)
        d->v[l] = narrow16(i, bw_float_bits(source(i, 0, a, l)));
}

BW_EVALUATOR(f2f_half64)
{
    for (int l = 0; l < BW_LANES; l++) {
        double x = wide_source(i, 0, a, l);
        uint32_t payload = (uint32_t)(bw_pair(a, l) >> 42) & 0x3ff;
        uint32_t sign = (uint32_t)(bw_pair(a, l) >> 48) & 0x8000;
        d->v[l] = x != x ? sign | 0x7e00 | payload : half_rounded(x, i->round);
    }
}

/* Two floats as halves: the first in the upper bits. */
BW_EVALUATOR(f2fp)
{
    for (int l = 0; l < BW_LANES; l++)
        d->v[l] = narrow16(i, source_bits(i, 0, a, l)) << 16 | narrow16(i, source_bits(i, 1, b, l));
}
