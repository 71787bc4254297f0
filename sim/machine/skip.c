/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "skip.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"

/* Ways longer than this are not looked at: so much that is unknown leaves nothing to say. */
#define MOST_INSTRUCTIONS 2000

typedef struct search {
    const bw_code *code;
    uint8_t *seen;   /* by instruction */
    uint32_t *stack; /* as many */
    uint32_t *list;  /* what was reached */
    uint32_t count;
    bool leaves; /* some way ends, or goes where nobody knows */
} search;

static bool always(const bw_ins *i)
{
    return i->guard == BW_PT && !i->guard_inv && i->in_count == 0;
}

/* Pushes the successors of `at`. A call comes back. */
static uint32_t successors(search *s, uint32_t at, uint32_t next[2])
{
    const bw_ins *i = &s->code->ins[at];
    uint32_t n = 0;
    bool ends = i->x == BW_X_EXIT || i->x == BW_X_RET || i->x == BW_X_BRX || i->x == BW_X_REFUSE;
    if (ends)
        s->leaves = true;
    if (i->x == BW_X_BRA && i->target >= 0)
        next[n++] = (uint32_t)i->target;
    bool goes_on = !(ends && always(i)) && !(i->x == BW_X_BRA && always(i) && i->mode == 0);
    if (goes_on && at + 1 < s->code->count)
        next[n++] = at + 1;
    else if (goes_on)
        s->leaves = true;
    return n;
}

/* Everything that can be reached from `from` without passing `stop`. */
static void reach(search *s, uint32_t from, uint32_t stop)
{
    uint32_t depth = 0;
    if (from == stop || s->seen[from])
        return;
    s->stack[depth++] = from;
    s->seen[from] = 1;
    while (depth && s->count < MOST_INSTRUCTIONS && !s->leaves) {
        uint32_t at = s->stack[--depth], next[2];
        s->list[s->count++] = at;
        uint32_t n = successors(s, at, next);
        for (uint32_t k = 0; k < n; k++)
            if (next[k] != stop && !s->seen[next[k]]) {
                s->seen[next[k]] = 1;
                s->stack[depth++] = next[k];
            }
    }
}

static void clear(search *s)
{
    memset(s->seen, 0, s->code->count);
    s->count = 0;
    s->leaves = false;
}

/* Both ways of the branch lead to `meet`, whatever happens. */
static bool meets(search *s, uint32_t at, uint32_t meet)
{
    uint32_t next[2];
    clear(s);
    uint32_t n = successors(s, at, next);
    if (s->leaves)
        return false;
    for (uint32_t k = 0; k < n; k++)
        reach(s, next[k], meet);
    return !s->leaves && s->count < MOST_INSTRUCTIONS;
}

/* What may not be stepped over: it asks shared memory, waits for others, or steers. */
static bool matters(const bw_ins *i)
{
    switch (i->x) {
    case BW_X_LDS:
    case BW_X_STS:
    case BW_X_LDSM:
    case BW_X_STSM:
    case BW_X_ATOMS:
    case BW_X_LDGSTS:
    case BW_X_LD:
    case BW_X_ST:
    case BW_X_SYNCS:
    case BW_X_SYNCS_WAIT:
    case BW_X_BULK:
    case BW_X_MATRIX:
    case BW_X_BAR:
    case BW_X_WARPSYNC:
    case BW_X_BREAK:
    case BW_X_BMOV:
    case BW_X_B2R:
    case BW_X_EXIT:
    case BW_X_BRX:
    case BW_X_REFUSE: return true;
    case BW_X_ATOM: return i->generic;
    default: return false;
    }
}

static void add_slot(bw_skip *skip, uint32_t slot)
{
    for (uint32_t k = 0; k < skip->slot_count; k++)
        if (skip->slots[k] == slot)
            return;
    uint32_t n = skip->slot_count;
    if ((n & (n - 1)) == 0)
        skip->slots = bw_realloc(skip->slots, sizeof *skip->slots * (n ? 2 * n : 1));
    skip->slots[skip->slot_count++] = slot;
}

static void note_writes(bw_skip *skip, const bw_ins *i)
{
    for (uint32_t k = 0; k < i->width; k++)
        add_slot(skip, i->d + k);
    for (uint32_t k = 0; k < i->width2; k++)
        add_slot(skip, i->d2 + k);
    for (uint32_t k = 0; k < i->out_count; k++)
        skip->preds |= 1u << i->out[k];
    if (i->x == BW_X_R2P)
        skip->preds |= (uint32_t)i->lut << (i->uniform ? 8 : 0);
    skip->stores |= i->x == BW_X_STG || i->x == BW_X_ATOM;
    skip->local |= i->x == BW_X_STL;
}

/* Adds the instructions of functions that are called, up to their returns. */
static bool add_callees(search *s)
{
    for (uint32_t k = 0; k < s->count; k++) {
        const bw_ins *i = &s->code->ins[s->list[k]];
        if (i->x != BW_X_CALL)
            continue;
        if (i->target < 0)
            return false;
        uint32_t depth = 0;
        if (!s->seen[i->target])
            s->stack[depth++] = (uint32_t)i->target, s->seen[i->target] = 1;
        while (depth && s->count < MOST_INSTRUCTIONS) {
            uint32_t at = s->stack[--depth], next[2];
            s->list[s->count++] = at;
            const bw_ins *j = &s->code->ins[at];
            if (j->x == BW_X_RET && always(j))
                continue;
            uint32_t n = successors(s, at, next);
            for (uint32_t q = 0; q < n; q++)
                if (!s->seen[next[q]])
                    s->seen[next[q]] = 1, s->stack[depth++] = next[q];
        }
    }
    return s->count < MOST_INSTRUCTIONS;
}

static bool collect(search *s, bw_skip *skip)
{
    if (!add_callees(s))
        return false;
    for (uint32_t k = 0; k < s->count; k++)
        if (matters(&s->code->ins[s->list[k]]))
            return false;
    for (uint32_t k = 0; k < s->count; k++)
        note_writes(skip, &s->code->ins[s->list[k]]);
    return true;
}

/* The first place, in order of distance from the branch, that both ways pass. */
static void find_meeting(search *s, uint32_t at, bw_skip *skip)
{
    uint32_t count = (uint32_t)s->code->count;
    for (uint32_t step = 1; step < count; step++) {
        for (int side = 0; side < 2; side++) {
            uint32_t meet = side == 0 ? at + step : at - step;
            if ((side == 0 && at + step >= count) || (side == 1 && step > at))
                continue;
            if (!meets(s, at, meet))
                continue;
            skip->meet = collect(s, skip) ? (int32_t)meet : -1;
            return;
        }
    }
}

const bw_skip *bw_skip_find(bw_code *code, uint32_t at)
{
    if (!code->skips)
        code->skips = bw_calloc(code->count + 1, sizeof *code->skips);
    bw_skip *skip = &code->skips[at];
    if (skip->searched)
        return skip;
    *skip = (bw_skip){.searched = true, .meet = -1};
    if (code->ins[at].x != BW_X_BRA)
        return skip;
    search s = {.code = code};
    s.seen = bw_calloc(code->count + 1, 1);
    s.stack = bw_calloc(code->count + 1, sizeof *s.stack);
    s.list = bw_calloc(code->count + 1, sizeof *s.list);
    find_meeting(&s, at, skip);
    free(s.seen);
    free(s.stack);
    free(s.list);
    return skip;
}

void bw_skips_finish(bw_code *code)
{
    for (size_t k = 0; code->skips && k < code->count; k++)
        free(code->skips[k].slots);
    free(code->skips);
    code->skips = NULL;
}
