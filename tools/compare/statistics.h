/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * statistics: how well predictions and measurements agree, as numbers.
 *
 * Owns intervals, rank correlation, the robust line and the sample that they are made from. Special
 * functions, distributions and the robust fit are GSL's; Kendall's tau-b is our own, as GSL has
 * none. It knows nothing of recordings and formats. Functions are pure but for what they are given;
 * memory that is needed in between is freed before they return. Rates and lines set GSL's
 * error handler, one for the whole program, aside for a while: one thread at a time.
 */
#ifndef BANKWISE_STATISTICS_H
#define BANKWISE_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A part of a whole, with its binomial interval: 0 … 1. */
typedef struct bw_rate {
    uint64_t hits, trials;
    double rate, low, high; /* 0, 0 and 1 where there was no trial */
} bw_rate;

/* The coverage of bw_rate_of's interval. */
#define BW_RATE_COVERAGE 0.95

/*
 * hits/trials with the exact interval of Clopper and Pearson ("The use of confidence or fiducial
 * limits illustrated in the case of the binomial", Biometrika 26, 1934): at least 95 % coverage
 * whatever the true rate, also at rates of 0 and 1.
 */
bw_rate bw_rate_of(uint64_t hits, uint64_t trials);

/*
 * Kendall's tau-b of n pairs (Knight, "A Computer Method for Calculating Kendall's Tau with
 * Ungrouped Data", JASA 61, 1966): O(n log n), ties counted. False, and *tau 0, where n < 2 or one
 * side is constant: then no correlation is defined.
 */
bool bw_kendall(const double *x, const double *y, size_t n, double *tau);

/* y = intercept + slope * x, by iteratively reweighted least squares with Tukey's biweight. */
typedef struct bw_line {
    double intercept, slope;
    double residual; /* median of |y - line(x)|; GSL's sigma is too large on data without noise */
} bw_line;

/* Fits n points. False where n < 3 or all x are equal, or where the fit does not converge. */
bool bw_robust_line(const double *x, const double *y, size_t n, bw_line *line);

/*
 * A sample of at most `capacity` pairs of a stream, each pair of the stream with the same chance
 * (Vitter's algorithm R). All of them where the stream is no longer than that. The choice is fixed:
 * the same stream gives the same sample.
 */
typedef struct bw_sampler {
    double *x, *y; /* malloc'd; [0, count) */
    size_t count, capacity;
    uint64_t seen;
    uint64_t state;
} bw_sampler;

void bw_sampler_init(bw_sampler *sampler, size_t capacity); /* capacity >= 1 */
void bw_sampler_add(bw_sampler *sampler, double x, double y);
void bw_sampler_finish(bw_sampler *sampler);

#endif
