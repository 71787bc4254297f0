/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "measure.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bw_median(double *values, size_t count)
{
    if (count == 0)
        return 0;
    qsort(values, count, sizeof *values, ascending);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

bw_measured bw_settle(double *values, size_t count)
{
    bw_measured result = {.cycles = bw_median(values, count)};
    result.spread = count ? values[count - 1] - values[0] : 0;
    double allowed = count ? BW_SPREAD_PART * values[count - 1] : 0;
    result.stable = result.spread <= (allowed > BW_SPREAD_CYCLES ? allowed : BW_SPREAD_CYCLES);
    return result;
}

/* Takes policy->repeats values of each of the requests at[0..count) of `requests`. */
static bool take(const bw_meter *meter, bw_op op, const bw_request *requests, const size_t *at,
                 size_t count, const bw_policy *policy, bw_measured *results)
{
    bw_request *buffer = meter->buffer(meter->context, 0, count);
    if (!buffer)
        return false;
    double *pass = bw_alloc(count * sizeof *pass);
    double *values = bw_alloc(count * policy->repeats * sizeof *values);
    bool ok = true;
    for (size_t i = 0; i < count; i++)
        buffer[i] = requests[at[i]];
    for (unsigned r = 0; ok && r < policy->repeats; r++) {
        ok = meter->submit(meter->context, 0, op, count, &policy->timing) &&
             meter->collect(meter->context, 0, pass);
        for (size_t i = 0; ok && i < count; i++)
            values[i * policy->repeats + r] = pass[i];
    }
    for (size_t i = 0; ok && i < count; i++)
        results[at[i]] = bw_settle(&values[i * policy->repeats], policy->repeats);
    free(values);
    free(pass);
    return ok;
}

/* Keeps in at[0..count) those whose result does not stand; returns how many. */
static size_t keep_unstable(size_t *at, size_t count, const bw_measured *results)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (!results[at[i]].stable)
            at[kept++] = at[i];
    return kept;
}

bool bw_measure(const bw_meter *meter, bw_op op, const bw_request *requests, size_t count,
                const bw_policy *policy, bw_measured *results)
{
    size_t *at = bw_alloc(BW_BATCH * sizeof *at);
    bool ok = true;
    for (size_t begin = 0; ok && begin < count; begin += BW_BATCH) {
        size_t left = count - begin < BW_BATCH ? count - begin : BW_BATCH;
        for (size_t i = 0; i < left; i++)
            at[i] = begin + i;
        for (unsigned turn = 0; ok && left && turn <= policy->retries; turn++) {
            ok = take(meter, op, requests, at, left, policy, results);
            left = keep_unstable(at, ok ? left : 0, results);
        }
    }
    free(at);
    return ok;
}
