/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reason.h"

#include <inttypes.h>
#include <stdlib.h>

#include "numbers.h"

#define WORD 4
/* Bytes that all banks hold side by side. */
#define LINE_BYTES 128
/* A list longer than this is cut: a sentence is to be read. */
#define MOST_LISTED 4

static bool is_matrix(const bw_request *request)
{
    return bw_op_get(request->op)->matrices != 0;
}

/* Lanes that are served together: as many as fill the banks, or twice that where pairs merged. */
static unsigned phase_lanes(const bw_request *request, bool merged)
{
    unsigned bytes = bw_op_get(request->op)->bytes;
    unsigned lanes = bytes <= WORD ? 32 : LINE_BYTES / bytes;
    return merged && lanes < BW_LANES ? lanes * 2 : lanes;
}

bool bw_lane_stride(const bw_request *request, int64_t *bytes)
{
    uint32_t lanes = bw_request_lanes(request);
    int width = (int)phase_lanes(request, false), last = -1;
    bool known = false;
    for (int i = 0; i < BW_LANES; i++) {
        if (i % width == 0)
            last = -1;
        if (!(lanes >> i & 1))
            continue;
        if (last >= 0) {
            int64_t moved = (int64_t)request->addr[i] - (int64_t)request->addr[last];
            if (moved % (i - last) || (known && moved / (i - last) != *bytes))
                return false;
            *bytes = moved / (i - last);
            known = true;
        }
        last = i;
    }
    return known;
}

/* Where `degree` lanes meet: of narrow accesses in a bank, of wide ones in a group of them. */
static const char *meeting_place(bw_arena *arena, unsigned unit)
{
    return unit == WORD ? "one bank" : bw_arena_format(arena, "the same %u banks", unit / WORD);
}

/*
 * A constant stride in units of the access meets itself after U / gcd steps, where U units fill
 * the banks side by side. Said only where that gives the degree that the model found.
 */
static const char *stride_reason(bw_arena *arena, const bw_request *request, uint32_t degree)
{
    unsigned bytes = bw_op_get(request->op)->bytes;
    unsigned unit = bytes < WORD ? WORD : bytes;
    unsigned slots = LINE_BYTES / unit;
    int64_t stride;
    if (!bw_lane_stride(request, &stride) || stride == 0 || stride % unit)
        return NULL;
    uint64_t steps = (uint64_t)llabs(stride) / unit;
    uint64_t common = bw_gcd((uint32_t)steps, slots);
    if (common != degree)
        return NULL;
    const char *what = is_matrix(request) ? "the rows of a matrix" : "neighbouring lanes";
    const char *apart =
        unit == WORD ? bw_arena_format(arena, "%" PRIu64 " words apart", steps)
                     : bw_arena_format(arena, "%" PRIu64 " words (%" PRIu64 " x %u bytes) apart",
                                       steps * (unit / WORD), steps, unit);
    const char *group = is_matrix(request) ? "rows" : unit == WORD ? "lanes" : "lanes of a phase";
    if (common == slots)
        return bw_arena_format(arena,
                               "%s are %s: gcd(%" PRIu64 ", %u) = %" PRIu64 ", so all %u %s meet "
                               "in %s",
                               what, apart, steps, slots, common, slots, group,
                               meeting_place(arena, unit));
    return bw_arena_format(
        arena, "%s are %s: gcd(%" PRIu64 ", %u) = %" PRIu64 ", so %" PRIu64 " of %u %s meet in %s",
        what, apart, steps, slots, common, common, slots, group, meeting_place(arena, unit));
}

/* ---- the crowd at one bank ---- */

/* Distinct words that a phase asks of one bank, each with its lowest lane. */
typedef struct crowd {
    unsigned bank, count;
    uint32_t word[BW_LANES];
    unsigned lane[BW_LANES];
} crowd;

static void add_word(crowd *at, uint32_t word, unsigned lane)
{
    for (unsigned i = 0; i < at->count; i++)
        if (at->word[i] == word)
            return;
    if (at->count < BW_LANES) {
        at->word[at->count] = word;
        at->lane[at->count++] = lane;
    }
}

static crowd crowd_at(const bw_request *request, unsigned bank, uint32_t lanes)
{
    crowd at = {.bank = bank};
    unsigned bytes = bw_op_get(request->op)->bytes;
    for (unsigned i = 0; i < BW_LANES; i++) {
        if (!(lanes >> i & 1))
            continue;
        uint32_t first = request->addr[i] / WORD, end = (request->addr[i] + bytes - 1) / WORD;
        for (uint32_t word = first; word <= end; word++)
            if (word % BW_LANES == bank)
                add_word(&at, word, i);
    }
    return at;
}

