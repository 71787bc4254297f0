/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rates, rank correlation, lines and samples, against what can be computed another way.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "statistics.h"
#include "../common/tap.h"

/* A fixed generator: the tests are the same on every machine. */
static uint64_t state = 1;

static double uniform(void)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(state >> 11) / 9007199254740992.0;
}

/* ---- rates ---- */

/* The chance of k successes or more (or, downwards, of k or fewer) among n, summed term by term. */
static double tail(unsigned n, unsigned k, double p, bool upwards)
{
    double sum = 0;
    for (unsigned i = 0; i <= n; i++)
        if (upwards ? i >= k : i <= k)
            sum += exp(lgamma(n + 1.0) - lgamma(i + 1.0) - lgamma(n - i + 1.0) + i * log(p) +
                       (n - i) * log1p(-p));
    return sum;
}

/* The definition of the interval: at its ends, what was seen or worse has a chance of 2.5 %. */
START_TEST(test_rate_ends)
{
    for (unsigned n = 1; n <= 60; n++)
        for (unsigned k = 0; k <= n; k++) {
            bw_rate rate = bw_rate_of(k, n);
            ck_assert_double_eq_tol(rate.rate, (double)k / n, 1e-15);
            ck_assert(rate.low <= rate.rate && rate.rate <= rate.high);
            if (k > 0)
                ck_assert_double_eq_tol(tail(n, k, rate.low, true), 0.025, 1e-9);
            else
                ck_assert_double_eq(rate.low, 0);
            if (k < n)
                ck_assert_double_eq_tol(tail(n, k, rate.high, false), 0.025, 1e-9);
            else
                ck_assert_double_eq(rate.high, 1);
        }
}
END_TEST

/* Values that tables have. */
START_TEST(test_rate_known)
{
    bw_rate none = bw_rate_of(0, 0), half = bw_rate_of(5, 10), all = bw_rate_of(10, 10);
    ck_assert_double_eq(none.low, 0);
    ck_assert_double_eq(none.high, 1);
    ck_assert_double_eq_tol(half.low, 0.1870860284, 1e-9);
    ck_assert_double_eq_tol(half.high, 0.8129139716, 1e-9);
    ck_assert_double_eq_tol(all.low, 0.6915028922, 1e-9);
}
END_TEST

/* Where the exact interval cannot be had, its stand-in must agree with the normal one, and not be
 * narrower. */
START_TEST(test_rate_large)
{
    const uint64_t n[] = {10800, 1000000, 100000000, UINT64_C(10000000000)};
    const double parts[] = {0.01, 0.3, 0.5, 0.99};
    for (unsigned i = 0; i < 4; i++)
        for (unsigned j = 0; j < 4; j++) {
            bw_rate rate = bw_rate_of((uint64_t)(parts[j] * (double)n[i]), n[i]);
            double sigma = sqrt(rate.rate * (1 - rate.rate) / (double)n[i]);
            ck_assert_double_eq_tol((rate.rate - rate.low) / sigma, 1.96, 0.25);
            ck_assert_double_eq_tol((rate.high - rate.rate) / sigma, 1.96, 0.25);
        }
    bw_rate nearly = bw_rate_of(UINT64_C(9999999999), UINT64_C(10000000000));
    ck_assert(nearly.low > 0.999999999 && nearly.low < nearly.rate && nearly.high < 1);
}
END_TEST

/* ---- tau-b ---- */

/* By its definition, pair by pair. */
static bool slow_kendall(const double *x, const double *y, size_t n, double *tau)
{
    double same = 0, against = 0, x_only = 0, y_only = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++) {
            double dx = x[i] - x[j], dy = y[i] - y[j];
            same += dx * dy > 0;
            against += dx * dy < 0;
            x_only += dx != 0 && dy == 0;
            y_only += dx == 0 && dy != 0;
        }
    double below = sqrt((same + against + x_only) * (same + against + y_only));
    *tau = below > 0 ? (same - against) / below : 0;
    return below > 0;
}

START_TEST(test_kendall)
{
    double x[80], y[80];
    for (unsigned run = 0; run < 500; run++) {
        size_t n = 2 + run % 78;
        double values = 1 + run % 17; /* few values: many ties */
        double fast, slow;
        for (size_t i = 0; i < n; i++) {
            x[i] = floor(uniform() * values);
            y[i] = run % 3 ? floor(uniform() * values) : x[i] + floor(uniform() * 3);
        }
        bool defined = slow_kendall(x, y, n, &slow);
        ck_assert_int_eq(bw_kendall(x, y, n, &fast), defined);
        ck_assert_double_eq_tol(fast, slow, 1e-12);
    }
}
END_TEST

