/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which lane is served in which wavefront. The wavefronts are those that cost.c counts, played out
 * in the order of the lanes.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "copy.h"
#include "rules.h"

/* What is being played: the request, and the wavefront that is next. */
typedef struct player {
    const bw_request *request;
    const bw_arch *arch;
    bw_slots slots;
    unsigned banks_per_slot, words_per_bank;
    bw_visit visit;
    void *context;
    bw_wavefront next;
    bool stopped;
} player;

static void emit(player *p)
{
    if (!p->stopped)
        p->stopped = !p->visit(p->context, &p->next);
    p->next.index++;
    p->next.lanes = 0;
    for (unsigned bank = 0; bank < BW_LANES; bank++)
        p->next.bank_lanes[bank] = p->next.bank_word[bank] = p->next.source_lanes[bank] = 0;
}

/* Serves `lane` in the next wavefront: its banks give their words, on Kepler a row of two. */
static void serve(player *p, unsigned lane)
{
    uint32_t addr = p->request->addr[lane];
    unsigned first = bw_slot(p->slots, addr) * p->banks_per_slot;
    uint32_t word = addr / 4 / p->words_per_bank * p->words_per_bank;
    p->next.lanes |= 1u << lane;
    for (unsigned i = 0; i < p->banks_per_slot; i++) {
        if (!p->next.bank_lanes[first + i])
            p->next.bank_word[first + i] = word + i * p->words_per_bank;
        p->next.bank_lanes[first + i] |= 1u << lane;
    }
}

/* The banks of L1 from which the next wavefront's lanes read. */
static void mark_sources(player *p, const bw_sources *sources, unsigned bytes)
{
    for (uint32_t left = p->next.lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left), words = sources->bytes[lane] ? bytes / 4 : 0;
        for (unsigned i = 0; i < words; i++)
            p->next.source_lanes[(sources->addr[lane] / 4 + i) % BW_LANES] |= 1u << lane;
    }
}

/* When each lane of a phase is served: its rank among the different words of its bank (equal ones
 * sharing a turn) or among the bank's lanes. Returns the number of turns. */
static unsigned rank_lanes(const player *p, uint32_t lanes, bool share, uint8_t turn[BW_LANES])
{
    uint8_t used[BW_LANES] = {0};
    unsigned turns = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        uint32_t addr = p->request->addr[i], slot = bw_slot(p->slots, addr);
        uint32_t lower = share ? lanes & ((1u << i) - 1) : 0;
        bool found = false;
        for (; lower && !found; lower &= lower - 1) {
            unsigned j = (unsigned)__builtin_ctz(lower);
            uint32_t other = p->request->addr[j];
            found = bw_slot(p->slots, other) == slot &&
                    other >> p->slots.row_shift == addr >> p->slots.row_shift;
            turn[i] = turn[j];
        }
        if (!found)
            turn[i] = used[slot]++;
        turns = turn[i] + 1u > turns ? turn[i] + 1u : turns;
    }
    return turns;
}

static void serve_turn(player *p, uint32_t lanes, const uint8_t turn[BW_LANES], unsigned at)
{
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        if (turn[lane] == at)
            serve(p, lane);
    }
}

/* One pass over the lanes, phase by phase. `share`: lanes that ask for one word are served
 * together. `swaps`: each turn takes a second wavefront. */
static void play_pass(player *p, uint32_t lanes, unsigned width, bool share, bool swaps)
{
    for (unsigned start = 0; start < BW_LANES; start += width) {
        uint32_t phase = lanes & bw_span_mask(start, width);
        uint8_t turn[BW_LANES] = {0};
        if (!phase)
            continue;
        unsigned turns = rank_lanes(p, phase, share, turn);
        p->next.phase = start / width;
        for (unsigned at = 0; at < turns; at++)
            for (unsigned pass = 0; pass <= swaps; pass++) {
                p->next.pass = pass;
                serve_turn(p, phase, turn, at);
                emit(p);
            }
        if (p->arch->rules == BW_RULES_FERMI && bw_op_get(p->request->op)->bytes == 16)
            emit(p);
    }
}

/* The wavefronts in which the winners of each phase swap; `told` are lanes that learn there that
 * they have lost. */