static crowd largest_crowd(const bw_request *request, bool merged)
{
    crowd largest = {.count = 0};
    unsigned width = phase_lanes(request, merged);
    uint32_t lanes = bw_request_lanes(request);
    for (unsigned from = 0; from < BW_LANES; from += width) {
        uint32_t phase = (width == 32 ? UINT32_MAX : (1u << width) - 1) << from;
        for (unsigned bank = 0; bank < BW_LANES; bank++) {
            crowd at = crowd_at(request, bank, lanes & phase);
            if (at.count > largest.count)
                largest = at;
        }
    }
    return largest;
}

/* "0, 8, 16 and 24", or "0, 1, 2, 3 and 28 more". */
static const char *list(bw_arena *arena, const uint32_t *values, unsigned count)
{
    unsigned shown = count <= MOST_LISTED ? count : MOST_LISTED;
    const char *text = bw_arena_format(arena, "%" PRIu32, values[0]);
    for (unsigned i = 1; i < shown; i++)
        text = bw_arena_format(arena, "%s%s%" PRIu32, text, i + 1 == count ? " and " : ", ",
                               values[i]);
    return shown == count ? text : bw_arena_format(arena, "%s and %u more", text, count - shown);
}

static const char *crowd_reason(bw_arena *arena, const bw_request *request, const bw_cost *cost)
{
    crowd at = largest_crowd(request, cost->merged);
    if (at.count != cost->degree)
        return NULL;
    return bw_arena_format(arena, "lanes %s ask bank %u for words %s",
                           list(arena, at.lane, at.count), at.bank, list(arena, at.word, at.count));
}

/* ---- equal words that are served one by one ---- */

static const char *serial_reason(bw_arena *arena, const bw_request *request)
{
    uint32_t lanes = bw_request_lanes(request), most = 0, word = 0;
    for (unsigned i = 0; i < BW_LANES; i++) {
        uint32_t equal = 0;
        if (!(lanes >> i & 1))
            continue;
        for (unsigned j = 0; j < BW_LANES; j++)
            equal += (lanes >> j & 1) && request->addr[j] == request->addr[i];
        if (equal > most) {
            most = equal;
            word = request->addr[i] / WORD;
        }
    }
    const bw_op_info *op = bw_op_get(request->op);
    const char *who = op->copies ? "an asynchronous copy" : "an atomic";
    if (most < 2)
        return op->turns == BW_TURNS_LOOP ? "there is no such instruction, and the loop of load "
                                            "and compare-and-swap goes round again"
                                          : NULL;
    return bw_arena_format(arena,
                           "%" PRIu32 " lanes ask for word %" PRIu32 ", which %s serves one lane "
                           "at a time: no layout cures that",
                           most, word, who);
}

/* The wavefronts of a copy under other circumstances. */
static uint32_t wavefronts_of(const bw_arch *arch, const bw_request *request)
{
    bw_cost cost;
    return bw_cost_of(arch, request, &cost) == BW_OK ? cost.wavefronts : 0;
}

/* A copy whose sources are known waits for banks of its destinations, for those of its sources, and
 * for tags: what each adds, in that order. */
static const char *copy_reason(bw_arena *arena, const bw_arch *arch, const bw_request *request,
                               const bw_cost *cost)
{
    bw_sources here = *request->sources;
    bw_request other = *request;
    other.sources = NULL;
    uint32_t alone = wavefronts_of(arch, &other);
    other.sources = &here;
    here.cached = UINT32_MAX;
    uint32_t cached = wavefronts_of(arch, &other);
    const char *to = alone > cost->ideal ? "lanes write to the same banks" : NULL;
    const char *from = cached > alone ? "lanes read from the same banks of L1" : NULL;
    const char *tags = cost->wavefronts > cached
                           ? bw_arena_format(arena, "the lines read take %u passes of L1's tags",
                                             (unsigned)cost->passes)
                           : NULL;
    const char *list = to;
    if (from)
        list = list ? bw_arena_format(arena, "%s, and %s", list, from) : from;
    if (tags)
        list = list ? bw_arena_format(arena, "%s, and %s", list, tags) : tags;
    return list;
}

const char *bw_reason(bw_arena *arena, const bw_arch *arch, const bw_request *request)
{
    bw_cost cost;
    if (bw_cost_of(arch, request, &cost) != BW_OK || cost.wavefronts == cost.ideal)
        return NULL;
    if (cost.passes)
        return copy_reason(arena, arch, request, &cost);
    bool plain = arch->banks == BW_LANES && arch->bank_bytes == WORD;
    const char *layout = NULL, *serial = NULL;
    if (cost.excess_layout && plain && cost.degree > 1) {
        layout = stride_reason(arena, request, cost.degree);
        layout = layout ? layout : crowd_reason(arena, request, &cost);
    }
    if (cost.excess_layout && !layout && cost.degree > 1)
        layout = bw_arena_format(arena, "one bank is asked for %" PRIu32 " different words",
                                 cost.degree);
    if (cost.excess_serial)
        serial = serial_reason(arena, request);
    if (layout && serial)
        return bw_arena_format(arena, "%s; and %s", layout, serial);
    return layout ? layout : serial;
}
