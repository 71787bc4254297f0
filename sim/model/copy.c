/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The law of cp.async through L1, in four rules:
 *
 *   1. Tag passes over the whole warp: lanes in order; a pass takes a lane unless an earlier lane
 * of the pass has another 128-byte line of the same set. There are four sets, from the address.
 *   2. A line hits if every 32-byte sector that the request wants of it is in L1, or was asked for
 * by an earlier copy, waited for or not; otherwise all its lanes miss.
 *   3. Missing lanes are served pass by pass, hitting lanes of all passes together, and with them
 *      the lanes that read nothing (source size 0), which have neither tags nor source banks. Where
 *      no lane hits those are a group of their own.
 *   4. Serving a group: by phase, lanes in order; a lane is served unless an earlier lane of the
 *      wavefront, served or waiting, has its destination bank or its source bank.
 *
 * What is not settled: hits beside lanes that read nothing (a fifth of such requests cost one to
 * four more: gpu-corners.csv), hits and misses mixed beyond eight passes (one more in some), and
 * when L1 lets go of a line (from 24 KB on where shared memory has all that it can have; else not
 * within the 92 KB that were tried).
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "copy.h"

#include "rules.h"

#define LINE_SHIFT 7   /* 128 bytes */
#define SECTOR_SHIFT 5 /* 32 bytes */
#define SETS 4
#define SOURCE_BANKS 32u

/* The bits of an address whose parities are the set's two bits (gpu-corners.csv); above bit 35
 * nothing is known. */
#define SET_LOW UINT64_C(0xaf7bd5a80)
#define SET_HIGH UINT64_C(0x75d6aed00)

static unsigned set_of(uint64_t addr)
{
    return (unsigned)__builtin_parityll(addr & SET_LOW) |
           (unsigned)__builtin_parityll(addr & SET_HIGH) << 1;
}

/* ---- places of arrays ---- */

/* Where array `number` begins at the place tried: the first is a multiple of 4 GiB, the others are
 * multiples of 256 that have nothing to do with each other. */
static uint32_t place_of(uint64_t number, unsigned place)
{
    uint64_t x = (number + 1) * UINT64_C(0x9e3779b97f4a7c15) + place * UINT64_C(0xd1b54a32d192ed03);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return place ? (uint32_t)(x >> 32) & ~255u : 0;
}

static uint64_t address_at(const bw_sources *sources, unsigned lane, unsigned place)
{
    uint64_t addr = sources->addr[lane];
    return sources->placed ? addr : addr + place_of(addr >> BW_ARRAY_SHIFT, place);
}

/* ---- groups ---- */

bool bw_copy_is_known(const bw_op_info *info, const bw_request *request)
{
    return info->kind == BW_KIND_ASYNC && request->sources;
}

/* The lanes of `lanes` that the next pass takes. */
static uint32_t next_pass(const uint64_t addr[BW_LANES], uint32_t lanes)
{
    uint64_t line_of[SETS];
    unsigned taken = 0;
    uint32_t pass = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left), set = set_of(addr[lane]);
        uint64_t line = addr[lane] >> LINE_SHIFT;
        if (!(taken >> set & 1))
            line_of[set] = line;
        taken |= 1u << set;
        pass |= (uint32_t)(line_of[set] == line) << lane;
    }
    return pass;
}

/* The lanes that read something. */
static uint32_t readers_of(const bw_sources *sources, uint32_t lanes)
{
    uint32_t readers = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        readers |= (uint32_t)(sources->bytes[lane] != 0) << lane;
    }
    return readers;
}

bw_status bw_copy_status(const bw_op_info *info, const bw_request *request)
{
    for (uint32_t left = request->active; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        if (request->sources->bytes[lane] > info->bytes)
            return BW_INVALID;
        if (request->sources->bytes[lane] && request->sources->addr[lane] % info->bytes)
            return BW_MISALIGNED;
    }
    return BW_OK;
}

static unsigned add_group(bw_copy_group *groups, unsigned count, uint32_t lanes, bw_service service)
{
    if (lanes)
        groups[count++] = (bw_copy_group){lanes, service};
    return count;
}

