/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "reduce.h"

#include <math.h>
#include <string.h>

/* Candidates of one step: halves to single lanes to drop, and two changes for each lane. */
#define CANDIDATES (BW_LANES * 2 + BW_LANES * 2 + 2)

typedef struct candidates {
    bw_request at[CANDIDATES];
    size_t count;
} candidates;

static void add(candidates *c, const bw_request *from, const bw_request *candidate)
{
    if (bw_request_lanes(candidate) && memcmp(from, candidate, sizeof *from) != 0)
        c->at[c->count++] = *candidate;
}

/* Without 16, 8, 4, 2 and 1 lanes at every place: large cuts first. */
static void add_fewer_lanes(candidates *c, const bw_request *from)
{
    if (bw_op_get(from->op)->matrices)
        return;
    for (unsigned size = BW_LANES / 2; size; size /= 2)
        for (unsigned lane = 0; lane < BW_LANES; lane += size) {
            bw_request candidate = *from;
            candidate.active &= ~(((1u << size) - 1) << lane);
            add(c, from, &candidate);
        }
}

static uint32_t lowest(const bw_request *request)
{
    uint32_t lanes = bw_request_lanes(request), least = UINT32_MAX;
    for (unsigned lane = 0; lane < BW_LANES; lane++)
        if (lanes >> lane & 1 && request->addr[lane] < least)
            least = request->addr[lane];
    return least;
}

/* All addresses moved down by whole rows of the banks; idle lanes at 0. */
static void add_moved(candidates *c, const bw_request *from)
{
    bw_request candidate = *from;
    uint32_t down = lowest(from) / 128 * 128, lanes = bw_request_lanes(from);
    for (unsigned lane = 0; lane < BW_LANES; lane++)
        candidate.addr[lane] = lanes >> lane & 1 ? from->addr[lane] - down : 0;
    add(c, from, &candidate);
}

/* A lane in the first row, or where the lowest lane is. Only ever downwards, so that it ends. */
static void add_simpler_lanes(candidates *c, const bw_request *from)
{
    uint32_t lanes = bw_request_lanes(from), least = lanes ? lowest(from) : 0;
    for (unsigned lane = 0; lane < BW_LANES; lane++) {
        if (!(lanes >> lane & 1))
            continue;
        bw_request candidate = *from;
        candidate.addr[lane] = least;
        add(c, from, &candidate);
        candidate.addr[lane] = from->addr[lane] % 128;
        if (candidate.addr[lane] != least)
            add(c, from, &candidate);
    }
}

/* The first of c->at[0..count) on which meter and model surely disagree; -1 for none. */
static bool first_wrong(const bw_meter *meter, const bw_arch *arch, const candidates *c,
                        const bw_policy *policy, long *found, bw_reduced *result)
{
    bw_measured measured[CANDIDATES];
    *found = -1;
    if (c->count && !bw_measure(meter, c->at[0].op, c->at, c->count, policy, measured))
        return false;
    for (size_t i = 0; i < c->count && *found < 0; i++) {
        bw_cost cost;
        if (!measured[i].stable || bw_cost_of(arch, &c->at[i], &cost) != BW_OK ||
            llround(measured[i].cycles) == (long long)cost.cycles)
            continue;
        *found = (long)i;
        result->request = c->at[i];
        result->measured = measured[i];
        result->predicted = cost.cycles;
    }
    return true;
}

bool bw_reduce(const bw_meter *meter, const bw_arch *arch, const bw_request *start,
               const bw_policy *policy, bw_reduced *result)
{
    candidates c = {.at = {*start}, .count = 1};
    long found;
    memset(result, 0, sizeof *result);
    result->request = *start;
    if (!first_wrong(meter, arch, &c, policy, &found, result))
        return false;
    result->confirmed = found >= 0;
    for (int step = 0; found >= 0 && step < BW_REDUCE_STEPS; step++) {
        bw_request from = result->request;
        c.count = 0;
        add_fewer_lanes(&c, &from);
        add_moved(&c, &from);
        add_simpler_lanes(&c, &from);
        if (!first_wrong(meter, arch, &c, policy, &found, result))
            return false;
    }
    return true;
}
