/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A block: its warps, whose turn it is, and its barriers.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <stdlib.h>
#include <string.h>

#include "state.h"

/* A group runs that long before others of its warp get a turn; a warp, before other warps do. */
#define TURN_GROUP 20000
#define TURN_WARP 100000
/* Loads in a row that find the same and nothing else happens: it waits for what never comes. */
#define MOST_POLLS 20000

/* ---- memory ---- */

static void *aligned(size_t size)
{
    void *memory = NULL;
    if (posix_memalign(&memory, 64, size ? size : 64))
        bw_out_of_memory();
    memset(memory, 0, size);
    return memory;
}

static void warp_create(bw_machine *m, bw_warp *w, uint32_t index)
{
    uint32_t slots = m->code.slots;
    *w = (bw_warp){.index = index};
    w->v = aligned(slots * sizeof *w->v);
    w->u = aligned(slots * sizeof *w->u);
    w->partly = bw_calloc(slots, sizeof *w->partly);
    w->fully = bw_calloc(slots, sizeof *w->fully);
    w->origin = bw_calloc(slots, sizeof *w->origin);
    w->taint = bw_calloc(slots, sizeof *w->taint);
    const uint32_t *size = m->launch->block;
    for (uint32_t l = 0; l < BW_LANES; l++) {
        uint32_t t = index * BW_LANES + l;
        if (t >= m->threads)
            break;
        w->lanes |= 1u << l;
        w->tid[0].v[l] = t % size[0];
        w->tid[1].v[l] = t / size[0] % size[1];
        w->tid[2].v[l] = t / size[0] / size[1];
    }
    bw_constants_fill(m, w);
}

bool bw_block_init(bw_machine *m)
{
    m->warps = bw_calloc(m->warp_count, sizeof *m->warps);
    for (uint32_t k = 0; k < m->warp_count; k++)
        warp_create(m, &m->warps[k], k);
    for (unsigned k = 0; k < BW_BARRIERS; k++)
        m->bars[k].arrived = bw_calloc(m->warp_count, sizeof *m->bars[k].arrived);
    m->shared = bw_calloc(m->shared_size, 1);
    m->shared_unknown = bw_calloc(m->shared_size, 1);
    m->shared_origin = bw_calloc(m->shared_size / 4 + 1, sizeof *m->shared_origin);
    return true;
}

void bw_block_finish(bw_machine *m)
{
    for (uint32_t k = 0; m->warps && k < m->warp_count; k++) {
        bw_warp *w = &m->warps[k];
        free(w->v);
        free(w->u);
        free(w->partly);
        free(w->fully);
        free(w->origin);
        free(w->taint);
        free(w->local);
        free(w->local_unknown);
    }
    free(m->warps);
    for (unsigned k = 0; k < BW_BARRIERS; k++)
        free(m->bars[k].arrived);
    free(m->shared);
    free(m->shared_unknown);
    free(m->shared_origin);
    free(m->mbarriers);
}

/* ---- beginning ---- */

/* Registers hold nothing known; constants stay. */
static void warp_reset(bw_machine *m, bw_warp *w, uint32_t origin)
{
    uint32_t registers = m->code.regs + m->code.uregs;
    memset(w->v, 0, registers * sizeof *w->v);
    memset(w->u, 255, registers * sizeof *w->u);
    memset(w->partly, 255, registers * sizeof *w->partly);
    memset(w->fully, 255, registers * sizeof *w->fully);
    memset(w->taint, 0, m->code.slots * sizeof *w->taint);
    memset(w->ptaint, 0, sizeof w->ptaint);
    memset(w->b, 0, sizeof w->b);
    for (uint32_t k = 0; k < registers; k++)
        w->origin[k] = origin;
    for (unsigned k = 0; k < BW_PREDICATES; k++) {
        bool always = (k & 7) == 7;
        w->p[k] = always ? BW_ALL : 0;
        w->pu[k] = always ? 0 : BW_ALL;
        w->porigin[k] = origin;
    }
    w->live = w->lanes;
    w->group_count = 1;
    w->groups[0] = (bw_group){.mask = w->lanes};
    w->polls = 0;
    w->bar_unknown = BW_ALL;
    if (w->local)
        memset(w->local_unknown, 255, (size_t)w->local_size * BW_LANES);
}