unsigned bw_copy_groups(const bw_request *request, uint32_t lanes, unsigned place,
                        bw_copy_group groups[BW_COPY_GROUPS], unsigned *passes)
{
    const bw_sources *sources = request->sources;
    uint32_t readers = readers_of(sources, lanes), cached = readers & sources->cached;
    uint64_t addr[BW_LANES];
    unsigned count = 0;
    for (uint32_t left = readers; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        addr[lane] = address_at(sources, lane, place);
    }
    *passes = 0;
    for (uint32_t left = readers; left; ++*passes) {
        uint32_t pass = next_pass(addr, left);
        count = add_group(groups, count, pass & ~cached, BW_SERVICE_PASS);
        left &= ~pass;
    }
    return add_group(groups, count, cached | (lanes & ~readers),
                     cached ? BW_SERVICE_CACHED : BW_SERVICE_ZERO);
}

/* ---- turns ---- */

/* The banks of an access of `bytes` at `addr`, which is aligned: one bit each. */
static uint32_t banks_of(uint64_t addr, unsigned bytes)
{
    return ((1u << bytes / 4) - 1) << (addr / 4 % SOURCE_BANKS);
}

/* Whether `lane` wants a word, to read or to write, that a lane of `others` wants too. */
static bool wants_same(const bw_request *request, unsigned lane, uint32_t others)
{
    const bw_sources *sources = request->sources;
    for (; others; others &= others - 1) {
        unsigned other = (unsigned)__builtin_ctz(others);
        if (request->addr[other] == request->addr[lane] ||
            (sources->bytes[lane] && sources->bytes[other] &&
             sources->addr[other] == sources->addr[lane]))
            return true;
    }
    return false;
}

unsigned bw_copy_turns(const bw_request *request, unsigned bytes, const bw_copy_group *group,
                       uint32_t phase, bool words, uint8_t turn[BW_LANES])
{
    const bw_sources *sources = request->sources;
    unsigned turns = 0;
    for (uint32_t waiting = group->lanes & phase, next; waiting; waiting = next, turns++) {
        uint32_t written = 0, read = 0, before = 0;
        next = 0;
        for (uint32_t left = waiting; left; left &= left - 1) {
            unsigned lane = (unsigned)__builtin_ctz(left);
            uint32_t to = banks_of(request->addr[lane], bytes);
            uint32_t from = sources->bytes[lane] ? banks_of(sources->addr[lane], bytes) : 0;
            bool waits =
                words ? wants_same(request, lane, before) : (written & to) || (read & from);
            next |= (uint32_t)waits << lane;
            turn[lane] = (uint8_t)turns;
            written |= to;
            read |= from;
            before |= 1u << lane;
        }
    }
    return turns;
}

/* ---- cost ---- */

/* The wavefronts of a group, phase by phase. */
static uint32_t serve(const bw_request *request, unsigned bytes, const bw_copy_group *group,
                      bool words)
{
    unsigned width = bw_phase_width(BW_RULES_MODERN, bytes);
    uint8_t turn[BW_LANES];
    uint32_t wavefronts = 0;
    for (unsigned start = 0; start < BW_LANES; start += width)
        wavefronts += bw_copy_turns(request, bytes, group, bw_span_mask(start, width), words, turn);
    return wavefronts;
}

static uint32_t serve_all(const bw_request *request, unsigned bytes, const bw_copy_group *groups,
                          unsigned count)
{
    uint32_t wavefronts = 0;
    for (unsigned i = 0; i < count; i++)
        wavefronts += serve(request, bytes, &groups[i], false);
    return wavefronts;
}

/* What no layout removes: equal words, written or read, take turns; lanes that read nothing go by
 * themselves where no lane hits. */
static uint32_t serve_perfectly(const bw_request *request, unsigned bytes, uint32_t lanes)
{
    uint32_t readers = readers_of(request->sources, lanes),
             apart = readers & request->sources->cached ? 0 : lanes & ~readers;
    bw_copy_group reading = {lanes & ~apart, BW_SERVICE_CACHED}, zeroing = {apart, BW_SERVICE_ZERO};
    return serve(request, bytes, &reading, true) + serve(request, bytes, &zeroing, true);
}

