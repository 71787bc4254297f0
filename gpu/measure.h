/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * measure: from times to numbers that can be trusted.
 *
 * Owns the arithmetic of a measurement (slope, median, spread) and the rule that decides whether a
 * result stands: measured several times, repeated where the values disagree, marked where they keep
 * disagreeing. It knows no CUDA and no model.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_MEASURE_H
#define BANKWISE_MEASURE_H

#include "meter.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Requests handed to a meter at once: 36 MB of them. */
#define BW_BATCH ((size_t)1 << 18)

/* A result stands if its values lie within this many cycles of each other ... */
#define BW_SPREAD_CYCLES 0.2
/* ... or within this part of the largest, for requests of many wavefronts. */
#define BW_SPREAD_PART 0.005

typedef struct bw_policy {
    bw_timing timing;
    unsigned repeats; /* values taken of each request; 1 to BW_MAX_REPEATS              */
    unsigned retries; /* how often a request whose values disagree is started again     */
} bw_policy;

#define BW_MAX_REPEATS 99u
#define BW_POLICY_CAREFUL ((bw_policy){BW_TIMING_CAREFUL, 5, 3})

typedef struct bw_measured {
    double cycles; /* median */
    double spread; /* largest less smallest */
    bool stable;   /* false: the values kept disagreeing; the median means little */
} bw_measured;

/* The median of values[0..count), which is reordered; the mean of the two middle ones if even. */
double bw_median(double *values, size_t count);

/* What `count` values of one request amount to. Reorders them. */
bw_measured bw_settle(double *values, size_t count);

/* Measures requests[0..count), all of operation `op` and checked. False where the meter failed. */
bool bw_measure(const bw_meter *meter, bw_op op, const bw_request *requests, size_t count,
                const bw_policy *policy, bw_measured *results);

#ifdef __cplusplus
}
#endif
#endif
