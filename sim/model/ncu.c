/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What Nsight Compute shows for one request. The hardware's counters follow from the cost. What the
 * tool computes from addresses (memory_l1_wavefronts_shared and its ideal) was inferred from
 * recordings of Nsight Compute 2025.3 on sm_90; each rule below names the recorded rows it rests
 * on, all in tests/recorded/sm_90-h200/counters.csv.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "rules.h"

#define LINE_BYTES 128u /* what the tool takes one wavefront to move */

static uint32_t lines_for(uint32_t lanes, unsigned bytes)
{
    uint32_t moved = (uint32_t)__builtin_popcount(lanes) * bytes;
    return (moved + LINE_BYTES - 1) / LINE_BYTES;
}

/* The lowest lane of each different address. */
static uint32_t first_of_each(const uint32_t *addr, uint32_t lanes)
{
    uint32_t first = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        bool known = false;
        for (uint32_t lower = first; lower && !known; lower &= lower - 1)
            known = addr[__builtin_ctz(lower)] == addr[i];
        first |= (uint32_t)!known << i;
    }
    return first;
}

/* Ideal of a load: the bytes of its active lanes in lines, halved if it merges (43 rows of ld, all
 * agree). */
static uint32_t load_ideal(const uint32_t *addr, uint32_t lanes, unsigned bytes)
{
    uint32_t lines = lines_for(lanes, bytes);
    return bw_load_phases(BW_RULES_MODERN, bytes, addr, lanes).merged ? (lines + 1) / 2 : lines;
}

/*
 * Wide loads of which the tool is known to differ from the hardware, or may: one half of the warp
 * would merge by itself and the whole does not; or some lanes are off and some neighbours (at
 * distance 1 or 2) share an address or miss their partner, merging or nearly so. All rows of
 * gpu-counters.csv that differ are among these, or loops on 8 bytes; the recordings do not say how
 * the tool counts them.
 */
static bool is_uncertain(const uint32_t *addr, uint32_t lanes, unsigned bytes)
{
    if (bytes < 8)
        return false;
    uint32_t lower = lanes & 0xffff, upper = lanes & ~0xffffu;
    bool merged = bw_load_phases(BW_RULES_MODERN, bytes, addr, lanes).merged;
    if (lower && upper && !merged &&
        (bw_load_phases(BW_RULES_MODERN, bytes, addr, lower).merged ||
         bw_load_phases(BW_RULES_MODERN, bytes, addr, upper).merged))
        return true;
    if (lanes == UINT32_MAX)
        return false;
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        for (unsigned d = 1; d <= 2; d++)
            if (!(lanes >> (i ^ d) & 1) || addr[i ^ d] == addr[i])
                return true;
    }
    return false;
}

/*
 * A 16-byte load that merges and reads one address in both halves: the tool counts the address once
 * (two rows, both with a single address), but never less than its ideal (a third such row). With
 * more addresses that is untested.
 */
static void count_load(const bw_request *request, uint32_t lanes, unsigned bytes,
                       const bw_cost *cost, bw_ncu *ncu)
{
    const uint32_t *addr = request->addr;
    ncu->sass_ideal = load_ideal(addr, lanes, bytes);
    ncu->sass_exact = !is_uncertain(addr, lanes, bytes);
    if (bytes < 16 || !cost->merged)
        return;
    uint32_t first = first_of_each(addr, lanes);
    bw_pass once = bw_pass_count(addr, first, 16, bw_slots_of(BW_RULES_MODERN, bytes));
    uint32_t counted = once.distinct > ncu->sass_ideal ? once.distinct : ncu->sass_ideal;
    bool single = (first & (first - 1)) == 0;
    ncu->sass_exact = ncu->sass_exact && (single || counted == cost->wavefronts);
    ncu->sass_wavefronts = counted;
}

/* Conflicts and ideal of a compare-and-swap loop, by its instructions: each round's load and its
 * swap (21 rows, all agree). */
static void count_loop(const bw_request *request, uint32_t lanes, unsigned bytes,
                       const bw_cost *cost, bw_ncu *ncu)
{
    const uint32_t *addr = request->addr;
    unsigned width = bw_phase_width(BW_RULES_MODERN, bytes);
    bw_slots slots = bw_slots_of(BW_RULES_MODERN, bytes);
    ncu->conflicts = ncu->sass_ideal = 0;
    while (lanes) {
        bw_phases p = bw_load_phases(BW_RULES_MODERN, bytes, addr, lanes);
        bw_pass load = bw_pass_count(addr, lanes, p.width, slots);
        ncu->conflicts += load.distinct - load.phases;
        ncu->sass_ideal += load_ideal(addr, lanes, bytes) + SWAP_TURNS * lines_for(lanes, bytes);
        /* on 8 bytes the rounds go by values, which the request does not tell */
        ncu->sass_exact = ncu->sass_exact && (bytes < 8 || cost->rounds == 1) &&
                          cost->wavefronts_changing == cost->wavefronts &&
                          !is_uncertain(addr, lanes, bytes);
        lanes &= ~bw_swap_winners(addr, lanes, width, slots);
    }
}