START_TEST(test_kendall_ends)
{
    enum { N = 200000 };
    double *x = malloc(N * sizeof *x), *y = malloc(N * sizeof *y), tau;
    ck_assert(x && y);
    for (unsigned i = 0; i < N; i++) {
        x[i] = i;
        y[i] = -(double)i;
    }
    ck_assert(bw_kendall(x, x, N, &tau));
    ck_assert_double_eq_tol(tau, 1, 1e-12);
    ck_assert(bw_kendall(x, y, N, &tau));
    ck_assert_double_eq_tol(tau, -1, 1e-12);
    for (unsigned i = 0; i < N; i++)
        y[i] = 7;
    ck_assert(!bw_kendall(x, y, N, &tau));
    ck_assert(!bw_kendall(x, x, 1, &tau));
    free(x);
    free(y);
}
END_TEST

/* ---- the line ---- */

START_TEST(test_line_exact)
{
    double x[] = {1, 2, 4, 8, 16}, y[] = {3, 5, 9, 17, 33};
    bw_line line;
    ck_assert(bw_robust_line(x, y, 5, &line));
    ck_assert_double_eq_tol(line.slope, 2, 1e-9);
    ck_assert_double_eq_tol(line.intercept, 1, 1e-9);
    ck_assert_double_eq_tol(line.residual, 0, 1e-9);
    ck_assert(bw_robust_line(x, x, 3, &line));
    ck_assert_double_eq_tol(line.slope, 1, 1e-9);
}
END_TEST

/* A fifth of the values are wild; the line and the residual are those of the others. */
START_TEST(test_line_outliers)
{
    enum { N = 2000 };
    static double x[N], y[N];
    bw_line line;
    for (unsigned i = 0; i < N; i++) {
        x[i] = 1 + i % 32;
        y[i] = 0.5 + x[i] + 0.02 * (uniform() - 0.5);
        if (i % 5 == 0)
            y[i] += 100 * uniform();
    }
    ck_assert(bw_robust_line(x, y, N, &line));
    ck_assert_double_eq_tol(line.slope, 1, 0.001);
    ck_assert_double_eq_tol(line.intercept, 0.5, 0.01);
    ck_assert(line.residual > 0.001 && line.residual < 0.012);
}
END_TEST

START_TEST(test_line_none)
{
    double x[] = {2, 2, 2, 2}, y[] = {1, 2, 3, 4};
    bw_line line;
    ck_assert(!bw_robust_line(x, y, 4, &line)); /* no slope */
    ck_assert(!bw_robust_line(y, x, 2, &line)); /* too few */
    ck_assert(!bw_robust_line(y, x, 0, &line));
    ck_assert(bw_robust_line(y, x, 4, &line)); /* a flat line is one */
    ck_assert_double_eq_tol(line.slope, 0, 1e-9);
}
END_TEST

/* ---- samples ---- */

START_TEST(test_sampler_short)
{
    bw_sampler sampler;
    bw_sampler_init(&sampler, 100);
    for (unsigned i = 0; i < 100; i++)
        bw_sampler_add(&sampler, i, -(double)i);
    ck_assert_uint_eq(sampler.count, 100);
    for (unsigned i = 0; i < 100; i++) {
        ck_assert_double_eq(sampler.x[i], i);
        ck_assert_double_eq(sampler.y[i], -(double)i);
    }
    bw_sampler_finish(&sampler);
}
END_TEST

/* Every tenth of a stream has its share, and pairs stay together. */
START_TEST(test_sampler_long)
{
    enum { N = 1000000, KEPT = 10000 };
    bw_sampler sampler;
    unsigned in_tenth[10] = {0};
    bw_sampler_init(&sampler, KEPT);
    for (unsigned i = 0; i < N; i++)
        bw_sampler_add(&sampler, i, 2.0 * i);
    ck_assert_uint_eq(sampler.count, KEPT);
    ck_assert_uint_eq(sampler.seen, N);
    for (unsigned i = 0; i < KEPT; i++) {
        ck_assert_double_eq(sampler.y[i], 2 * sampler.x[i]);
        in_tenth[(unsigned)(sampler.x[i] * 10 / N)]++;
    }
    for (unsigned i = 0; i < 10; i++) /* 1000 expected, standard deviation 30 */
        ck_assert(in_tenth[i] > 850 && in_tenth[i] < 1150);
    bw_sampler_finish(&sampler);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("statistics");
    tcase_add_test(tc, test_rate_ends);
    tcase_add_test(tc, test_rate_known);
    tcase_add_test(tc, test_rate_large);
    tcase_add_test(tc, test_kendall);
    tcase_add_test(tc, test_kendall_ends);
    tcase_add_test(tc, test_line_exact);
    tcase_add_test(tc, test_line_outliers);
    tcase_add_test(tc, test_line_none);
    tcase_add_test(tc, test_sampler_short);
    tcase_add_test(tc, test_sampler_long);
    return tap_run(tc);
}
