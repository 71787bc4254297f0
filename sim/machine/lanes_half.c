/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Evaluators of halves: two in a word.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "lanes_float.h"

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

static uint32_t compare_halves(const bw_ins *i, const bw_vec *a, const bw_vec *b, bool upper)
{
    uint32_t result = 0;
    for (int l = 0; l < BW_LANES; l++)
        result |= (uint32_t)float_compare(i, half_source(i, 0, a, l, upper),
                                          half_source(i, 1, b, l, upper))
                  << l;
    return result;
}

/* The first predicate is of the lower halves, the second of the upper ones. */
BW_EVALUATOR(hsetp2)
{
    uint32_t upper = compare_halves(i, a, b, true);
    combine_compare(i, upper, io);
    upper = io->out[0];
    combine_compare(i, compare_halves(i, a, b, false), io);
    io->out[1] = upper;
}

/* The comparisons as values: 1.0 (mode bit 0, .BF) or all ones. */
BW_EVALUATOR(hset2)
{
    const uint32_t yes = i->mode & 1 ? 0x3c00 : 0xffff;
    bw_vec result = {{0}};
    for (int h = 0; h < 2; h++) {
        combine_compare(i, compare_halves(i, a, b, h), io);
        for (int l = 0; l < BW_LANES; l++)
            result.v[l] |= (io->out[0] >> l & 1 ? yes : 0) << (16 * h);
    }
    *d = result;
}

/* A number beats a NaN, or with .NAN (mode 1) the other way; -0 is less than 0. */
static uint32_t half_min(double x, double y, bool smaller, bool nan_wins)
{
    if (isnan(x) || isnan(y)) {
        if (nan_wins || (isnan(x) && isnan(y)))
            return 0x7fff;
        return half_bits(isnan(x) ? y : x);
    }
    bool less = x < y || (x == y && signbit(x));
    return half_bits(less == smaller ? x : y);
}

BW_EVALUATOR(hmnmx2)
{
    for (int l = 0; l < BW_LANES; l++) {
        uint32_t result = 0;
        for (int h = 0; h < 2; h++)
            result |= half_min(half_source(i, 0, a, l, h), half_source(i, 1, b, l, h),
                               io->in[0] >> l & 1, i->mode == 1)
                      << (16 * h);
        d->v[l] = result;
    }
}
