/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Evaluators of floats, doubles and halves. IEEE 754 with the rounding that the instruction names;
 * a NaN that arises is the canonical one (CUDA C++ Programming Guide, "Floating-Point Standard").
 * MUFU is approximate on a card; here it is the correctly rounded value, and marked
 * (bw_ins.approximate).
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <fenv.h>
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
static float narrow(double high, double low, int mode)
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
static double sum_error(double a, double b, double s)
{
    double bb = s - a;
    return (a - (s - bb)) + (b - bb);
}

static float add_directed(double a, double b, int mode)
{
    double s = a + b;
    if (s == 0 && signbit(a) != signbit(b))
        return mode == BW_RM ? -0.0f : 0.0f;
    return narrow(s, isfinite(s) ? sum_error(a, b, s) : 0, mode);
}

/* With .FTZ what was below the normal values before it was rounded becomes 0. */
static uint32_t result_of(const bw_ins *i, double exact, double rest, float f)
{
    double size = fabs(exact);
    bool tiny = size < 0x1p-126 || (size == 0x1p-126 && rest != 0 && (rest < 0) == (exact > 0));
    return result_bits(i, i->ftz && tiny ? copysignf(0, f) : f);
}

#define IS_PLAIN(i) ((i)->round == BW_RN && !(i)->ftz && !(i)->sat)

BW_EVALUATOR(fadd)
{
    const uint32_t a0 = i->and_mask[0], a1 = i->and_mask[1], x0 = i->xor_mask[0],
                   x1 = i->xor_mask[1];
    if (IS_PLAIN(i)) {
        BW_FOR_LANES (l) {
            float f = bw_as_float((a->v[l] & a0) ^ x0) + bw_as_float((b->v[l] & a1) ^ x1);
            d->v[l] = f != f ? NAN_BITS : bw_float_bits(f);
        }
    } else if (i->round == BW_RN) {
        for (int l = 0; l < BW_LANES; l++)
            d->v[l] = result_bits(i, source(i, 0, a, l) + source(i, 1, b, l));
    } else {
        for (int l = 0; l < BW_LANES; l++)
            d->v[l] =
                result_bits(i, add_directed(source(i, 0, a, l), source(i, 1, b, l), i->round));
    }
}

BW_EVALUATOR(fmul)
{
    const uint32_t a0 = i->and_mask[0], a1 = i->and_mask[1], x0 = i->xor_mask[0],
                   x1 = i->xor_mask[1];
    if (IS_PLAIN(i)) {
        BW_FOR_LANES (l) {
            float f = bw_as_float((a->v[l] & a0) ^ x0) * bw_as_float((b->v[l] & a1) ^ x1);
            d->v[l] = f != f ? NAN_BITS : bw_float_bits(f);
        }
    } else {
        for (int l = 0; l < BW_LANES; l++) {
            float p = source(i, 0, a, l), q = source(i, 1, b, l);
            double exact = (double)p * q;
            d->v[l] =
                result_of(i, exact, 0, i->round == BW_RN ? p * q : narrow(exact, 0, i->round));
        }
    }
}

BW_EVALUATOR(ffma)
{
    const uint32_t a0 = i->and_mask[0], a1 = i->and_mask[1], a2 = i->and_mask[2];
    const uint32_t x0 = i->xor_mask[0], x1 = i->xor_mask[1], x2 = i->xor_mask[2];
    if (IS_PLAIN(i)) {
        BW_FOR_LANES (l) {
            float f =
                __builtin_fmaf(bw_as_float((a->v[l] & a0) ^ x0), bw_as_float((b->v[l] & a1) ^ x1),
                               bw_as_float((c->v[l] & a2) ^ x2));
            d->v[l] = f != f ? NAN_BITS : bw_float_bits(f);
        }
    } else {
        for (int l = 0; l < BW_LANES; l++) {
            float p = source(i, 0, a, l), q = source(i, 1, b, l), r = source(i, 2, c, l);
            double product = (double)p * q, exact = product + r;
            float f = i->round == BW_RN ? fmaf(p, q, r) : add_directed(product, r, i->round);
            double rest = isfinite(exact) ? sum_error(product, r, exact) : 0;
            d->v[l] = result_of(i, exact, rest, f);
        }
    }
}

