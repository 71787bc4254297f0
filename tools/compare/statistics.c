/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "statistics.h"

#include "gsl_errors.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_fit.h>
#include <gsl/gsl_multifit.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"

/* ---- rates ---- */

/*
 * Where the beta distribution of a and b has `part` of its weight below. By bisection on the
 * distribution function, as gsl_cdf_beta_Pinv does not converge for some a and b that occur here.
 * NaN where GSL cannot tell the function: with a and b both in the millions.
 */
static double beta_quantile(double part, double a, double b)
{
    double low = 0, high = 1;
    while (high - low > 1e-15 * high) {
        double middle = low + (high - low) / 2, below = gsl_cdf_beta_P(middle, a, b);
        if (isnan(below) || middle <= low || middle >= high)
            return isnan(below) ? below : middle;
        if (below < part)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* One end of Wilson's interval with continuity correction (Newcombe, "Two-sided confidence
 * intervals for the single proportion", Statistics in Medicine 17, 1998): for n so large that it
 * cannot be told from the exact one. */
static double wilson_end(double k, double n, double side)
{
    double z = gsl_cdf_ugaussian_Pinv((1 + BW_RATE_COVERAGE) / 2), p = k / n;
    double inner = z * z + side * 2 - 1 / n + 4 * p * (n * (1 - p) - side);
    double end = (2 * n * p + z * z + side * (z * sqrt(inner) + 1)) / (2 * (n + z * z));
    return fmin(fmax(end, 0), 1);
}

/* side -1: the lower end, 1: the upper. */
static double rate_end(double k, double n, double side)
{
    double tail = (1 - BW_RATE_COVERAGE) / 2;
    if (k == 0)
        return side < 0 ? 0 : -expm1(log(tail) / n);
    if (k == n)
        return side < 0 ? exp(log(tail) / n) : 1;
    double end =
        side < 0 ? beta_quantile(tail, k, n - k + 1) : beta_quantile(1 - tail, k + 1, n - k);
    return isnan(end) ? wilson_end(k, n, side) : end;
}

bw_rate bw_rate_of(uint64_t hits, uint64_t trials)
{
    bw_rate rate = {.hits = hits, .trials = trials, .low = 0, .high = 1};
    if (!trials)
        return rate;
    gsl_error_handler_t *handler = gsl_set_error_handler(bw_gsl_lenient);
    rate.rate = (double)hits / (double)trials;
    rate.low = rate_end((double)hits, (double)trials, -1);
    rate.high = rate_end((double)hits, (double)trials, 1);
    gsl_set_error_handler(handler);
    return rate;
}

/* ---- Kendall's tau-b ---- */

/* Pairs among `run` equal values. */
static double pairs_of(size_t run)
{
    return (double)run * ((double)run - 1) / 2;
}

/* Pairs of equal neighbours' runs in sorted values[0..n). */
static double tied_pairs(const double *values, size_t n)
{
    double pairs = 0;
    for (size_t i = 0, begin = 0; i < n; i++)
        if (i + 1 == n || values[i + 1] != values[begin]) {
            pairs += pairs_of(i + 1 - begin);
            begin = i + 1;
        }
    return pairs;
}

/* Sorts `values` by merging, with `room` for as many; returns the exchanges that sorting by
 * neighbours would have taken. */
static double sort_counting(double *values, double *room, size_t n)
{
    double exchanges = 0;
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t begin = 0; begin < n; begin += 2 * width) {
            size_t middle = begin + width < n ? begin + width : n;
            size_t end = begin + 2 * width < n ? begin + 2 * width : n;
            size_t left = begin, right = middle, to = begin;
            while (left < middle || right < end) {
                bool from_left = right == end || (left < middle && values[left] <= values[right]);
                exchanges += from_left ? 0 : (double)(middle - left);
                room[to++] = from_left ? values[left++] : values[right++];
            }
        }
        memcpy(values, room, n * sizeof *values);
    }
    return exchanges;
}

typedef struct pair {
    double x, y;
} pair;

static int by_x_then_y(const void *left, const void *right)
{
    const pair *a = left, *b = right;
    if (a->x != b->x)
        return a->x < b->x ? -1 : 1;
    return a->y < b->y ? -1 : a->y > b->y;
}

/* Pairs of equal points among sorted points. */
static double tied_points(const pair *points, size_t n)
{
    double pairs = 0;
    for (size_t i = 0, begin = 0; i < n; i++)
        if (i + 1 == n || points[i + 1].x != points[begin].x ||
            points[i + 1].y != points[begin].y) {
            pairs += pairs_of(i + 1 - begin);
            begin = i + 1;
        }
    return pairs;
}

