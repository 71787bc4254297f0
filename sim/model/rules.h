/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rules: what the parts of the model share about how a request falls into phases.
 *
 * Private to the model: cost.c prices what these describe, schedule.c plays it out, ncu.c counts
 * it as the profiler does. Pure functions; nothing is allocated.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_RULES_H
#define BANKWISE_RULES_H

#include "group.h"

/* Wavefronts that a compare-and-swap takes a turn: it reads, then it swaps. */
#define SWAP_TURNS 2u

/* Columns of a wgmma: 8 to 256 in steps of 8 (PTX ISA, "Asynchronous Warpgroup Level Matrix
 * Shape").
 */
#define WGMMA_STEP 8u
#define WGMMA_MOST 256u

/* How lanes are grouped: phases of `width` consecutive lanes, inactive ones included. */
typedef struct bw_phases {
    unsigned width;
    bool merged;
} bw_phases;

/* Lanes of a phase of an access of `bytes` that does not merge; not for BW_RULES_CC1. */
static inline unsigned bw_phase_width(bw_rules rules, unsigned bytes)
{
    bool kepler = rules == BW_RULES_KEPLER4 || rules == BW_RULES_KEPLER8;
    unsigned width = 32u >> bw_width_class(bytes);
    return kepler && width < 32 ? 2 * width : width;
}

/* bw_request_lanes without its call. */
static inline uint32_t bw_lanes_of(const bw_op_info *info, const bw_request *request)
{
    bool some = info->matrices == 1 || info->matrices == 2;
    return some ? request->active & ((1u << 8 * info->matrices) - 1) : request->active;
}

/* Phases of a load of `bytes` by `lanes`: on compute capability 5.0 and later wide loads merge two
 * phases into one if lane pairs at distance 1, or at distance 2, ask for one address throughout
 * the warp. */
bw_phases bw_load_phases(bw_rules rules, unsigned bytes, const uint32_t addr[BW_LANES],
                         uint32_t lanes);

/* How many groups of `width` lanes have one of `lanes`. */
unsigned bw_groups_with_lanes(uint32_t lanes, unsigned width);

/* The lanes whose compare-and-swap succeeds: in each phase of `width` the lowest lane of those that
 * share a bank. */
uint32_t bw_swap_winners(const uint32_t addr[BW_LANES], uint32_t lanes, unsigned width,
                         bw_slots slots);

/* What the phases of one pass over the lanes come to. */
typedef struct bw_pass {
    uint32_t phases;   /* that have a lane */
    uint32_t distinct; /* sum over phases */
    uint32_t lanes;    /* sum over phases: equal words counted each */
    uint32_t equal;    /* sum over phases: what a perfect layout leaves of `lanes` */
    uint32_t degree;   /* the largest `distinct` of a phase */
} bw_pass;

bw_pass bw_pass_count(const uint32_t addr[BW_LANES], uint32_t lanes, unsigned width,
                      bw_slots slots);

/* BW_OK if bw_cost_of can price the request of the operation `info`, which may be NULL. */
bw_status bw_request_status(const bw_arch *arch, const bw_op_info *info, const bw_request *request);

/* bw_ncu_of for a request whose cost is known. */
bw_status bw_ncu_from_cost(const bw_arch *arch, const bw_request *request, const bw_cost *cost,
                           bw_ncu *ncu);

/* Prices a valid request under BW_RULES_CC1 (cost_cc1.c). */
void bw_cost_cc1(const bw_op_info *info, const bw_request *request, bw_cost *cost);

#endif
