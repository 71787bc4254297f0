/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the evaluators of floats, doubles, halves and conversions share: their sources, rounding,
 * comparisons.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_MACHINE_LANES_FLOAT_H
#define BANKWISE_MACHINE_LANES_FLOAT_H

#include <math.h>

#include "lanes_inside.h"

__extension__ typedef __int128 wide; /* differences of 64-bit integers */

#define NAN_BITS 0x7fffffffu

static inline uint32_t source_bits(const bw_ins *i, int n, const bw_vec *v, int l)
{
    return (v->v[l] & i->and_mask[n]) ^ i->xor_mask[n];
}

/* Values below the least normal one become 0 of the same sign. */
static inline uint32_t flush(uint32_t bits)
{
    return (bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits;
}

static inline float source(const bw_ins *i, int n, const bw_vec *v, int l)
{
    uint32_t bits = source_bits(i, n, v, l);
    return bw_as_float(i->ftz ? flush(bits) : bits);
}

static inline uint32_t result_bits(const bw_ins *i, float f)
{
    uint32_t bits = f != f ? NAN_BITS : bw_float_bits(f);
    if (i->ftz)
        bits = flush(bits);
    if (i->sat)
        bits = f != f || bits >> 31 ? 0 : bits > 0x3f800000 ? 0x3f800000 : bits;
    return bits;
}

/* high + low, which is exact, as a float, rounded as asked. */
static inline float narrow(double high, double low, int mode)
{
    float f = (float)high;
    double back = f;
    if (isnan(high) || isinf(high))
        return f;
    bool above = back > high || (back == high && low < 0);
    bool below = back < high || (back == high && low > 0);
    bool down = mode == BW_RM || (mode == BW_RZ_MODE && (high > 0 || (high == 0 && low > 0)));
    bool up = mode == BW_RP || (mode == BW_RZ_MODE && !(high > 0 || (high == 0 && low > 0)));
    if (down && above)
        return nextafterf(f, -INFINITY);
    if (up && below)
        return nextafterf(f, INFINITY);
    return f;
}

/* The error of the sum s = a + b (Knuth). */
static inline double sum_error(double a, double b, double s)
{
    double bb = s - a;
    return (a - (s - bb)) + (b - bb);
}

static inline float add_directed(double a, double b, int mode)
{
    double s = a + b;
    if (s == 0 && signbit(a) != signbit(b))
        return mode == BW_RM ? -0.0f : 0.0f;
    return narrow(s, isfinite(s) ? sum_error(a, b, s) : 0, mode);
}

/* Whether the comparison holds; `unordered` comparisons (bit 3 of mode) hold for NaN too. */
static inline bool float_compare(const bw_ins *i, double p, double q)
{
    bool nan = p != p || q != q;
    switch (i->compare) {
    case BW_NUM: return !nan;
    case BW_NAN: return nan;
    case BW_TRUE: return true;
    case BW_FALSE: return false;
    default: break;
    }
    if (nan)
        return i->mode & 8;
    switch (i->compare) {
    case BW_LT: return p < q;
    case BW_EQ: return p == q;
    case BW_LE: return p <= q;
    case BW_GT: return p > q;
    case BW_NE: return p != q;
    default: return p >= q;
    }
}

static inline void combine_compare(const bw_ins *i, uint32_t result, bw_io *io)
{
    uint32_t in = io->in[0], other = ~result;
    switch (i->combine) {
    case BW_AND: result &= in, other &= in; break;
    case BW_OR: result |= in, other |= in; break;
    default: result ^= in, other ^= in; break;
    }
    io->out[0] = result;
    io->out[1] = other;
}

static inline double round_whole(double x, int mode)
{
    switch (mode) {
    case BW_RM: return floor(x);
    case BW_RP: return ceil(x);
    case BW_RZ_MODE: return trunc(x);
    default: return nearbyint(x);
    }
}

static inline double wide_source(const bw_ins *i, int n, const bw_vec *v, int l)
{
    return bw_as_double((uint64_t)source_bits(i, n, v + 1, l) << 32 | v->v[l]);
}

static inline double half_value(uint32_t h)
{
    int exponent = (int)(h >> 10 & 31);
    double fraction = h & 1023, value;
    if (exponent == 31)
        value = fraction != 0 ? (double)NAN : (double)INFINITY;
    else if (exponent == 0)
        value = ldexp(fraction, -24);
    else
        value = ldexp(1024 + fraction, exponent - 25);
    return h & 0x8000 ? -value : value;
}

/* Rounded as asked. To the nearest `x` may stand for a longer value rounded to odd. */
static inline uint32_t half_rounded(double x, int mode)
{
    if (isnan(x))
        return 0x7fff;
    bool minus = signbit(x);
    uint32_t sign = minus ? 0x8000 : 0;
    int away = minus ? BW_RM : BW_RP; /* the mode that makes it larger */
    int size_mode = mode == BW_RN ? BW_RN : mode == away ? BW_RP : BW_RZ_MODE;
    x = fabs(x);
    if (isinf(x) || x >= 65520 || (x > 65504 && size_mode == BW_RP))
        return sign | (isinf(x) || size_mode != BW_RZ_MODE ? 0x7c00 : 0x7bff);
    if (x > 65504)
        return sign | 0x7bff;
    if (x < 0x1p-14) /* below the normal values steps are 2^-24 */
        return sign | (uint32_t)round_whole(x * 0x1p24, size_mode);
    int exponent;
    double m = frexp(x, &exponent);                                 /* in [0.5, 1) */
    uint32_t fraction = (uint32_t)round_whole(m * 2048, size_mode); /* 1024 ... 2048 */
    return sign | (uint32_t)(((exponent + 14) << 10) + (int)fraction - 1024);
}

static inline uint32_t half_bits(double x)
{
    return half_rounded(x, BW_RN);
}

#endif