bool bw_kendall(const double *x, const double *y, size_t n, double *tau)
{
    *tau = 0;
    if (n < 2)
        return false;
    pair *points = bw_alloc(n * sizeof *points);
    double *values = bw_alloc(n * sizeof *values), *room = bw_alloc(n * sizeof *room);
    for (size_t i = 0; i < n; i++)
        points[i] = (pair){x[i], y[i]};
    qsort(points, n, sizeof *points, by_x_then_y);
    for (size_t i = 0; i < n; i++)
        values[i] = points[i].x;
    double ties_x = tied_pairs(values, n), ties_both = tied_points(points, n);
    for (size_t i = 0; i < n; i++)
        values[i] = points[i].y;
    double discordant = sort_counting(values, room, n); /* sorts values */
    double ties_y = tied_pairs(values, n), all = pairs_of(n);
    free(points);
    free(values);
    free(room);
    double denominator = sqrt(all - ties_x) * sqrt(all - ties_y);
    if (!(denominator > 0))
        return false;
    *tau = (all - ties_x - ties_y + ties_both - 2 * discordant) / denominator;
    return true;
}

/* ---- a line through most of the points ---- */

/* A residual of this part of the largest y is none: the points lie on a line, and there is nothing
 * to be robust against (nor a scale for the weights). */
#define NO_RESIDUAL 1e-12

static double median_residual(const double *x, const double *y, size_t n, const bw_line *line,
                              double *room)
{
    for (size_t i = 0; i < n; i++)
        room[i] = fabs(y[i] - line->intercept - line->slope * x[i]);
    gsl_sort(room, 1, n);
    return gsl_stats_median_from_sorted_data(room, 1, n);
}

static double largest_residual(const double *x, const double *y, size_t n, const bw_line *line)
{
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(y[i] - line->intercept - line->slope * x[i]));
    return most;
}

static bool fit_robustly(const double *x, const double *y, size_t n, bw_line *line)
{
    gsl_matrix *design = gsl_matrix_alloc(n, 2), *covariance = gsl_matrix_alloc(2, 2);
    gsl_vector *values = gsl_vector_alloc(n), *fitted = gsl_vector_alloc(2);
    gsl_multifit_robust_workspace *work =
        gsl_multifit_robust_alloc(gsl_multifit_robust_bisquare, n, 2);
    for (size_t i = 0; i < n; i++) {
        gsl_matrix_set(design, i, 0, 1);
        gsl_matrix_set(design, i, 1, x[i]);
        gsl_vector_set(values, i, y[i]);
    }
    bool good = gsl_multifit_robust(design, values, fitted, covariance, work) == GSL_SUCCESS;
    line->intercept = gsl_vector_get(fitted, 0);
    line->slope = gsl_vector_get(fitted, 1);
    gsl_multifit_robust_free(work);
    gsl_vector_free(fitted);
    gsl_vector_free(values);
    gsl_matrix_free(covariance);
    gsl_matrix_free(design);
    return good && isfinite(line->intercept) && isfinite(line->slope);
}

bool bw_robust_line(const double *x, const double *y, size_t n, bw_line *line)
{
    *line = (bw_line){0, 0, 0};
    double least, most, ignored[4], scale = 0;
    if (n < 3)
        return false;
    gsl_stats_minmax(&least, &most, x, 1, n);
    if (!(most > least))
        return false;
    for (size_t i = 0; i < n; i++)
        scale = fmax(scale, fabs(y[i]));
    gsl_error_handler_t *handler = gsl_set_error_handler(bw_gsl_lenient);
    gsl_fit_linear(x, 1, y, 1, n, &line->intercept, &line->slope, &ignored[0], &ignored[1],
                   &ignored[2], &ignored[3]);
    bool good =
        largest_residual(x, y, n, line) <= NO_RESIDUAL * scale || fit_robustly(x, y, n, line);
    gsl_set_error_handler(handler);
    double *room = bw_alloc(n * sizeof *room);
    line->residual = good ? median_residual(x, y, n, line, room) : 0;
    free(room);
    return good;
}

/* ---- a sample of a stream ---- */

/* SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014): enough
 * for a choice of rows, and the same on every machine. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

void bw_sampler_init(bw_sampler *sampler, size_t capacity)
{
    *sampler = (bw_sampler){.capacity = capacity};
    sampler->x = bw_alloc(capacity * sizeof *sampler->x);
    sampler->y = bw_alloc(capacity * sizeof *sampler->y);
}

void bw_sampler_add(bw_sampler *sampler, double x, double y)
{
    uint64_t at = sampler->seen++;
    if (at >= sampler->capacity)
        /* The remainder's bias is below 2^-24 for streams of less than 2^40. */
        at = next_random(&sampler->state) % sampler->seen;
    if (at >= sampler->capacity)
        return;
    sampler->x[at] = x;
    sampler->y[at] = y;
    if (sampler->count < sampler->capacity)
        sampler->count++;
}

void bw_sampler_finish(bw_sampler *sampler)
{
    free(sampler->x);
    free(sampler->y);
    *sampler = (bw_sampler){.capacity = 0};
}