/* What the tool counts together of an asynchronous copy past L1: lane pairs move 32-byte sectors
 * of the source; `half` says which of a sector's chunks this destination gets. */
typedef struct sector {
    uint32_t source, target; /* sector numbers; four make a line */
    uint32_t half;           /* bit 0: the even lane's chunk, bit 1: the odd lane's */
} sector;

static bool together(const sector *a, const sector *b)
{
    return a->source / 4 == b->source / 4 && a->target / 4 == b->target / 4 && a->half == b->half &&
           ((a->target - a->source) & 3) == ((b->target - b->source) & 3);
}

/*
 * cp.async of 16 bytes past L1: different chunks, each by its lowest lane, form sectors; sectors of
 * one source line and one target line go together if they are turned alike within the line and have
 * the same halves. That gives all 30 recorded rows, whose sources lie consecutively by lane; the
 * request does not say where a source lies, so the count is not called exact.
 */
static void count_async_cg(const bw_request *request, uint32_t lanes, bw_ncu *ncu)
{
    sector sectors[BW_LANES];
    unsigned count = 0, groups = 0;
    uint32_t first = first_of_each(request->addr, lanes);
    for (uint32_t left = first; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left), at = 0;
        sector s = {lane / 2, request->addr[lane] / 32, 1u << lane % 2};
        while (at < count && (sectors[at].source != s.source || sectors[at].target != s.target))
            at++;
        if (at == count)
            sectors[count++] = s;
        else
            sectors[at].half |= s.half;
    }
    for (unsigned i = 0; i < count; i++) {
        bool known = false;
        for (unsigned j = 0; j < i && !known; j++)
            known = together(&sectors[i], &sectors[j]);
        groups += !known;
    }
    ncu->sass_wavefronts = groups;
    ncu->sass_ideal = lines_for(first, 16);
    ncu->sass_exact = false;
    /* The hardware counters do not see it: no wavefront and no conflict in any of the 28 rows of
     * gpu-counters.csv, no conflict in the 30 of counters.csv, which has no wavefronts of it. */
    ncu->wavefronts = ncu->conflicts = 0;
}

bw_status bw_ncu_from_cost(const bw_arch *arch, const bw_request *request, const bw_cost *cost,
                           bw_ncu *ncu)
{
    const bw_op_info *info = bw_op_get(request->op);
    uint32_t lanes = bw_lanes_of(info, request);
    *ncu = (bw_ncu){0};
    if (arch->rules != BW_RULES_MODERN || arch->cc < 70)
        return BW_UNSUPPORTED;
    *ncu = (bw_ncu){.wavefronts = cost->wavefronts,
                    .conflicts = cost->wavefronts - cost->ideal,
                    .sass_wavefronts = cost->wavefronts,
                    .sass_ideal = lines_for(lanes, info->bytes),
                    .sass_exact = true,
                    .hw_exact = true};
    switch (info->kind) {
    case BW_KIND_LOAD: count_load(request, lanes, info->bytes, cost, ncu); break;
    case BW_KIND_LDMATRIX:
    case BW_KIND_STMATRIX: ncu->sass_ideal = cost->ideal; break;
    case BW_KIND_CAS: /* conflicts are counted of one of the two passes (10 rows) */
        ncu->conflicts = (cost->wavefronts - cost->ideal) / SWAP_TURNS;
        ncu->sass_ideal *= SWAP_TURNS;
        break;
    case BW_KIND_WGMMA:
        ncu->sass_ideal = cost->wavefronts;
        ncu->sass_exact = false; /* not recorded */
        break;
    case BW_KIND_SWAP: ncu->sass_ideal *= SWAP_TURNS; break;
    case BW_KIND_CAS_LOOP: count_loop(request, lanes, info->bytes, cost, ncu); break;
    case BW_KIND_ASYNC_CG: count_async_cg(request, lanes, ncu); break;
    case BW_KIND_ASYNC: ncu->sass_exact = info->bytes < 16; break; /* 16 bytes: not recorded */
    default: break;
    }
    return BW_OK;
}

bw_status bw_ncu_of(const bw_arch *arch, const bw_request *request, bw_ncu *ncu)
{
    bw_cost cost;
    *ncu = (bw_ncu){0};
    bw_status status = bw_cost_of(arch, request, &cost);
    return status == BW_OK ? bw_ncu_from_cost(arch, request, &cost, ncu) : status;
}
