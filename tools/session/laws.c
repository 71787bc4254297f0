/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "laws.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "arena.h"

struct bw_laws {
    gsl_rng *rng;
};

bw_laws *bw_laws_create(uint32_t seed)
{
    bw_laws *laws = bw_alloc(sizeof *laws);
    laws->rng = gsl_rng_alloc(gsl_rng_mt19937);
    if (!laws->rng) /* where the error handler is another's */
        bw_out_of_memory();
    bw_laws_seed(laws, seed);
    return laws;
}

void bw_laws_destroy(bw_laws *laws)
{
    if (!laws)
        return;
    gsl_rng_free(laws->rng);
    free(laws);
}

void bw_laws_seed(bw_laws *laws, uint32_t seed)
{
    gsl_rng_set(laws->rng, seed);
}

/* 0 … n-1. The generator gives 32 bits a draw; a larger range takes 53 of two. */
static double uniform(const gsl_rng *rng, double n)
{
    if (n <= (double)gsl_rng_max(rng))
        return (double)gsl_rng_uniform_int(rng, (unsigned long)n);
    double high = floor(gsl_rng_uniform(rng) * 0x1p26);
    double value = floor((high + gsl_rng_uniform(rng)) * 0x1p-26 * n);
    return value < n ? value : n - 1;
}

/* (exp(t) - 1) / t and log(1 + t) / t, whose limit at 0 is 1. */
static double expm1_over(double t)
{
    return fabs(t) > 1e-8 ? expm1(t) / t : 1 + t / 2;
}

static double log1p_over(double t)
{
    return fabs(t) > 1e-8 ? log1p(t) / t : 1 - t / 2;
}

/* The integral of x^-s from 1 to x, and its inverse. */
static double zipf_integral(double x, double s)
{
    double logarithm = log(x);
    return logarithm * expm1_over((1 - s) * logarithm);
}

static double zipf_inverse(double y, double s)
{
    double t = y * (1 - s);
    t = t < -1 ? -1 : t; /* rounding can leave the domain */
    return exp(y * log1p_over(t));
}

/*
 * Rank 0 … n-1 with P(r) ~ (r+1)^-s, by rejection from the integral's inverse, so that it costs
 * the same for any n. (W. Hörmann, G. Derflinger, "Rejection-inversion to generate variates from
 * monotone discrete distributions", ACM TOMACS 6(3), 1996.) GSL has no Zipf law.
 */
static double zipf(const gsl_rng *rng, double n, double s)
{
    double low = zipf_integral(1.5, s) - 1, high = zipf_integral(n + 0.5, s);
    double squeeze = 2 - zipf_inverse(zipf_integral(2.5, s) - pow(2, -s), s);
    for (;;) {
        double u = high + gsl_rng_uniform(rng) * (low - high);
        double x = zipf_inverse(u, s), k = floor(x + 0.5);
        k = k < 1 ? 1 : k > n ? n : k;
        if (k - x <= squeeze || u >= zipf_integral(k + 0.5, s) - pow(k, -s))
            return k - 1;
    }
}

/* GSL's trials are an unsigned int; more are drawn in parts, whose sum follows the same law. */
static double binomial(const gsl_rng *rng, double n, double p)
{
    double sum = 0;
    uint64_t rest = (uint64_t)n;
    for (; rest > UINT_MAX; rest -= UINT_MAX)
        sum += gsl_ran_binomial(rng, p, UINT_MAX);
    return sum + gsl_ran_binomial(rng, p, (unsigned)rest);
}

double bw_laws_draw(void *context, bw_law law, double a, double b)
{
    const gsl_rng *rng = ((bw_laws *)context)->rng;
    switch (law) {
    case BW_LAW_UNIFORM: return uniform(rng, a);
    case BW_LAW_ZIPF: return zipf(rng, a, b);
    case BW_LAW_NORMAL: return a + gsl_ran_gaussian(rng, b);
    case BW_LAW_BINOMIAL: return binomial(rng, a, b);
    }
    return 0;
}
