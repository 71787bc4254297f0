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

/* Source of a conversion from a float of either width. */
static inline double any_source(const bw_ins *i, const bw_vec *a, int l)
{
    return i->source_width[0] == 2 ? wide_source(i, 0, a, l) : source(i, 0, a, l);
}

/* Cut to `bits` (mode). A NaN becomes 0, from or to 64 bits the value with only the top bit set
 * (PTX ISA, "cvt"). */
BW_EVALUATOR(f2i)
{
    const unsigned bits = i->mode ? i->mode : 32;
    const double most = i->is_signed ? ldexp(1, (int)bits - 1) - 1 : ldexp(1, (int)bits) - 1;
    const double least = i->is_signed ? -ldexp(1, (int)bits - 1) : 0;
    for (int l = 0; l < BW_LANES; l++) {
        double x = any_source(i, a, l);
        if (x != x) {
            d->v[l] = i->source_width[0] == 2 ? 0x80000000u : 0;
            continue;
        }
        x = round_whole(x, i->round);
        x = x > most ? most : x < least ? least : x;
        d->v[l] = i->is_signed ? (uint32_t)(int32_t)x : (uint32_t)x;
    }
}

BW_EVALUATOR(f2i_64)
{
    bw_vec low, high;
    for (int l = 0; l < BW_LANES; l++) {
        double x = any_source(i, a, l);
        uint64_t v;
        if (x != x)
            v = (uint64_t)1 << 63;
        else if (i->is_signed)
            v = x >= 0x1p63    ? INT64_MAX
                : x <= -0x1p63 ? (uint64_t)1 << 63
                               : (uint64_t)(int64_t)round_whole(x, i->round);
        else
            v = x >= 0x1p64 ? UINT64_MAX : x <= 0 ? 0 : (uint64_t)round_whole(x, i->round);
        low.v[l] = (uint32_t)v, high.v[l] = (uint32_t)(v >> 32);
    }
    d[0] = low, d[1] = high;
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

static uint32_t bf16_bits(uint32_t f)
{
    if ((f & 0x7fffffff) > 0x7f800000)
        return 0x7fff;
    return (f + 0x7fff + (f >> 16 & 1)) >> 16;
}

static uint32_t narrow16(const bw_ins *i, uint32_t bits)
{
    return i->mode & 1 ? bf16_bits(bits) : half_bits((double)bw_as_float(bits));
}

/* A float as a half (mode 1: bfloat) in the lower bits. */
BW_EVALUATOR(f2f_half)
{
    for (int l = 0; l < BW_LANES; l++)
        d->v[l] = narrow16(i, bw_float_bits(source(i, 0, a, l)));
}

/* Two floats as halves: the first in the upper bits. */
BW_EVALUATOR(f2fp)
{
    for (int l = 0; l < BW_LANES; l++)
        d->v[l] = narrow16(i, source_bits(i, 0, a, l)) << 16 | narrow16(i, source_bits(i, 1, b, l));
}