static void bar_reset(bw_machine *m, bw_bar *bar)
{
    memset(bar->arrived, 0, m->warp_count * sizeof *bar->arrived);
    *bar = (bw_bar){.arrived = bar->arrived, .and_all = BW_ALL};
}

static void block_reset(bw_machine *m)
{
    uint32_t origin = bw_origin_made(m, BW_MACHINE_FROM_UNWRITTEN, 0);
    for (uint32_t k = 0; k < m->warp_count; k++)
        warp_reset(m, &m->warps[k], origin);
    for (unsigned k = 0; k < BW_BARRIERS; k++)
        bar_reset(m, &m->bars[k]);
    memset(m->shared_unknown, 255, m->shared_size);
    memset(m->shared_origin, 0, (m->shared_size / 4 + 1) * sizeof *m->shared_origin);
    m->shared_taint = 0;
    m->block_steps = 0;
    bw_mbarriers_reset(m);
    bw_copy_start(m->copies_seen, false);
}

/* ---- barriers ---- */

bool bw_bar_arrive(bw_machine *m, bw_warp *w, unsigned id, uint32_t count, uint32_t lanes)
{
    bw_bar *bar = &m->bars[id];
    bar->warps += bar->arrived[w->index] == 0;
    bar->arrived[w->index] |= lanes;
    if (count)
        bar->expected = count;
    return true;
}

static bool is_complete(const bw_machine *m, const bw_bar *bar)
{
    if (!bar->warps)
        return false;
    if (bar->expected)
        return bar->warps * BW_LANES >= bar->expected;
    for (uint32_t k = 0; k < m->warp_count; k++)
        if (m->warps[k].live & ~bar->arrived[k])
            return false;
    return true;
}

static void let_go(bw_machine *m, unsigned id)
{
    const bw_bar *bar = &m->bars[id];
    for (uint32_t k = 0; k < m->warp_count; k++) {
        bw_warp *w = &m->warps[k];
        for (unsigned g = 0; g < w->group_count; g++) {
            bw_group *group = &w->groups[g];
            if (group->state != BW_GROUP_BAR || group->barrier != id)
                continue;
            const bw_ins *i = &m->code.ins[group->pc];
            if (i->mode == 2) {
                w->bar_result = i->atom == BW_ATOM_OR ? bar->or_any : bar->and_all;
                w->bar_count = bar->popc;
                w->bar_unknown = bar->unknown ? BW_ALL : 0;
            }
            group->state = BW_GROUP_READY;
            group->pc++;
        }
    }
    bar_reset(m, &m->bars[id]);
    m->progress++;
}

void bw_bars_release(bw_machine *m)
{
    for (unsigned id = 0; id < BW_BARRIERS; id++)
        if (m->bars[id].warps && is_complete(m, &m->bars[id]))
            let_go(m, id);
}

/* ---- turns ---- */

/* The ready group that has had the fewest turns; among those the one with the lowest address. */
static int pick_group(const bw_warp *w)
{
    int best = -1;
    for (unsigned g = 0; g < w->group_count; g++) {
        const bw_group *o = &w->groups[g];
        if (o->state != BW_GROUP_READY)
            continue;
        const bw_group *b = best >= 0 ? &w->groups[best] : NULL;
        if (!b || o->since < b->since || (o->since == b->since && o->pc < b->pc))
            best = (int)g;
    }
    return best;
}

