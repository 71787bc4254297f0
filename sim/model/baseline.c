/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "baseline.h"

#include "rules.h"

static const struct {
    const char *name, *text;
} baselines[] = {
    [BW_BASELINE_ONE] = {"one", "always 1"},
    [BW_BASELINE_GCD] = {"gcd", "gcd(stride, 32)"},
    [BW_BASELINE_LANES] = {"per-bank", "lanes per bank, no broadcast"},
    [BW_BASELINE_BROADCAST] = {"broadcast", "words per bank, no phases"},
    [BW_BASELINE_PHASES] = {"phases", "with phases, all operations alike"},
    [BW_BASELINE_UNMERGED] = {"no-merge", "every rule but merging lanes"},
    [BW_BASELINE_MODEL] = {"model", "the model"},
};
_Static_assert(sizeof baselines / sizeof *baselines == BW_BASELINE_COUNT, "a row for each");

const char *bw_baseline_name(bw_baseline baseline)
{
    return (unsigned)baseline < BW_BASELINE_COUNT ? baselines[baseline].name : NULL;
}

const char *bw_baseline_text(bw_baseline baseline)
{
    return (unsigned)baseline < BW_BASELINE_COUNT ? baselines[baseline].text : NULL;
}

/* ---- without phases ---- */

/* Of the two lowest lanes; as people do it, the other lanes are taken to follow. Words that are
 * equal, or less than one apart, do not conflict. */
static uint32_t gcd_of_stride(const uint32_t *addr, uint32_t lanes)
{
    uint32_t rest = lanes & (lanes - 1);
    if (!rest)
        return 1;
    uint32_t a = addr[__builtin_ctz(lanes)] / 4, b = addr[__builtin_ctz(rest)] / 4;
    uint32_t apart = (uint32_t)(__builtin_ctz(rest) - __builtin_ctz(lanes));
    uint32_t stride = (a > b ? a - b : b - a) / apart;
    uint32_t ways = stride & -stride; /* gcd with a power of two */
    return stride == 0 ? 1 : ways < 32 ? ways : 32;
}

/* Whether a lower lane has the same address, but for the place in a word. */
static bool asked_before(const uint32_t *addr, uint32_t lanes, unsigned lane)
{
    for (uint32_t lower = lanes & ((1u << lane) - 1); lower; lower &= lower - 1)
        if (addr[__builtin_ctz(lower)] / 4 == addr[lane] / 4)
            return true;
    return false;
}

/* The largest count of words on one bank, over the whole warp; equal words each or once. Accesses
 * of one width are aligned, so two of them have all words in common or none. */
static uint32_t most_on_a_bank(const uint32_t *addr, uint32_t lanes, uint32_t bytes, bool once)
{
    uint32_t count[32] = {0}, most = 0, words = bytes < 4 ? 1 : bytes / 4;
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        if (once && asked_before(addr, lanes, lane))
            continue;
        for (uint32_t k = 0; k < words; k++) {
            uint32_t now = ++count[(addr[lane] / 4 + k) % 32];
            most = now > most ? now : most;
        }
    }
    return most;
}

/* ---- every rule but merging ---- */

static bw_pass unmerged_pass(const bw_op_info *info, const uint32_t *addr, uint32_t lanes)
{
    return bw_pass_count(addr, lanes, bw_phase_width(BW_RULES_MODERN, info->bytes),
                         bw_slots_of(BW_RULES_MODERN, info->bytes));
}

/* A compare-and-swap loop whose loads do not merge. */
static uint32_t unmerged_loop(const bw_op_info *info, const uint32_t *addr, uint32_t lanes)
{
    unsigned width = bw_phase_width(BW_RULES_MODERN, info->bytes);
    bw_slots slots = bw_slots_of(BW_RULES_MODERN, info->bytes);
    uint32_t wavefronts = 0;
    while (lanes) {
        wavefronts += bw_pass_count(addr, lanes, width, slots).distinct;
        wavefronts += SWAP_TURNS * bw_groups_with_lanes(lanes, width);
        lanes &= ~bw_swap_winners(addr, lanes, width, slots);
    }
    return wavefronts;
}

/* Only loads, and the loads in loops, merge. The least time is that of loads that do not (recorded
 * on sm_90: tests/recorded/sm_90-h200/cycles.csv). */
static bw_baseline_cost unmerged(const bw_op_info *info, const bw_request *request, uint32_t lanes,
                                 const bw_cost *model)
{
    bw_baseline_cost cost = {model->wavefronts, model->cycles};
    if (info->kind == BW_KIND_CAS_LOOP) {
        cost.wavefronts = cost.cycles = unmerged_loop(info, request->addr, lanes);
    } else if (info->kind == BW_KIND_LOAD && info->bytes > 4) {
        uint32_t least = info->bytes / 4u;
        cost.wavefronts = unmerged_pass(info, request->addr, lanes).distinct;
        cost.cycles = cost.wavefronts > least ? cost.wavefronts : least;
    }
    return cost;
}

bw_status bw_baselines_of(const bw_arch *arch, const bw_request *request,
                          bw_baseline_cost costs[BW_BASELINE_COUNT])
{
    bw_cost model;
    bw_status status =
        arch->rules == BW_RULES_MODERN ? bw_cost_of(arch, request, &model) : BW_UNSUPPORTED;
    for (unsigned i = 0; i < BW_BASELINE_COUNT; i++)
        costs[i] = (bw_baseline_cost){0, 0};
    if (status != BW_OK)
        return status;
    const bw_op_info *info = bw_op_get(request->op);
    if (info->turns == BW_TURNS_FIXED) { /* it has no model but one */
        for (unsigned i = 0; i < BW_BASELINE_COUNT; i++)
            costs[i] = (bw_baseline_cost){model.wavefronts, model.cycles};
        return BW_OK;
    }
    const uint32_t *addr = request->addr;
    uint32_t lanes = bw_lanes_of(info, request);
    costs[BW_BASELINE_ONE].wavefronts = 1;
    costs[BW_BASELINE_GCD].wavefronts = gcd_of_stride(addr, lanes);
    costs[BW_BASELINE_LANES].wavefronts = most_on_a_bank(addr, lanes, info->bytes, false);
    costs[BW_BASELINE_BROADCAST].wavefronts = most_on_a_bank(addr, lanes, info->bytes, true);
    costs[BW_BASELINE_PHASES].wavefronts = unmerged_pass(info, addr, lanes).distinct;
    for (unsigned i = 0; i < BW_BASELINE_UNMERGED; i++)
        costs[i].cycles = costs[i].wavefronts;
    costs[BW_BASELINE_UNMERGED] = unmerged(info, request, lanes, &model);
    costs[BW_BASELINE_MODEL] = (bw_baseline_cost){model.wavefronts, model.cycles};
    return BW_OK;
}
