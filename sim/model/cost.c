/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What one request costs: the rules measured on sm_90 for compute capability 5.0 and later, and
 * those that NVIDIA documented for Fermi and Kepler.
 *
 * Fermi (CUDA C Programming Guide 4.2, F.4.3): as today for up to 4 bytes; 8 bytes by half-warps,
 * 16 bytes by quarter-warps, where one is to be added to the ways of the conflict ("the majority of
 * 128-bit accesses will cause 2-way bank conflicts, even if no two threads in a quarter-warp access
 * different addresses belonging to the same bank").
 *
 * Kepler (the same, F.5.3): banks of 8 bytes. In 8-byte mode two lanes do not collide within one
 * 64-bit word; in 4-byte mode not within one 32-bit word nor within words i and i + 32 of one
 * aligned segment of 64 words, which are the two halves of one bank row. A row is 256 bytes, so 32
 * lanes of 8 bytes go in one pass; that 16 bytes go by half-warps is not in the guide but follows
 * from the width, and is marked as assumed.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "copy.h"
#include "rules.h"

/* ---- phases ---- */

bw_phases bw_load_phases(bw_rules rules, unsigned bytes, const uint32_t addr[BW_LANES],
                         uint32_t lanes)
{
    bw_phases p = {.width = bw_phase_width(rules, bytes)};
    if (rules == BW_RULES_MODERN && p.width < 32 &&
        (bw_group_pairs(addr, lanes, 1) || bw_group_pairs(addr, lanes, 2))) {
        p.merged = true;
        p.width *= 2;
    }
    return p;
}

unsigned bw_groups_with_lanes(uint32_t lanes, unsigned width)
{
    unsigned count = 0;
    for (unsigned start = 0; start < BW_LANES; start += width)
        count += (lanes & bw_span_mask(start, width)) != 0;
    return count;
}

uint32_t bw_swap_winners(const uint32_t addr[BW_LANES], uint32_t lanes, unsigned width,
                         bw_slots slots)
{
    uint32_t won = 0;
    for (unsigned start = 0; start < BW_LANES; start += width)
        won |= bw_group_first(addr, lanes & bw_span_mask(start, width), slots);
    return won;
}

/*
 * The common case in closed form: all lanes active, at one stride of k slots. Then k and the number
 * of slots S have lanes i and i + S / gcd(k, S) in one slot, always in different rows, so each
 * phase of S lanes asks gcd(k, S) rows of each slot that it asks at all. False where that does not
 * apply: a stride that is no whole number of slots, rows that do not follow upon slots (Kepler's
 * 4-byte mode), addresses far enough apart to wrap.
 */
static bool pass_of_stride(const uint32_t *addr, unsigned width, bw_slots slots, bw_pass *sum)
{
    uint32_t stride, count = BW_LANES / width;
    if (!bw_group_stride(addr, &stride))
        return false;
    if (stride == 0) {
        *sum = (bw_pass){count, count, BW_LANES, BW_LANES, 1};
        return true;
    }
    uint32_t k = stride >> slots.shift;
    if (k << slots.shift != stride || k >= 1u << 20 ||
        slots.shift + slots.bits != slots.row_shift || width != 1u << slots.bits)
        return false;
    uint32_t ways = k & -k; /* gcd with a power of two */
    ways = ways < width ? ways : width;
    *sum = (bw_pass){count, count * ways, count * ways, count, ways};
    return true;
}

bw_pass bw_pass_count(const uint32_t addr[BW_LANES], uint32_t lanes, unsigned width, bw_slots slots)
{
    bw_pass sum = {0};
    if (lanes == UINT32_MAX && pass_of_stride(addr, width, slots, &sum))
        return sum;
    for (unsigned start = 0; start < BW_LANES; start += width) {
        bw_group group = bw_group_count(addr, lanes, slots, start, width);
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

/* ---- loads, stores, matrices, counting: different words of one bank take turns ---- */

static void cost_distinct(bw_rules rules, const bw_op_info *info, const bw_request *request,
                          bw_cost *cost)
{
    uint32_t lanes = bw_lanes_of(info, request);
    bw_phases p = {.width = bw_phase_width(rules, info->bytes)};
    if (info->merges)
        p = bw_load_phases(rules, info->bytes, request->addr, lanes);
    bw_pass sum = bw_pass_count(request->addr, lanes, p.width, bw_slots_of(rules, info->bytes));
    *cost = (bw_cost){.wavefronts = sum.distinct,
                      .ideal = sum.phases,
                      .degree = sum.degree,
                      .phases = sum.phases,
                      .merged = p.merged};
    set_excess(cost, sum.phases);
}

/* Fermi's extra way of 128-bit accesses: no layout removes it. */
static void cost_fermi(const bw_op_info *info, const bw_request *request, bw_cost *cost)
{
    cost_distinct(BW_RULES_FERMI, info, request, cost);
    if (info->bytes == 16) {
        cost->wavefronts += cost->phases;
        cost->excess_serial += cost->phases;
        cost->degree++;
    }
}

/* ---- atomics and asynchronous copies: every lane takes its turn, or two to compare and swap ----
 */

static void cost_lanes(const bw_op_info *info, const bw_request *request, bw_cost *cost)
{
    uint32_t turns = info->turns == BW_TURNS_TWICE ? SWAP_TURNS : 1;
    bw_pass sum = bw_pass_count(request->addr, bw_lanes_of(info, request),
                                bw_phase_width(BW_RULES_MODERN, info->bytes),
                                bw_slots_of(BW_RULES_MODERN, info->bytes));
    *cost = (bw_cost){.wavefronts = turns * sum.lanes,
                      .ideal = turns * sum.phases,
                      .degree = sum.degree,
                      .phases = sum.phases};
    set_excess(cost, turns * sum.equal);
}

/* The swap of such a loop by itself: what it takes depends on the lanes that are there, not on
 * where they are (recorded as a part of 44,000 loops: tests/recorded/sm_90-h200/gpu-loops.csv). */
static void cost_swap(const bw_op_info *info, const bw_request *request, bw_cost *cost)
{
    unsigned width = bw_phase_width(BW_RULES_MODERN, info->bytes);
    unsigned phases = bw_groups_with_lanes(bw_lanes_of(info, request), width);
    *cost = (bw_cost){.wavefronts = SWAP_TURNS * phases,
                      .ideal = SWAP_TURNS * phases,
                      .degree = 1,
                      .phases = phases};
}

/* ---- matrix units ---- */

/*
 * wgmma: 16 wavefronts for A in shared memory (64 rows of 32 bytes, whatever the type), one for
 * each 4 columns of B, or 2 where A is sparse. Type, transposition, swizzle mode, strides and
 * alignment change nothing (tests/recorded/sm_90-h200/wgmma). The matrix units take half a cycle a
 * column, and a little more where few columns of A come from registers.
 */
static void cost_wgmma(const bw_request *request, bw_cost *cost)
{
    bool shared = request->op == BW_OP_WGMMA_SS || request->op == BW_OP_WGMMA_SP_SS;
    bool sparse = request->op == BW_OP_WGMMA_SP_SS || request->op == BW_OP_WGMMA_SP_RS;
    uint32_t n = request->columns, wavefronts = (shared ? 16 : 0) + n / (sparse ? 2 : 4);
    *cost = (bw_cost){.wavefronts = wavefronts, .ideal = wavefronts, .degree = 1, .phases = 1};
}

/* Cycles of wgmma beyond its wavefronts: the matrix units', and measured floors for A in registers
 * and few columns (8, 16, 24, 32, 40). */
static uint32_t wgmma_cycles(const bw_request *request)
{
    static const uint8_t floors[] = {0, 13, 15, 15, 18, 21};
    uint32_t n = request->columns, least = n / 2, step = n / WGMMA_STEP;
    if (request->op == BW_OP_WGMMA_SP_RS && step == 1)
        return 16;
    if (request->op == BW_OP_WGMMA_RS && step < sizeof floors)
        least = floors[step];
    return least;
}

/* ---- loops of load, operation and compare-and-swap ---- */

/*
 * The wavefronts of the same loop in a perfect layout, where every distinct element has banks of
 * its own: what no layout removes. Then of the lanes of a phase with one address the lowest wins in
 * the first round, the next in the second, and loads take a wavefront a phase.
 */
static uint32_t loop_perfect(const bw_op_info *info, const uint32_t *addr, uint32_t lanes)
{
    unsigned width = bw_phase_width(BW_RULES_MODERN, info->bytes);
    uint32_t wavefronts = 0, wins_in[BW_LANES + 1] = {0};
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        unsigned i = (unsigned)__builtin_ctz(rest), round = 0;
        for (unsigned j = i / width * width; j < i; j++)
            round += lanes >> j & (addr[j] == addr[i]);
        wins_in[round] |= 1u << i;
    }
    for (unsigned round = 0; lanes; lanes &= ~wins_in[round++]) {
        bw_phases load = bw_load_phases(BW_RULES_MODERN, info->bytes, addr, lanes);
        wavefronts += bw_groups_with_lanes(lanes, load.width);
        wavefronts += SWAP_TURNS * bw_groups_with_lanes(lanes, width);
    }
    return wavefronts;
}

/* Some lanes of different halves have one address. */
static bool halves_share(const uint32_t *addr, uint32_t lanes)
{
    if (lanes == UINT32_MAX) { /* in a form of which the compiler makes vectors */
        uint32_t shared = 0;
        for (unsigned low = 0; low < BW_LANES / 2; low++)
            for (unsigned high = BW_LANES / 2; high < BW_LANES; high++)
                shared |= addr[low] == addr[high];
        return shared;
    }
    for (uint32_t low = lanes & 0xffff; low; low &= low - 1)
        for (uint32_t high = lanes & 0xffff0000u; high; high &= high - 1)
            if (addr[__builtin_ctz(low)] == addr[__builtin_ctz(high)])
                return true;
    return false;
}

/* The winners of which no other lane's swap changed the address first: the halves swap one after
 * the other, so the upper half's winners lose where the lower half has won. */
static uint32_t drop_overtaken(const uint32_t *addr, uint32_t winners)
{
    uint32_t low = winners & 0xffff, kept = winners;
    for (uint32_t high = winners & 0xffff0000u; high; high &= high - 1) {
        unsigned i = (unsigned)__builtin_ctz(high);
        for (uint32_t left = low; left; left &= left - 1)
            if (addr[__builtin_ctz(left)] == addr[i])
                kept &= ~(1u << i);
    }
    return kept;
}

/* The loop's wavefronts where every swap changes the value. */
static uint32_t loop_changing(const bw_op_info *info, const uint32_t *addr, uint32_t left)
{
    unsigned width = bw_phase_width(BW_RULES_MODERN, info->bytes);
    bw_slots slots = bw_slots_of(BW_RULES_MODERN, info->bytes);
    uint32_t wavefronts = 0;
    while (left) {
        bw_phases p = bw_load_phases(BW_RULES_MODERN, info->bytes, addr, left);
        wavefronts += bw_pass_count(addr, left, p.width, slots).distinct;
        wavefronts += SWAP_TURNS * bw_groups_with_lanes(left, width);
        left &= ~drop_overtaken(addr, bw_swap_winners(addr, left, width, slots));
    }
    return wavefronts;
}

/* In each round the remaining lanes load, then swap (two wavefronts for each phase that still has
 * lanes), and the winners leave. */
static void cost_loop(const bw_op_info *info, const bw_request *request, bw_cost *cost)
{
    const uint32_t *addr = request->addr;
    uint32_t lanes = bw_lanes_of(info, request), left = lanes;
    unsigned width = bw_phase_width(BW_RULES_MODERN, info->bytes);
    bw_slots slots = bw_slots_of(BW_RULES_MODERN, info->bytes);
    *cost = (bw_cost){0};
    while (left) {
        bw_phases p = bw_load_phases(BW_RULES_MODERN, info->bytes, addr, left);
        bw_pass load = bw_pass_count(addr, left, p.width, slots);
        uint32_t swaps = SWAP_TURNS * bw_groups_with_lanes(left, width);
        cost->wavefronts += load.distinct + swaps;
        if (cost->rounds++ == 0) {
            cost->ideal = load.phases + swaps;
            cost->degree = load.degree;
            cost->phases = load.phases;
            cost->merged = p.merged;
        }
        left &= ~bw_swap_winners(addr, left, width, slots);
    }
    set_excess(cost, cost->rounds == 1 ? cost->ideal : loop_perfect(info, addr, lanes));
    if (info->bytes == 8 && halves_share(addr, lanes))
        cost->wavefronts_changing = loop_changing(info, addr, lanes);
}

/* ---- all together ---- */

#define STORED_A_CYCLE 4u /* bytes of a lane */

/* The least time of an instruction, whatever the mask: its results take that long to return. */
static uint32_t least_cycles(const bw_arch *arch, const bw_op_info *info, const bw_request *request,
                             const bw_cost *cost)
{
    if (arch->rules != BW_RULES_MODERN)
        return 0;
    if (info->turns == BW_TURNS_FIXED)
        return wgmma_cycles(request);
    uint32_t least = cost->merged ? info->least_merged : info->least_cycles;
    /* Registers go at 4 bytes a lane and cycle; a constant zero comes from none (gpu-zero.csv). */
    if (info->kind == BW_KIND_STORE && request->registers && info->bytes > STORED_A_CYCLE)
        least = info->bytes / STORED_A_CYCLE;
    /* about, with all sources in L1: tests/recorded/sm_90-h200/async/cpC.clock.csv */
    return cost->passes > least ? cost->passes : least;
}

/* All bits that are set in some lane's address. */
static uint32_t address_bits(const uint32_t *addr, uint32_t lanes)
{
    uint32_t bits = 0;
    if (lanes == UINT32_MAX) {
        for (unsigned i = 0; i < BW_LANES; i++)
            bits |= addr[i];
    } else {
        for (uint32_t left = lanes; left; left &= left - 1)
            bits |= addr[__builtin_ctz(left)];
    }
    return bits;
}

static bool is_product(uint32_t columns)
{
    return columns % WGMMA_STEP == 0 && columns >= WGMMA_STEP && columns <= WGMMA_MOST;
}

bw_status bw_request_status(const bw_arch *arch, const bw_op_info *info, const bw_request *request)
{
    if (!info || !arch)
        return BW_INVALID;
    if (arch->cc < info->least_cc)
        return BW_UNSUPPORTED;
    uint32_t lanes = bw_lanes_of(info, request);
    if (lanes == 0)
        return BW_NO_LANES;
    if (address_bits(request->addr, lanes) & (info->bytes - 1u))
        return BW_MISALIGNED;
    if (info->copies && request->sources)
        return bw_copy_status(info, request);
    return info->kind == BW_KIND_WGMMA && !is_product(request->columns) ? BW_INVALID : BW_OK;
}

static void cost_modern(const bw_op_info *info, const bw_request *request, bw_cost *cost)
{
    switch (info->turns) {
    case BW_TURNS_WORDS: cost_distinct(BW_RULES_MODERN, info, request, cost); break;
    case BW_TURNS_LANES:
    case BW_TURNS_TWICE:
        if (bw_copy_is_known(info, request))
            bw_cost_copy(info, request, cost);
        else
            cost_lanes(info, request, cost);
        break;
    case BW_TURNS_PHASES: cost_swap(info, request, cost); break;
    case BW_TURNS_FIXED: cost_wgmma(request, cost); break;
    case BW_TURNS_LOOP: cost_loop(info, request, cost); break;
    }
}

bw_status bw_cost_of(const bw_arch *arch, const bw_request *request, bw_cost *cost)
{
    const bw_op_info *info = bw_op_get(request->op);
    bw_status status = bw_request_status(arch, info, request);
    if (status != BW_OK) {
        *cost = (bw_cost){0};
        return status;
    }
    switch (arch->rules) { /* each gives the whole cost */
    case BW_RULES_CC1: bw_cost_cc1(info, request, cost); break;
    case BW_RULES_FERMI: cost_fermi(info, request, cost); break;
    case BW_RULES_KEPLER4:
    case BW_RULES_KEPLER8: cost_distinct(arch->rules, info, request, cost); break;
    case BW_RULES_MODERN: cost_modern(info, request, cost); break;
    }
    uint32_t least = least_cycles(arch, info, request, cost);
    cost->cycles = cost->wavefronts > least ? cost->wavefronts : least;
    cost->rounds = cost->rounds ? cost->rounds : 1;
    if (!cost->wavefronts_changing)
        cost->wavefronts_changing = cost->wavefronts;
    cost->at_least = info->kind == BW_KIND_ASYNC && !request->sources;
    cost->basis = bw_basis_of(arch, request->op);
    return BW_OK;
}
