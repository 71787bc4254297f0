/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What one request costs under the rules measured on sm_90 (compute capability 5.0 and later).
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "bankwise.h"
#include "group.h"

/* How a request falls into phases: which lanes each has. */
typedef struct phases {
    uint32_t width; /* lanes of a phase, inactive ones included */
    bool merged;
} phases;

/* 32 lanes up to 4 bytes, 16 at 8 bytes, 8 at 16 bytes. */
static uint32_t phase_width(unsigned bytes)
{
    return bytes <= 4 ? 32 : bytes == 8 ? 16 : 8;
}

static uint32_t phase_mask(uint32_t start, uint32_t width)
{
    return (width == 32 ? UINT32_MAX : (1u << width) - 1) << start;
}

/* Wide loads serve two phases as one if lane pairs at distance 1, or at distance 2, ask for one
 * address throughout the warp. */
static phases load_phases(const bw_op_info *info, const uint32_t *addr, uint32_t lanes)
{
    phases p = {.width = phase_width(info->bytes)};
    if (p.width < 32 && (bw_group_pairs(addr, lanes, 1) || bw_group_pairs(addr, lanes, 2))) {
        p.merged = true;
        p.width *= 2;
    }
    return p;
}

/* What the phases of one pass over the lanes come to. */
typedef struct pass {
    uint32_t phases;   /* that have a lane */
    uint32_t distinct; /* sum over phases */
    uint32_t lanes;    /* sum over phases: equal words counted each */
    uint32_t equal;    /* sum over phases: what a perfect layout leaves of `lanes` */
    uint32_t degree;   /* largest */
} pass;

static pass count_pass(const uint32_t *addr, uint32_t lanes, uint32_t width, unsigned shift)
{
    pass sum = {0};
    for (uint32_t start = 0; start < BW_LANES; start += width) {
        bw_group group = bw_group_count(addr, lanes & phase_mask(start, width), shift);
        sum.phases += group.lanes != 0;
        sum.distinct += group.distinct;
        sum.lanes += group.lanes;
        sum.equal += group.equal;
        if (group.distinct > sum.degree)
            sum.degree = group.distinct;
    }
    return sum;
}

static void set_excess(bw_cost *cost, uint32_t perfect)
{
    cost->excess_serial = perfect - cost->ideal;
    cost->excess_layout = cost->wavefronts - perfect;
}

/* Loads, stores, matrices and counting: different words of one bank take turns. */
static void cost_distinct(const bw_op_info *info, const bw_request *request, uint32_t lanes,
                          bw_cost *cost)
{
    phases p = {.width = phase_width(info->bytes)};
    if (info->kind == BW_KIND_LOAD)
        p = load_phases(info, request->addr, lanes);
    pass sum = count_pass(request->addr, lanes, p.width, bw_slot_shift(info->bytes));
    *cost = (bw_cost){.wavefronts = sum.distinct,
                      .ideal = sum.phases,
                      .degree = sum.degree,
                      .phases = sum.phases,
                      .merged = p.merged};
    set_excess(cost, sum.phases);
}

/* Atomics and asynchronous copies: every lane takes its turn. A compare-and-swap takes two. */
static void cost_lanes(const bw_op_info *info, const bw_request *request, uint32_t lanes,
                       bw_cost *cost)
{
    uint32_t turns = info->kind == BW_KIND_CAS ? 2 : 1;
    pass sum = count_pass(request->addr, lanes, phase_width(info->bytes),
                          bw_slot_shift(info->bytes));
    *cost = (bw_cost){.wavefronts = turns * sum.lanes,
                      .ideal = turns * sum.phases,
                      .degree = sum.degree,
                      .phases = sum.phases};
    set_excess(cost, turns * sum.equal);
}

static uint32_t groups_with_lanes(uint32_t lanes, uint32_t width)
{
    uint32_t count = 0;
    for (uint32_t start = 0; start < BW_LANES; start += width)
        count += (lanes & phase_mask(start, width)) != 0;
    return count;
}

/* The lanes whose swap succeeds: in each phase, the lowest of those that share a bank. */
static uint32_t winners(const uint32_t *addr, uint32_t lanes, uint32_t width, unsigned shift)
{
    uint32_t won = 0;
    for (uint32_t start = 0; start < BW_LANES; start += width)
        won |= bw_group_first(addr, lanes & phase_mask(start, width), shift);
    return won;
}

/* The lanes that win where every distinct element has banks of its own: the lowest lane of those
 * with one address. */