/* A number beats a NaN; -0 is less than 0. mode 1: a NaN beats a number (.NAN). */
static inline uint32_t float_min(uint32_t p, uint32_t q, bool smaller, bool nan_wins)
{
    float x = bw_as_float(p), y = bw_as_float(q);
    if (isnan(x) || isnan(y)) {
        if (nan_wins || (isnan(x) && isnan(y)))
            return NAN_BITS;
        return isnan(x) ? q : p;
    }
    if (x == y)
        return smaller ? p | q : p & q; /* equal but for the sign of 0 */
    return (x < y) == smaller ? p : q;
}

BW_EVALUATOR(fmnmx)
{
    for (int l = 0; l < BW_LANES; l++) {
        uint32_t p = bw_float_bits(source(i, 0, a, l)), q = bw_float_bits(source(i, 1, b, l));
        d->v[l] = float_min(p, q, io->in[0] >> l & 1, i->mode == 1);
    }
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

static void combine_compare(const bw_ins *i, uint32_t result, bw_io *io)
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

BW_EVALUATOR(fsetp)
{
    uint32_t result = 0;
    for (int l = 0; l < BW_LANES; l++)
        result |= (uint32_t)float_compare(i, source(i, 0, a, l), source(i, 1, b, l)) << l;
    combine_compare(i, result, io);
}

/* The comparison as a value: 1.0 (.BF) or all ones. */
BW_EVALUATOR(fset)
{
    uint32_t result = 0;
    for (int l = 0; l < BW_LANES; l++)
        result |= (uint32_t)float_compare(i, source(i, 0, a, l), source(i, 1, b, l)) << l;
    combine_compare(i, result, io);
    for (int l = 0; l < BW_LANES; l++)
        d->v[l] = io->out[0] >> l & 1 ? (i->mode & 1 ? 0x3f800000 : UINT32_MAX) : 0;
}

BW_EVALUATOR(fsel)
{
    for (int l = 0; l < BW_LANES; l++) {
        uint32_t bits = io->in[0] >> l & 1 ? source_bits(i, 0, a, l) : source_bits(i, 1, b, l);
        d->v[l] = i->ftz ? flush(bits) : bits;
    }
}

/* Whether a / b needs the slow way of division: exponents near the ends of the range. */
BW_EVALUATOR(fchk)
{
    uint32_t result = 0;
    for (int l = 0; l < BW_LANES; l++) {
        int ea = (int)(source_bits(i, 0, a, l) >> 23 & 255),
            eb = (int)(source_bits(i, 1, b, l) >> 23 & 255);
        bool slow =
            eb == 0 || eb >= 253 || ea == 255 || ea - eb >= 126 || ea - eb <= -126 || ea < 25;
        result |= (uint32_t)slow << l;
    }
    io->out[0] = result;
}

static float mufu(int mode, double x)
{
    switch (mode) {
    case BW_MUFU_RCP: return (float)(1 / x);
    case BW_MUFU_RSQ: return (float)(1 / sqrt(x));
    case BW_MUFU_SQRT: return (float)sqrt(x);
    case BW_MUFU_LG2: return (float)log2(x);
    case BW_MUFU_EX2: return (float)exp2(x);
    case BW_MUFU_SIN: return (float)sin(x);
    case BW_MUFU_COS: return (float)cos(x);
    default: return (float)tanh(x);
    }
}

BW_EVALUATOR(mufu)
{
    for (int l = 0; l < BW_LANES; l++) {
        uint32_t bits = flush(source_bits(i, 0, a, l));
        d->v[l] = flush(result_bits(i, mufu(i->mode, bw_as_float(bits))));
    }
}

/* The upper word of a double's reciprocal, from its upper word. */
BW_EVALUATOR(rcp64h)
{
    for (int l = 0; l < BW_LANES; l++) {
        double x = bw_as_double((uint64_t)source_bits(i, 0, a, l) << 32);
        d->v[l] = (uint32_t)(bw_double_bits(1 / x) >> 32);
    }
}

BW_EVALUATOR(rsq64h)
{
    for (int l = 0; l < BW_LANES; l++) {
        double x = bw_as_double((uint64_t)source_bits(i, 0, a, l) << 32);
        d->v[l] = (uint32_t)(bw_double_bits(1 / sqrt(x)) >> 32);
    }
}

static double round_whole(double x, int mode)
{
    switch (mode) {
    case BW_RM: return floor(x);
    case BW_RP: return ceil(x);
    case BW_RZ_MODE: return trunc(x);
    default: return nearbyint(x);
    }
}

BW_EVALUATOR(frnd)
{
    if (i->wide64) {
        bw_vec low, high;
        for (int l = 0; l < BW_LANES; l++) {
            uint64_t bits = (uint64_t)source_bits(i, 0, a + 1, l) << 32 | a->v[l];
            bits = bw_double_bits(round_whole(bw_as_double(bits), i->round));
            low.v[l] = (uint32_t)bits, high.v[l] = (uint32_t)(bits >> 32);
        }
        d[0] = low, d[1] = high;
        return;
    }
    for (int l = 0; l < BW_LANES; l++)
        d->v[l] = result_bits(i, (float)round_whole(source(i, 0, a, l), i->round));
}

/* ---- conversions ---- */

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

static inline double wide_source(const bw_ins *i, int n, const bw_vec *v, int l)
{
    return bw_as_double((uint64_t)source_bits(i, n, v + 1, l) << 32 | v->v[l]);
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

/* ---- doubles ---- */

typedef enum double_op { DOUBLE_ADD, DOUBLE_MUL, DOUBLE_FMA } double_op;

/* volatile: the mode must be set when the operation is done. */
static double double_do(double_op op, double x, double y, double z)
{
    volatile double p = x, q = y, r = z, result;
    if (op == DOUBLE_ADD)
        result = p + q;
    else if (op == DOUBLE_MUL)
        result = p * q;
    else
        result = fma(p, q, r);
    return result;
}

static double double_round(double_op op, int mode, double x, double y, double z)
{
    static const int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
    if (mode == BW_RN)
        return op == DOUBLE_ADD ? x + y : op == DOUBLE_MUL ? x * y : fma(x, y, z);
    int before = fegetround();
    fesetround(modes[mode]);
    double result = double_do(op, x, y, z);
    fesetround(before);
    return result;
}

/* The NaN that is passed on, made quiet: the second operand's before the third's before the
 * first's, as they are in registers, for minus and absolute value leave a NaN alone. Where no
 * operand is one, the operation made one. As recorded on sm_90. */
static uint64_t double_nan(const bw_vec *const operands[3], unsigned count, int l)
{
    static const unsigned order[3] = {1, 2, 0};
    for (unsigned k = 0; k < 3; k++) {
        if (order[k] >= count)
            continue;
        uint64_t bits = bw_pair(operands[order[k]], l);
        double x = bw_as_double(bits);
        if (x != x)
            return bits | 0x0008000000000000u;
    }
    return 0xfff8000000000000u;
}

static void double_evaluate(double_op op, const bw_ins *i, const bw_vec *a, const bw_vec *b,
                            const bw_vec *c, bw_vec *d)
{
    bw_vec low, high;
    for (int l = 0; l < BW_LANES; l++) {
        double z = op == DOUBLE_FMA ? wide_source(i, 2, c, l) : 0;
        double x = double_round(op, i->round, wide_source(i, 0, a, l), wide_source(i, 1, b, l), z);
        uint64_t bits = bw_double_bits(x);
        if (x != x)
            bits = double_nan((const bw_vec *const[3]){a, b, c}, op == DOUBLE_FMA ? 3 : 2, l);
        low.v[l] = (uint32_t)bits, high.v[l] = (uint32_t)(bits >> 32);
    }
    d[0] = low, d[1] = high;
}

BW_EVALUATOR(dadd)
{
    double_evaluate(DOUBLE_ADD, i, a, b, c, d);
}

BW_EVALUATOR(dmul)
{
    double_evaluate(DOUBLE_MUL, i, a, b, c, d);
}

BW_EVALUATOR(dfma)
{
    double_evaluate(DOUBLE_FMA, i, a, b, c, d);
}

BW_EVALUATOR(dsetp)
{
    uint32_t result = 0;
    for (int l = 0; l < BW_LANES; l++)
        result |= (uint32_t)float_compare(i, wide_source(i, 0, a, l), wide_source(i, 1, b, l)) << l;
    combine_compare(i, result, io);
}

BW_EVALUATOR(dmnmx)
{
    bw_vec low, high;
    for (int l = 0; l < BW_LANES; l++) {
        double x = wide_source(i, 0, a, l), y = wide_source(i, 1, b, l);
        bool smaller = io->in[0] >> l & 1;
        double r = isnan(x) ? y : isnan(y) ? x : (x < y) == smaller ? x : y;
        if (x == y && signbit(x) != signbit(y))
            r = smaller ? -0.0 : 0.0;
        uint64_t bits = bw_double_bits(r);
        low.v[l] = (uint32_t)bits, high.v[l] = (uint32_t)(bits >> 32);
    }
    d[0] = low, d[1] = high;
}

/* ---- halves ---- */

static double half_value(uint32_t h)
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

/* Rounded to nearest even. `x` may stand for a longer value rounded to odd. */
static uint32_t half_bits(double x)
{
    if (isnan(x))
        return 0x7fff;
    uint32_t sign = signbit(x) ? 0x8000 : 0;
    x = fabs(x);
    if (x >= 65520)
        return sign | 0x7c00;
    if (x < 0x1p-14) /* below the normal values steps are 2^-24 */
        return sign | (uint32_t)nearbyint(x * 0x1p24);
    int exponent;
    double m = frexp(x, &exponent);                    /* in [0.5, 1) */
    uint32_t fraction = (uint32_t)nearbyint(m * 2048); /* 1024 ... 2048 */
    return sign | (uint32_t)(((exponent + 14) << 10) + (int)fraction - 1024);
}

static uint32_t half_flush(const bw_ins *i, uint32_t h)
{
    return i->ftz && !(h & 0x7c00) ? h & 0x8000 : h;
}

/* One half of a packed source, by its selector (bw_ins.shift: 4 bits a source, 0 both, 1 the lower
 * twice, 2 the upper twice). */
static double half_source(const bw_ins *i, int n, const bw_vec *v, int l, bool upper)
{
    uint32_t selector = i->shift >> (2 * n) & 3, word = source_bits(i, n, v, l);
    bool high = selector == 2 || (selector == 0 && upper);
    uint32_t half = high ? word >> 16 : word & 0xffff;
    return half_value(half_flush(i, half));
}

BW_EVALUATOR(hadd2_f32)
{
    for (int l = 0; l < BW_LANES; l++)
        d->v[l] = result_bits(
            i, (float)(half_source(i, 0, a, l, false) + half_source(i, 1, b, l, false)));
}

/* a * b + c, rounded to odd, so that rounding it once more to fewer bits is right. */
static double fma_odd(double p, double q, double r)
{
    double product = p * q, sum = product + r; /* the product of two halves is exact */
    if (!isfinite(sum))
        return sum;
    double error = sum_error(product, r, sum);
    uint64_t bits = bw_double_bits(sum);
    if (error != 0 && !(bits & 1))
        sum = nextafter(sum, error > 0 ? INFINITY : -INFINITY);
    return sum;
}

static uint32_t half_finish(const bw_ins *i, double x)
{
    bool tiny = fabs(x) < 0x1p-14; /* before it is rounded */
    uint32_t h = i->ftz && tiny ? (signbit(x) ? 0x8000 : 0) : half_bits(x);
    if (i->sat)
        h = isnan(x) || h & 0x8000 ? 0 : h > 0x3c00 ? 0x3c00 : h;
    return h;
}

typedef enum half_op { HALF_ADD, HALF_MUL, HALF_FMA } half_op;

static void half_evaluate(half_op op, const bw_ins *i, const bw_vec *a, const bw_vec *b,
                          const bw_vec *c, bw_vec *d)
{
    for (int l = 0; l < BW_LANES; l++) {
        uint32_t result = 0;
        for (int h = 0; h < 2; h++) {
            double x = half_source(i, 0, a, l, h), y = half_source(i, 1, b, l, h);
            double z = op == HALF_FMA ? half_source(i, 2, c, l, h) : 0;
            double r = op == HALF_ADD ? x + y : op == HALF_MUL ? x * y : fma_odd(x, y, z);
            result |= half_finish(i, r) << (16 * h);
        }
        d->v[l] = result;
    }
}

BW_EVALUATOR(hadd2)
{
    half_evaluate(HALF_ADD, i, a, b, c, d);
}

BW_EVALUATOR(hmul2)
{
    half_evaluate(HALF_MUL, i, a, b, c, d);
}

BW_EVALUATOR(hfma2)
{
    half_evaluate(HALF_FMA, i, a, b, c, d);
}

/* The lower halves. (What becomes of the upper ones is not modelled: decoding leaves it unknown.)
 */
BW_EVALUATOR(hsetp2)
{
    uint32_t result = 0;
    for (int l = 0; l < BW_LANES; l++)
        result |= (uint32_t)float_compare(i, half_source(i, 0, a, l, false),
                                          half_source(i, 1, b, l, false))
                  << l;
    combine_compare(i, result, io);
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