static void play_swaps(player *p, uint32_t won, uint32_t told, unsigned width)
{
    for (unsigned start = 0; start < BW_LANES; start += width)
        for (unsigned i = 0; won & bw_span_mask(start, width) && i < SWAP_TURNS; i++) {
            uint8_t turn[BW_LANES] = {0};
            p->next.phase = start / width;
            p->next.pass = told ? i : 1;
            serve_turn(p, won & bw_span_mask(start, width), turn, 0);
            p->next.lanes |= told & bw_span_mask(start, width);
            emit(p);
        }
}

static void play_loop(player *p, uint32_t lanes, unsigned bytes)
{
    unsigned width = bw_phase_width(p->arch->rules, bytes);
    for (; lanes && !p->stopped; p->next.round++) {
        bw_phases load = bw_load_phases(p->arch->rules, bytes, p->request->addr, lanes);
        uint32_t won = bw_swap_winners(p->request->addr, lanes, width, p->slots);
        p->next.pass = 0;
        play_pass(p, lanes, load.width, true, false);
        p->next.pass = 1;
        play_swaps(p, won, 0, width);
        lanes &= ~won;
    }
}

/* A copy whose sources are known: group by group, and in each by phases and turns. */
static void play_copy(player *p, uint32_t lanes, unsigned bytes, unsigned width)
{
    const bw_sources *sources = p->request->sources;
    bw_copy_group groups[BW_COPY_GROUPS];
    unsigned passes, count = bw_copy_groups(p->request, lanes, 0, groups, &passes);
    for (unsigned i = 0; i < count; i++)
        for (unsigned start = 0; start < BW_LANES; start += width) {
            uint32_t phase = groups[i].lanes & bw_span_mask(start, width);
            uint8_t turn[BW_LANES] = {0};
            unsigned turns = bw_copy_turns(p->request, bytes, &groups[i], phase, false, turn);
            p->next.phase = start / width;
            p->next.group = i;
            p->next.service = groups[i].service;
            for (unsigned at = 0; at < turns; at++) {
                serve_turn(p, phase, turn, at);
                mark_sources(p, sources, bytes);
                emit(p);
            }
        }
}

static void play(player *p, const bw_op_info *info)
{
    uint32_t lanes = bw_request_lanes(p->request);
    unsigned width = bw_phase_width(p->arch->rules, info->bytes);
    if (info->merges)
        width = bw_load_phases(p->arch->rules, info->bytes, p->request->addr, lanes).width;
    switch (info->turns) {
    case BW_TURNS_WORDS: play_pass(p, lanes, width, true, false); break;
    case BW_TURNS_LANES:
        if (bw_copy_is_known(info, p->request))
            play_copy(p, lanes, info->bytes, width);
        else
            play_pass(p, lanes, width, false, false);
        break;
    case BW_TURNS_TWICE: play_pass(p, lanes, width, false, true); break;
    case BW_TURNS_PHASES:
        play_swaps(p, bw_swap_winners(p->request->addr, lanes, width, p->slots), lanes, width);
        break;
    case BW_TURNS_FIXED: break; /* nobody knows which words go when */
    case BW_TURNS_LOOP: play_loop(p, lanes, info->bytes); break;
    }
}

bw_status bw_schedule(const bw_arch *arch, const bw_request *request, bw_visit visit, void *context)
{
    const bw_op_info *info = bw_op_get(request->op);
    bw_status status = visit ? bw_request_status(arch, info, request) : BW_INVALID;
    if (status != BW_OK)
        return status;
    if (arch->rules == BW_RULES_CC1 || info->turns == BW_TURNS_FIXED)
        return BW_UNSUPPORTED;
    bool kepler8 = arch->rules == BW_RULES_KEPLER8;
    player p = {.request = request,
                .arch = arch,
                .slots = bw_slots_of(arch->rules, info->bytes),
                .words_per_bank = kepler8 ? 2 : 1,
                .visit = visit,
                .context = context};
    unsigned bank_bytes = kepler8 ? 8 : 4;
    p.banks_per_slot = info->bytes > bank_bytes ? info->bytes / bank_bytes : 1;
    play(&p, info);
    return BW_OK;
}