/* Runs a warp until it waits or its turn is over; false where the run must end. */
static bool run_warp(bw_machine *m, bw_warp *w)
{
    uint64_t until = m->block_steps + TURN_WARP;
    int g;
    m->turn_over = false;
    while (m->block_steps < until && (g = pick_group(w)) >= 0) {
        bw_group *group = &w->groups[g];
        uint32_t mask = group->mask;
        int32_t pc = group->pc;
        uint64_t before = m->block_steps;
        if (!bw_exec_group(m, w, (unsigned)g, TURN_GROUP))
            return false;
        bool whole_turn = m->block_steps - before >= TURN_GROUP;
        if (whole_turn && (unsigned)g < w->group_count && (w->groups[g].mask & mask))
            w->groups[g].since++;
        (void)pc;
        if ((w->polls > MOST_POLLS && w->group_count == 1) || m->turn_over)
            break;
    }
    return true;
}

/* Whether some warp polls, and no other has anything else to do. */
static bool is_waiting_for_memory(const bw_machine *m)
{
    bool any = false;
    for (uint32_t k = 0; k < m->warp_count; k++) {
        const bw_warp *w = &m->warps[k];
        if (!w->live || pick_group(w) < 0)
            continue;
        if (w->polls <= MOST_POLLS)
            return false;
        any = true;
    }
    return any;
}

/* The first group that waits, for the message. */
static const bw_group *first_waiting(const bw_machine *m)
{
    for (uint32_t k = 0; k < m->warp_count; k++)
        if (m->warps[k].group_count)
            return &m->warps[k].groups[0];
    return NULL;
}

static bool fail_deadlock(bw_machine *m)
{
    const bw_group *g = first_waiting(m);
    const char *what =
        g->state == BW_GROUP_BAR ? "warps wait at a barrier of the block that not all reach"
        : g->state == BW_GROUP_MBARRIER
            ? "lanes wait at a barrier in shared memory for a phase that does not end"
        : g->state == BW_GROUP_BSYNC
            ? "lanes wait for others that do not come"
            : "lanes wait in a warp-wide synchronisation for others that do not come";
    return bw_fail(m, BW_MSG_PARTIAL_BARRIER, (uint32_t)g->pc, NULL,
                   "deadlock in block (%u, %u, %u): %s", m->block[0], m->block[1], m->block[2],
                   what);
}

static bool fail_polling(bw_machine *m)
{
    uint32_t k = 0;
    while (k + 1 < m->warp_count && m->warps[k].polls <= MOST_POLLS)
        k++;
    uint32_t at = m->warps[k].poll_pc;
    if (m->code.ins[at].x == BW_X_SYNCS_WAIT)
        return bw_fail(m, BW_MSG_PARTIAL_BARRIER, at, NULL,
                       "deadlock in block (%u, %u, %u): lanes ask without end for a phase of a "
                       "barrier in shared memory that does not end",
                       m->block[0], m->block[1], m->block[2]);
    return bw_fail(m, BW_MSG_WAITING_BLOCKS, at,
                   "blocks run one after another here; a kernel whose blocks wait for each "
                   "other cannot be run",
                   "block (%u, %u, %u) waits without end for a value in global memory that "
                   "no block before it has stored",
                   m->block[0], m->block[1], m->block[2]);
}

bool bw_block_run(bw_machine *m)
{
    block_reset(m);
    for (;;) {
        bool alive = false, ran = false;
        uint64_t progress = m->progress;
        for (uint32_t k = 0; k < m->warp_count; k++) {
            bw_warp *w = &m->warps[k];
            alive |= w->live != 0;
            if (pick_group(w) < 0)
                continue;
            ran = true;
            if (!run_warp(m, w))
                return false;
        }
        if (!alive)
            return true;
        if (!ran && bw_mbarriers_force(m))
            continue;
        if (!ran)
            return fail_deadlock(m);
        if (progress != m->progress || !is_waiting_for_memory(m))
            continue;
        if (!bw_mbarriers_force(m))
            return fail_polling(m);
    }
}
