/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <math.h>

#include "laws.h"
#include "../common/tap.h"

/* Draws of each test: enough that a law that is off by a per cent is seen. */
#define DRAWS 200000
/* A right law is refused once in a million runs; the seeds are fixed, so never twice. */
#define LEAST_P 1e-6
#define MOST_VALUES 64

static bw_laws *laws;

static void set_up(void)
{
    laws = bw_laws_create(1);
}

static void tear_down(void)
{
    bw_laws_destroy(laws);
}

/* Chi-squared of DRAWS draws against `weights`, which need not add up to 1. */
static void assert_follows(bw_law law, double a, double b, const double *weights, unsigned n)
{
    double seen[MOST_VALUES] = {0}, all = 0, statistic = 0;
    for (unsigned i = 0; i < DRAWS; i++) {
        double value = bw_laws_draw(laws, law, a, b);
        if (!(value >= 0 && value < n && value == floor(value))) /* an assertion a draw is slow */
            ck_abort_msg("%g of law %d", value, law);
        seen[(unsigned)value]++;
    }
    for (unsigned i = 0; i < n; i++)
        all += weights[i];
    for (unsigned i = 0; i < n; i++) {
        double expected = DRAWS * weights[i] / all;
        statistic += (seen[i] - expected) * (seen[i] - expected) / expected;
    }
    double p = gsl_cdf_chisq_Q(statistic, n - 1);
    ck_assert_msg(p > LEAST_P, "law %d(%g, %g): p = %g", law, a, b, p);
}

START_TEST(uniform_is_uniform)
{
    double weights[MOST_VALUES];
    for (unsigned i = 0; i < MOST_VALUES; i++)
        weights[i] = 1;
    assert_follows(BW_LAW_UNIFORM, 2, 0, weights, 2);
    assert_follows(BW_LAW_UNIFORM, 7, 0, weights, 7);
    assert_follows(BW_LAW_UNIFORM, 64, 0, weights, 64);
    for (unsigned i = 0; i < 100; i++)
        ck_assert_double_eq(bw_laws_draw(laws, BW_LAW_UNIFORM, 1, 0), 0);
}
END_TEST

START_TEST(uniform_has_large_ranges)
{
    double mean = 0;
    unsigned good = 0;
    const double n = 0x1p40;
    for (unsigned i = 0; i < DRAWS; i++) {
        double value = bw_laws_draw(laws, BW_LAW_UNIFORM, n, 0);
        good += value >= 0 && value < n && value == floor(value);
        mean += value / n / DRAWS;
    }
    ck_assert_uint_eq(good, DRAWS);
    ck_assert_double_eq_tol(mean, 0.5, 0.004); /* six standard deviations */
}
END_TEST

START_TEST(zipf_follows_its_weights)
{
    static const double exponents[] = {0, 0.3, 0.999999, 1, 1.1, 2.5};
    static const unsigned sizes[] = {2, 5, 33};
    for (unsigned e = 0; e < sizeof exponents / sizeof *exponents; e++)
        for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            double weights[MOST_VALUES];
            for (unsigned i = 0; i < sizes[s]; i++)
                weights[i] = pow(i + 1, -exponents[e]);
            assert_follows(BW_LAW_ZIPF, sizes[s], exponents[e], weights, sizes[s]);
        }
    ck_assert_double_eq(bw_laws_draw(laws, BW_LAW_ZIPF, 1, 1), 0);
}
END_TEST

START_TEST(zipf_has_large_ranges)
{
    unsigned good = 0, first = 0;
    for (unsigned i = 0; i < DRAWS; i++) {
        double value = bw_laws_draw(laws, BW_LAW_ZIPF, 1e9, 0.5);
        good += value >= 0 && value < 1e9 && value == floor(value);
        first += bw_laws_draw(laws, BW_LAW_ZIPF, 1e9, 40) == 0; /* 1 of 2^40 is another */
    }
    ck_assert_uint_eq(good, DRAWS);
    ck_assert_uint_eq(first, DRAWS);
}
END_TEST

START_TEST(binomial_follows_its_weights)
{
    double weights[MOST_VALUES];
    for (unsigned i = 0; i <= 10; i++)
        weights[i] = gsl_ran_binomial_pdf(i, 0.3, 10);
    assert_follows(BW_LAW_BINOMIAL, 10, 0.3, weights, 11);
    ck_assert_double_eq(bw_laws_draw(laws, BW_LAW_BINOMIAL, 10, 0), 0);
    ck_assert_double_eq(bw_laws_draw(laws, BW_LAW_BINOMIAL, 10, 1), 10);
    ck_assert_double_eq(bw_laws_draw(laws, BW_LAW_BINOMIAL, 0x1p33, 1), 0x1p33);
}
END_TEST

START_TEST(normal_has_mean_and_deviation)
{
    double sum = 0, squares = 0;
    for (unsigned i = 0; i < DRAWS; i++) {
        double value = bw_laws_draw(laws, BW_LAW_NORMAL, 5, 2);
        sum += value;
        squares += value * value;
    }
    double mean = sum / DRAWS;
    ck_assert_double_eq_tol(mean, 5, 0.03);
    ck_assert_double_eq_tol(sqrt(squares / DRAWS - mean * mean), 2, 0.02);
    ck_assert_double_eq(bw_laws_draw(laws, BW_LAW_NORMAL, 5, 0), 5);
}
END_TEST

START_TEST(a_seed_repeats)
{
    double first[100];
    bw_laws_seed(laws, 9);
    for (unsigned i = 0; i < 100; i++)
        first[i] = bw_laws_draw(laws, BW_LAW_UNIFORM, 1000, 0);
    bw_laws_seed(laws, 9);
    for (unsigned i = 0; i < 100; i++)
        ck_assert_double_eq(bw_laws_draw(laws, BW_LAW_UNIFORM, 1000, 0), first[i]);
    bw_laws_seed(laws, 10);
    unsigned equal = 0;
    for (unsigned i = 0; i < 100; i++)
        equal += bw_laws_draw(laws, BW_LAW_UNIFORM, 1000, 0) == first[i];
    ck_assert_uint_lt(equal, 10);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("laws");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, uniform_is_uniform);
    tcase_add_test(tests, uniform_has_large_ranges);
    tcase_add_test(tests, zipf_follows_its_weights);
    tcase_add_test(tests, zipf_has_large_ranges);
    tcase_add_test(tests, binomial_follows_its_weights);
    tcase_add_test(tests, normal_has_mean_and_deviation);
    tcase_add_test(tests, a_seed_repeats);
    return tap_run(tests);
}