void bw_cost_copy(const bw_op_info *info, const bw_request *request, bw_cost *cost)
{
    uint32_t lanes = request->active;
    bw_copy_group groups[BW_COPY_GROUPS];
    unsigned passes, count = bw_copy_groups(request, lanes, 0, groups, &passes);
    bw_pass sum = bw_pass_count(request->addr, lanes, bw_phase_width(BW_RULES_MODERN, info->bytes),
                                bw_slots_of(BW_RULES_MODERN, info->bytes));
    *cost = (bw_cost){.wavefronts = serve_all(request, info->bytes, groups, count),
                      .ideal = sum.phases,
                      .degree = sum.degree,
                      .phases = sum.phases,
                      .passes = (uint8_t)passes};
    uint32_t perfect = cost->wavefronts == cost->ideal
                           ? cost->ideal
                           : serve_perfectly(request, info->bytes, lanes);
    cost->excess_serial = perfect - cost->ideal;
    cost->excess_layout = cost->wavefronts - perfect;
}

bw_status bw_copy_places(const bw_arch *arch, const bw_request *request,
                         uint32_t wavefronts[BW_PLACES])
{
    const bw_op_info *info = bw_op_get(request->op);
    bw_cost cost;
    bw_status status = bw_cost_of(arch, request, &cost);
    bool unplaced = status == BW_OK && bw_copy_is_known(info, request) && !request->sources->placed;
    for (unsigned place = 0; place < BW_PLACES; place++) {
        bw_copy_group groups[BW_COPY_GROUPS];
        unsigned passes;
        wavefronts[place] = cost.wavefronts;
        if (unplaced && place)
            wavefronts[place] =
                serve_all(request, info->bytes, groups,
                          bw_copy_groups(request, request->active, place, groups, &passes));
    }
    return status;
}

/* ---- what is in L1 ---- */

#define TABLE_BITS 12
_Static_assert(1u << TABLE_BITS == BW_COPY_SLOTS, "the table of lines");

void bw_copy_start(bw_copy_state *state, bool warm)
{
    state->warm = warm;
    state->lines = 0;
    for (unsigned i = 0; i < BW_COPY_SLOTS; i++)
        state->sectors[i] = 0;
}

/* Where a line is in the table, or would be. */
static unsigned slot_of(const bw_copy_state *state, uint64_t line)
{
    unsigned at = (unsigned)(line * UINT64_C(0x9e3779b97f4a7c15) >> (64 - TABLE_BITS));
    while (state->sectors[at] && state->line[at] != line)
        at = (at + 1) & (BW_COPY_SLOTS - 1);
    return at;
}

/* The sector that a lane reads in its line. A copy is aligned, so it is one. */
static uint8_t sector_of(uint64_t addr)
{
    return (uint8_t)(1u << (addr >> SECTOR_SHIFT & 3));
}

void bw_copy_touch(bw_copy_state *state, const bw_request *request, bw_sources *sources)
{
    uint32_t readers = readers_of(sources, request->active);
    sources->cached = 0;
    for (uint32_t left = readers; left;) {
        uint64_t line = sources->addr[__builtin_ctz(left)] >> LINE_SHIFT;
        uint32_t lanes = 0;
        uint8_t wanted = 0;
        for (uint32_t rest = left; rest; rest &= rest - 1) {
            unsigned lane = (unsigned)__builtin_ctz(rest);
            if (sources->addr[lane] >> LINE_SHIFT != line)
                continue;
            lanes |= 1u << lane;
            wanted |= sector_of(sources->addr[lane]);
        }
        if (state->lines == BW_COPY_LINES)
            bw_copy_start(state, state->warm);
        unsigned at = slot_of(state, line);
        if (state->warm || (state->sectors[at] & wanted) == wanted)
            sources->cached |= lanes;
        state->lines += state->sectors[at] == 0;
        state->line[at] = line;
        state->sectors[at] |= wanted;
        left &= ~lanes;
    }
}
