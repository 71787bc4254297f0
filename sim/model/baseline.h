/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * baseline: simpler models than ours, to show what each rule is worth.
 *
 * Owns a ladder of predictions, from "every request takes one wavefront" to the model itself, each
 * with one more rule than the one before. They are what people and tools use where they know only
 * part of the rules; none but the last is meant to be right. It knows no recording and no output.
 * Pure functions; nothing is allocated; safe from any thread.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_BASELINE_H
#define BANKWISE_BASELINE_H

#include "bankwise.h"

typedef enum bw_baseline {
    BW_BASELINE_ONE,       /* always 1                                                         */
    BW_BASELINE_GCD,       /* gcd(stride, 32), the stride in words between the lowest two lanes */
    BW_BASELINE_LANES,     /* the largest count of lanes on one bank, equal words counted each */
    BW_BASELINE_BROADCAST, /* the largest count of different words in one bank, whole warp     */
    BW_BASELINE_PHASES,    /* that, summed over halves or quarters of the warp by width        */
    BW_BASELINE_UNMERGED,  /* every rule of the model but that lane pairs merge                */
    BW_BASELINE_MODEL,     /* bw_cost_of                                                       */
    BW_BASELINE_COUNT
} bw_baseline;

/* What a baseline says of a request. Only the last two know that the results of wide loads and
 * 64-bit atomics take a least time; of the others cycles = wavefronts. */
typedef struct bw_baseline_cost {
    uint32_t wavefronts, cycles;
} bw_baseline_cost;

/*
 * Fills costs[BW_BASELINE_COUNT]. BW_UNSUPPORTED for architectures whose rules are not those of
 * compute capability 5.0 and later; otherwise what bw_cost_of returns. On anything but BW_OK the
 * costs are zeroed.
 */
bw_status bw_baselines_of(const bw_arch *arch, const bw_request *request,
                          bw_baseline_cost costs[BW_BASELINE_COUNT]);

/* A short name ("no-merge") and a phrase. Static storage; NULL outside the enumeration. */
const char *bw_baseline_name(bw_baseline baseline);
const char *bw_baseline_text(bw_baseline baseline);

#endif