static uint32_t winners_perfect(const uint32_t *addr, uint32_t lanes, uint32_t width)
{
    uint32_t won = lanes;
    for (uint32_t i = 0; i < BW_LANES; i++)
        for (uint32_t j = i / width * width; j < i; j++)
            if (lanes >> i & lanes >> j & 1 && addr[i] == addr[j])
                won &= ~(1u << i);
    return won;
}

/* The same loop with every distinct element in banks of its own: what no layout removes. */
static uint32_t loop_perfect(const bw_op_info *info, const uint32_t *addr, uint32_t lanes)
{
    uint32_t width = phase_width(info->bytes), wavefronts = 0;
    while (lanes) {
        phases load = load_phases(info, addr, lanes);
        wavefronts += groups_with_lanes(lanes, load.width) + 2 * groups_with_lanes(lanes, width);
        lanes &= ~winners_perfect(addr, lanes, width);
    }
    return wavefronts;
}

/*
 * A loop of load, operation and compare-and-swap, simulated: in each round the remaining lanes
 * load, then swap (two wavefronts for each phase that still has lanes), and the winners leave.
 */
static void cost_loop(const bw_op_info *info, const bw_request *request, uint32_t lanes,
                      bw_cost *cost)
{
    const uint32_t *addr = request->addr;
    uint32_t width = phase_width(info->bytes), left = lanes;
    unsigned shift = bw_slot_shift(info->bytes);
    *cost = (bw_cost){0};
    while (left) {
        phases p = load_phases(info, addr, left);
        pass load = count_pass(addr, left, p.width, shift);
        uint32_t swaps = 2 * groups_with_lanes(left, width);
        cost->wavefronts += load.distinct + swaps;
        if (cost->rounds++ == 0) {
            cost->ideal = load.phases + swaps;
            cost->degree = load.degree;
            cost->phases = load.phases;
            cost->merged = p.merged;
        }
        left &= ~winners(addr, left, width, shift);
    }
    set_excess(cost, loop_perfect(info, addr, lanes));
}

/* The least time of an instruction, whatever the mask: its results take that long to return. */
static uint32_t floor_cycles(bw_op op, bool merged)
{
    switch (op) {
    case BW_OP_LD_64: return merged ? 1 : 2;
    case BW_OP_LD_128: return merged ? 2 : 4;
    case BW_OP_ATOM_EXCH_B64: return 2;
    case BW_OP_ATOM_CAS_B64: return 4;
    case BW_OP_ATOM_CAS_B32: return 2;
    default: return 0;
    }
}

/* ldmatrix came with sm_75, cp.async with sm_80, stmatrix with sm_90 (PTX ISA, "Target ISA
 * Notes" of each instruction). */
static bool is_supported(const bw_arch *arch, const bw_op_info *info)
{
    switch (info->kind) {
    case BW_KIND_LDMATRIX: return arch->cc >= 75;
    case BW_KIND_STMATRIX: return arch->cc >= 90;
    case BW_KIND_ASYNC:
    case BW_KIND_ASYNC_CG: return arch->cc >= 80;
    default: return true;
    }
}

static void cost_modern(const bw_op_info *info, const bw_request *request, uint32_t lanes,
                        bw_cost *cost)
{
    switch (info->kind) {
    case BW_KIND_ATOMIC:
    case BW_KIND_CAS:
    case BW_KIND_ASYNC:
    case BW_KIND_ASYNC_CG: cost_lanes(info, request, lanes, cost); break;
    case BW_KIND_CAS_LOOP: cost_loop(info, request, lanes, cost); return;
    default: cost_distinct(info, request, lanes, cost); break;
    }
    uint32_t least = floor_cycles(request->op, cost->merged);
    cost->cycles = cost->wavefronts > least ? cost->wavefronts : least;
    cost->rounds = 1;
}

bw_status bw_cost_of(const bw_arch *arch, const bw_request *request, bw_cost *cost)
{
    *cost = (bw_cost){0};
    const bw_op_info *info = bw_op_get(request->op);
    if (!info)
        return BW_INVALID;
    if (arch->rules != BW_RULES_MODERN || !is_supported(arch, info))
        return BW_UNSUPPORTED;
    uint32_t lanes = bw_request_lanes(request);
    if (lanes == 0)
        return BW_NO_LANES;
    if (bw_request_bad_lane(request, 0) >= 0)
        return BW_MISALIGNED;
    cost_modern(info, request, lanes, cost);
    if (info->kind == BW_KIND_CAS_LOOP)
        cost->cycles = cost->wavefronts;
    cost->basis = bw_basis_of(arch, request->op);
    return BW_OK;
}
