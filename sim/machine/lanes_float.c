/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Evaluators of floats and doubles. IEEE 754 with the rounding that the instruction names;
 * a NaN that arises is the canonical one (CUDA C++ Programming Guide, "Floating-Point Standard").
 * MUFU is approximate on a card; here it is the correctly rounded value, and marked
 * (bw_ins.approximate).
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <fenv.h>

#include "lanes_float.h"

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

BW_EVALUATOR(fsetp)
{
    uint32_t result = 0;
    for (int l = 0; l < BW_LANES; l++)
        result |= (uint32_t)float_compare(i, source(i, 0, a, l), source(i, 1, b, l)) << l;
    combine_compare(i, result, io);
}

BW_EVALUATOR(fmnmx3)
{
    for (int l = 0; l < BW_LANES; l++) {
        bool smaller = io->in[0] >> l & 1, nan_wins = i->mode == 1;
        uint32_t p = bw_float_bits(source(i, 0, a, l)), q = bw_float_bits(source(i, 1, b, l)),
                 r = bw_float_bits(source(i, 2, c, l));
        d->v[l] = float_min(float_min(p, q, smaller, nan_wins), r, smaller, nan_wins);
    }
}

/* Two floats of a pair of registers each. */
BW_EVALUATOR(f32x2)
{
    bw_vec values[2];
    for (int h = 0; h < 2; h++) {
        const bw_vec *p = a + (h ^ (i->shift & 1)), *q = b + (h ^ (i->shift >> 1 & 1)),
                     *r = c + (h ^ (i->shift >> 2 & 1));
        if (i->mode == BW_F32X2_ADD)
            BW_EVALUATOR_NAME(fadd)(i, p, q, r, &values[h], io);
        else if (i->mode == BW_F32X2_MUL)
            BW_EVALUATOR_NAME(fmul)(i, p, q, r, &values[h], io);
        else
            BW_EVALUATOR_NAME(ffma)(i, p, q, r, &values[h], io);
    }
    d[0] = values[0], d[1] = values[1];
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

/* Whether a / b needs the slow way of division: exponents near the ends of the range. Of the 1,024
 * recorded divisions 610 took it on the card, and 608 do by these limits; both ways give one
 * result. */
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

/* Sine and cosine are of whole turns: code multiplies by 1 / 2 pi first. */
#define TURN 6.283185307179586476925

static float mufu(int mode, double x)
{
    switch (mode) {
    case BW_MUFU_RCP: return (float)(1 / x);
    case BW_MUFU_RSQ: return (float)(1 / sqrt(x));
    case BW_MUFU_SQRT: return (float)sqrt(x);
    case BW_MUFU_LG2: return (float)log2(x);
    case BW_MUFU_EX2: return (float)exp2(x);
    case BW_MUFU_SIN: return (float)sin(TURN * remainder(x, 1));
    case BW_MUFU_COS: return (float)cos(TURN * remainder(x, 1));
    default: return (float)tanh(x);
    }
}

BW_EVALUATOR(mufu)
{
    for (int l = 0; l < BW_LANES; l++) {
        uint32_t bits = source_bits(i, 0, a, l);
        float f = mufu(i->mode, bw_as_float(i->mode == BW_MUFU_TANH ? bits : flush(bits)));
        d->v[l] = i->mode == BW_MUFU_TANH ? result_bits(i, f) : flush(result_bits(i, f));
    }
}

/* The upper word of a double's reciprocal, from its upper word. */
BW_EVALUATOR(rcp64h)
{
    for (int l = 0; l < BW_LANES; l++) {
        uint32_t bits = source_bits(i, 0, a, l);
        double x = bw_as_double((uint64_t)bits << 32);
        bool tiny = (bits & 0x7ff00000) == 0;
        d->v[l] = tiny ? (bits & 0x80000000) | 0x7ff00000 : (uint32_t)(bw_double_bits(1 / x) >> 32);
    }
}

BW_EVALUATOR(rsq64h)
{
    for (int l = 0; l < BW_LANES; l++) {
        double x = bw_as_double((uint64_t)source_bits(i, 0, a, l) << 32);
        d->v[l] = (uint32_t)(bw_double_bits(1 / sqrt(x)) >> 32);
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
    static const int modes[] = {[BW_RN] = FE_TONEAREST,
                                [BW_RM] = FE_DOWNWARD,
                                [BW_RP] = FE_UPWARD,
                                [BW_RZ_MODE] = FE_TOWARDZERO};
    _Static_assert(sizeof modes / sizeof *modes == BW_RZ_MODE + 1, "a mode for each rounding");
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

/* Whether a is what min (mode 1) or max gives, and whether the result is b for its being a NaN as
 * well as a. -0 is less than 0. */
BW_EVALUATOR(dsetp_mnmx)
{
    io->out[0] = io->out[1] = 0;
    for (int l = 0; l < BW_LANES; l++) {
        double x = wide_source(i, 0, a, l), y = wide_source(i, 1, b, l);
        bool less = x < y || (x == y && signbit(x) && !signbit(y));
        bool more = x > y || (x == y && !signbit(x) && signbit(y));
        bool first = isnan(y) || (i->mode == 1 ? less : more);
        io->out[0] |= (uint32_t)(first && !isnan(x)) << l;
        io->out[1] |= (uint32_t)(isnan(x) && isnan(y)) << l;
    }
}
