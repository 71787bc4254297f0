/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Control: branches, calls, exits, and how lanes part and meet. Groups part at branches; they meet
 * at BSYNC and WARPSYNC alone. Each lane has its own copy of a convergence barrier's mask, so
 * groups that use one barrier apart do not disturb each other.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <string.h>

#include "skip.h"
#include "state.h"

/* Steps that a run may still take to find what else is needed. */
#define EXPLORE_STEPS 200000

void bw_group_remove(bw_warp *w, unsigned group)
{
    memmove(&w->groups[group], &w->groups[group + 1],
            sizeof *w->groups * (w->group_count - group - 1));
    w->group_count--;
}

/* Lanes of `group` that go their own way from now on. */
static void split(bw_warp *w, unsigned group, uint32_t lanes, int32_t pc)
{
    w->groups[group].mask &= ~lanes;
    w->groups[w->group_count++] =
        (bw_group){.mask = lanes, .pc = pc, .since = w->groups[group].since};
}

/* ---- meeting ---- */

/* Lanes that are let go at `pc`, one group for each mask that they have. */
static void regroup(bw_warp *w, uint32_t lanes, const uint32_t *masks, int32_t pc)
{
    while (lanes) {
        uint32_t mask = masks[__builtin_ctz(lanes)], same = 0;
        for (uint32_t left = lanes; left; left &= left - 1)
            if (masks[__builtin_ctz(left)] == mask)
                same |= left & (0 - left);
        w->groups[w->group_count++] = (bw_group){.mask = same, .pc = pc};
        lanes &= ~same;
    }
}

/* Takes lanes out of waiting groups. */
static void take_out(bw_warp *w, uint32_t lanes)
{
    for (unsigned g = w->group_count; g-- > 0;) {
        if (w->groups[g].state == BW_GROUP_READY || !(w->groups[g].mask & lanes))
            continue;
        w->groups[g].mask &= ~lanes;
        if (!w->groups[g].mask)
            bw_group_remove(w, g);
    }
}

/* Whom a waiting group waits for: by lane. */
static uint32_t wanted_by(const bw_warp *w, const bw_group *g, unsigned lane)
{
    return g->state == BW_GROUP_BSYNC ? w->b[g->barrier][lane] : g->wanted;
}

/* Lets those go of a waiting group's place whose partners are all there: those that wait for the
 * same lanes. (Others may wait at the same place for other lanes: from another depth of recursion.)
 */
static bool release_one(bw_warp *w, unsigned group)
{
    const bw_group *g = &w->groups[group];
    uint32_t waiting = 0, go = 0, masks[BW_LANES];
    for (unsigned o = 0; o < w->group_count; o++) {
        const bw_group *other = &w->groups[o];
        if (other->state != g->state || other->pc != g->pc || other->barrier != g->barrier)
            continue;
        waiting |= other->mask;
        for (uint32_t left = other->mask; left; left &= left - 1) {
            unsigned l = (unsigned)__builtin_ctz(left);
            masks[l] = wanted_by(w, other, l) & w->live;
        }
    }
    for (uint32_t left = waiting; left;) {
        uint32_t wanted = masks[__builtin_ctz(left)], same = 0;
        for (uint32_t rest = left; rest; rest &= rest - 1)
            if (masks[__builtin_ctz(rest)] == wanted)
                same |= rest & (0 - rest);
        if (!(wanted & ~same))
            go |= same;
        left &= ~same;
    }
    if (!go)
        return false;
    int32_t pc = g->pc + 1;
    take_out(w, go);
    regroup(w, go, masks, pc);
    return true;
}

void bw_warp_release(bw_machine *m, bw_warp *w)
{
    bool again = true;
    while (again) {
        again = false;
        for (unsigned g = 0; g < w->group_count && !again; g++)
            if (w->groups[g].state == BW_GROUP_BSYNC || w->groups[g].state == BW_GROUP_WARPSYNC)
                again = release_one(w, g);
        if (again)
            m->progress++;
    }
}

/* ---- guards ---- */

typedef struct guard {
    uint32_t on;   /* lanes that do it for certain */
    uint32_t open; /* of which it is not known */
    uint32_t origin;
} guard;

/* The guard, and further predicates of the instruction, for lanes of a group. */
static guard guard_of(bw_machine *m, bw_warp *w, const bw_ins *i, uint32_t mask)
{
    guard g = {0};
    uint32_t on = w->p[i->guard] ^ (i->guard_inv ? BW_ALL : 0), open = w->pu[i->guard];
    uint8_t taint = w->ptaint[i->guard];
    if (open & mask)
        g.origin = w->porigin[i->guard];
    m->block_counts[i - m->code.ins].threads += (uint32_t)__builtin_popcount(mask & on & ~open);
    bool predicates = i->x != BW_X_BAR; /* of a barrier they are values */
    for (unsigned n = 0; predicates && n < i->in_count; n++) {
        uint32_t value = w->p[i->in[n]] ^ (i->in_inv[n] ? BW_ALL : 0), unknown = w->pu[i->in[n]];
        uint32_t perhaps = (on | open) & (value | unknown);
        taint |= w->ptaint[i->in[n]];
        if (unknown & mask & (on | open))
            g.origin = w->porigin[i->in[n]];
        on &= value & ~unknown;
        open = perhaps & ~on;
    }
    g.on = on & ~open & mask;
    g.open = open & mask;
    if (taint)
        bw_fold_matters(m, taint);
    return g;
}

/* Notes that something unknown decides. From then on the run only looks for more of the kind; which
 * way it takes alternates. Returns the lanes that are to do it. */
static uint32_t decide_anyhow(bw_machine *m, uint32_t at, uint32_t mask, uint32_t origin)
{
    bw_need_add(m, BW_MACHINE_NEED_BRANCH, at, origin);
    if (!m->exploring) {
        m->exploring = true;
        m->step_limit = m->block_steps + EXPLORE_STEPS;
    }
    return m->explored[at]++ & 1 ? mask : 0;
}

static uint32_t decided(bw_machine *m, bw_warp *w, const bw_ins *i, uint32_t at, uint32_t mask)
{
    guard g = guard_of(m, w, i, mask);
    return g.open ? decide_anyhow(m, at, mask, g.origin) : g.on;
}

/* The value of a slot in the first lane; unknown values decide. */
static uint32_t first_value(bw_machine *m, bw_warp *w, uint32_t slot, uint32_t mask, uint32_t at)
{
    int l = __builtin_ctz(mask);
    if (w->taint[slot].bits)
        bw_fold_matters(m, w->taint[slot].bits);
    if (bw_unknown_bits(w, slot, l))
        decide_anyhow(m, at, mask, w->origin[slot]);
    return w->v[slot].v[l];
}

/* ---- branches ---- */

/* Steps over a branch on unknown data, if both ways meet before it matters. */
static bool step_over(bw_machine *m, bw_warp *w, unsigned group, uint32_t at, uint32_t origin)
{
    bw_group *g = &w->groups[group];
    const bw_skip *skip = bw_skip_find(&m->code, at);
    if (skip->meet < 0 || (skip->stores && m->launch->buffer_count))
        return false;
    for (uint32_t k = 0; k < skip->slot_count; k++) {
        bool uniform = skip->slots[k] >= m->code.regs;
        bw_poison(w, skip->slots[k], uniform ? BW_ALL : g->mask, origin);
    }
    for (unsigned p = 0; p < BW_PREDICATES; p++)
        if (skip->preds >> p & 1)
            bw_poison_pred(w, p, p >= 8 ? BW_ALL : g->mask, origin);
    if (skip->local && w->local)
        memset(w->local_unknown, 255, (size_t)w->local_size * BW_LANES);
    m->block_counts[at].skipped++;
    g->pc = skip->meet;
    return true;
}

/* Goes on with the lower address; the other lanes wait their turn. */
static bw_flow part(bw_warp *w, unsigned group, uint32_t taken, int32_t target, int32_t next)
{
    bw_group *g = &w->groups[group];
    if (taken == g->mask) {
        g->pc = target;
        return BW_FLOW_JUMP;
    }
    if (!taken)
        return BW_FLOW_NEXT;
    if (target < next) {
        split(w, group, g->mask & ~taken, next);
        g->pc = target;
    } else {
        split(w, group, taken, target);
        g->pc = next;
    }
    return BW_FLOW_JUMP;
}

static bw_flow exec_bra(bw_machine *m, bw_warp *w, unsigned group, const bw_ins *i, uint32_t at)
{
    bw_group *g = &w->groups[group];
    guard q = guard_of(m, w, i, g->mask);
    uint32_t taken = q.on;
    if (q.open) {
        if (step_over(m, w, group, at, q.origin))
            return BW_FLOW_JUMP;
        taken = decide_anyhow(m, at, g->mask, q.origin);
    }
    if (i->mode && taken) { /* only where lanes of the mask are elsewhere (.DIV), or none (.CONV) */
        uint32_t mask = first_value(m, w, i->s[0], g->mask, at) ^ i->xor_mask[0];
        bool elsewhere = mask & w->live & ~g->mask;
        if (elsewhere != (i->mode == 1))
            taken = 0;
    }
    return part(w, group, taken, i->target, (int32_t)at + 1);
}

/* Where a lane goes: bytes from the kernel's first instruction. */
static int64_t lane_target(const bw_warp *w, const bw_ins *i, unsigned lane, int64_t base)
{
    uint32_t low = w->v[i->s[0]].v[lane];
    if (!i->wide64)
        return (int64_t)(int32_t)low + base;
    return (int64_t)(low | (uint64_t)w->v[i->s[0] + 1].v[lane] << 32) + base;
}

static bool is_inside(bw_machine *m, const bw_ins *i, uint32_t at, int64_t address)
{
    /* A whole address 0 is a place that whoever loads the program fills in. */
    bool nowhere = i->wide64 && i->x == BW_X_CALL && address + (int64_t)m->code.base == 0;
    if (!nowhere && address >= 0 && address % BW_INS_BYTES == 0 &&
        address / BW_INS_BYTES < (int64_t)m->code.count)
        return true;
    return bw_fail(m, BW_MSG_MACHINE_OPCODE, at,
                   i->x == BW_X_CALL ? "functions of the system (printf, malloc) and of other "
                                       "sections have no instructions here"
                                     : NULL,
                   "it goes to 0x%llx, which is not in the kernel", (unsigned long long)address);
}

/* To an address by lane: those of the first lane go there, the others after. */
static bw_flow jump_to(bw_machine *m, bw_warp *w, unsigned group, const bw_ins *i, uint32_t at,
                       uint32_t lanes, int64_t base)
{
    bw_group *g = &w->groups[group];
    for (unsigned k = 0; k < i->source_width[0]; k++) {
        uint32_t slot = i->s[0] + k;
        if (w->taint[slot].bits)
            bw_fold_matters(m, w->taint[slot].bits);
        if (w->partly[slot] & lanes) {
            decide_anyhow(m, at, lanes, w->origin[slot]);
            m->stopped = true; /* there is no way to go on */
            return BW_FLOW_END;
        }
    }
    if (lanes != g->mask)
        split(w, group, g->mask & ~lanes, (int32_t)at + 1);
    while (g->mask) {
        int64_t address = lane_target(w, i, (unsigned)__builtin_ctz(g->mask), base);
        uint32_t same = 0;
        for (uint32_t left = g->mask; left; left &= left - 1)
            if (lane_target(w, i, (unsigned)__builtin_ctz(left), base) == address)
                same |= left & (0 - left);
        if (!is_inside(m, i, at, address))
            return BW_FLOW_END;
        int32_t target = (int32_t)(address / BW_INS_BYTES);
        if (same == g->mask) {
            g->pc = target;
            return BW_FLOW_JUMP;
        }
        split(w, group, same, target);
    }
    return BW_FLOW_SWITCH;
}

static bw_flow exec_call(bw_machine *m, bw_warp *w, unsigned group, const bw_ins *i, uint32_t at)
{
    uint32_t lanes = decided(m, w, i, at, w->groups[group].mask);
    if (i->target >= 0)
        return part(w, group, lanes, i->target, (int32_t)at + 1);
    return lanes ? jump_to(m, w, group, i, at, lanes, i->offset) : BW_FLOW_NEXT;
}

static bw_flow exec_indirect(bw_machine *m, bw_warp *w, unsigned group, const bw_ins *i,
                             uint32_t at)
{
    uint32_t lanes = decided(m, w, i, at, w->groups[group].mask);
    if (!lanes)
        return BW_FLOW_NEXT;
    int64_t base = i->offset;
    if (i->x == BW_X_BRX) /* an absolute address, as a profile shows it, or relative to the next */
        base = i->offset - (int64_t)m->code.base >= 0 && m->code.base
                   ? i->offset - (int64_t)m->code.base
                   : i->offset + ((int64_t)at + 1) * BW_INS_BYTES;
    return jump_to(m, w, group, i, at, lanes, base);
}

static bw_flow exec_exit(bw_machine *m, bw_warp *w, unsigned group, const bw_ins *i, uint32_t at)
{
    bw_group *g = &w->groups[group];
    uint32_t lanes = decided(m, w, i, at, g->mask);
    if (!lanes)
        return BW_FLOW_NEXT;
    w->live &= ~lanes;
    g->mask &= ~lanes;
    g->pc = (int32_t)at + 1;
    if (!g->mask)
        bw_group_remove(w, group);
    bw_warp_release(m, w);
    bw_bars_release(m);
    m->progress++;
    return BW_FLOW_SWITCH;
}

/* ---- convergence barriers ---- */

static bw_flow exec_bssy(bw_machine *m, bw_warp *w, unsigned group, const bw_ins *i, uint32_t at)
{
    uint32_t lanes = decided(m, w, i, at, w->groups[group].mask);
    for (uint32_t left = lanes; left; left &= left - 1)
        w->b[i->barrier][__builtin_ctz(left)] = lanes;
    return BW_FLOW_NEXT;
}

/* Whether no lane that the group wants is elsewhere, and all want the same. */
static bool is_complete(const bw_warp *w, const bw_group *g, uint32_t barrier)
{
    uint32_t first = w->b[barrier][__builtin_ctz(g->mask)];
    for (uint32_t left = g->mask; left; left &= left - 1)
        if (w->b[barrier][__builtin_ctz(left)] != first)
            return false;
    return !(first & w->live & ~g->mask);
}

static bw_flow wait_at(bw_machine *m, bw_warp *w, unsigned group, uint32_t lanes, uint32_t at,
                       bw_group waiting)
{
    bw_group *g = &w->groups[group];
    if (lanes != g->mask)
        split(w, group, g->mask & ~lanes, (int32_t)at + 1);
    waiting.mask = lanes;
    waiting.pc = (int32_t)at;
    waiting.since = g->since;
    *g = waiting;
    bw_warp_release(m, w);
    return BW_FLOW_SWITCH;
}

static bw_flow exec_bsync(bw_machine *m, bw_warp *w, unsigned group, const bw_ins *i, uint32_t at)
{
    bw_group *g = &w->groups[group];
    uint32_t lanes = decided(m, w, i, at, g->mask);
    if (!lanes || (lanes == g->mask && is_complete(w, g, i->barrier)))
        return BW_FLOW_NEXT;
    return wait_at(m, w, group, lanes, at,
                   (bw_group){.state = BW_GROUP_BSYNC, .barrier = i->barrier});
}

static bw_flow exec_break(bw_machine *m, bw_warp *w, unsigned group, const bw_ins *i, uint32_t at)
{
    uint32_t lanes = decided(m, w, i, at, w->groups[group].mask);
    if (!lanes)
        return BW_FLOW_NEXT;
    for (unsigned l = 0; l < BW_LANES; l++)
        w->b[i->barrier][l] &= ~lanes;
    if (w->group_count == 1)
        return BW_FLOW_NEXT;
    w->groups[group].pc = (int32_t)at + 1;
    bw_warp_release(m, w);
    return BW_FLOW_SWITCH;
}

/* Lanes of a group that name different masks wait apart. */
static void wait_apart(bw_warp *w, unsigned group, const uint32_t *wanted, uint32_t at)
{
    uint32_t lanes = w->groups[group].mask;
    bool first = true;
    while (lanes) {
        uint32_t mask = wanted[__builtin_ctz(lanes)], same = 0;
        for (uint32_t left = lanes; left; left &= left - 1)
            if (wanted[__builtin_ctz(left)] == mask)
                same |= left & (0 - left);
        bw_group waiting = {
            .mask = same, .pc = (int32_t)at, .state = BW_GROUP_WARPSYNC, .wanted = mask};
        if (first)
            w->groups[group] = waiting;
        else
            w->groups[w->group_count++] = waiting;
        first = false;
        lanes &= ~same;
    }
}

/* mode: 1 all lanes, 2 groups of one mask go on apart (.EXCLUSIVE). */
static bw_flow exec_warpsync(bw_machine *m, bw_warp *w, unsigned group, const bw_ins *i,
                             uint32_t at)
{
    bw_group *g = &w->groups[group];
    uint32_t lanes = decided(m, w, i, at, g->mask), wanted[BW_LANES];
    if (!lanes)
        return BW_FLOW_NEXT;
    uint32_t slot = i->s[0], open = i->mode == 1 ? 0 : w->partly[slot] & lanes;
    bool complete = lanes == g->mask, alike = true;
    if (i->mode != 1 && w->taint[slot].bits)
        bw_fold_matters(m, w->taint[slot].bits);
    if (open)
        decide_anyhow(m, at, lanes, w->origin[slot]);
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);
        wanted[l] = i->mode == 1 || open ? lanes : w->v[slot].v[l] ^ i->xor_mask[0];
        if (i->mode == 1)
            wanted[l] = BW_ALL;
        complete = complete && !(wanted[l] & w->live & ~lanes);
        alike = alike && wanted[l] == wanted[__builtin_ctz(lanes)];
    }
    if (complete && (alike || i->mode != 2))
        return BW_FLOW_NEXT;
    if (lanes != g->mask)
        split(w, group, g->mask & ~lanes, (int32_t)at + 1);
    wait_apart(w, group, wanted, at);
    bw_warp_release(m, w);
    return BW_FLOW_SWITCH;
}

/* ---- barriers of the block ---- */

static void reduce(bw_machine *m, bw_warp *w, const bw_ins *i, bw_bar *bar, uint32_t lanes)
{
    uint32_t value = w->p[i->in[0]] ^ (i->in_inv[0] ? BW_ALL : 0);
    if (w->pu[i->in[0]] & lanes)
        bar->unknown = true;
    m->shared_taint |= w->ptaint[i->in[0]];
    if (lanes & ~value)
        bar->and_all = 0;
    if (lanes & value)
        bar->or_any = BW_ALL;
    bar->popc += (uint32_t)__builtin_popcount(lanes & value);
}

static bw_flow exec_bar(bw_machine *m, bw_warp *w, unsigned group, const bw_ins *i, uint32_t at)
{
    bw_group *g = &w->groups[group];
    uint32_t lanes = decided(m, w, i, at, g->mask);
    if (!lanes)
        return BW_FLOW_NEXT;
    uint32_t id = first_value(m, w, i->s[0], lanes, at) & (BW_BARRIERS - 1);
    uint32_t count = i->source_count > 1 ? first_value(m, w, i->s[1], lanes, at) & 0xfff : 0;
    if (i->mode == 2)
        reduce(m, w, i, &m->bars[id], lanes);
    m->bars[id].used = true;
    if (i->mode == 1) {
        if (count == 0) {
            bw_fail(m, BW_MSG_MACHINE_OPCODE, at, NULL, "it arrives at a barrier without a count");
            return BW_FLOW_END;
        }
        bw_bar_arrive(m, w, id, count, lanes);
        g->pc = (int32_t)at + 1;
        bw_bars_release(m);
        return BW_FLOW_SWITCH;
    }
    wait_at(m, w, group, lanes, at, (bw_group){.state = BW_GROUP_BAR, .barrier = (uint8_t)id});
    bw_bar_arrive(m, w, id, count, lanes);
    bw_bars_release(m);
    return BW_FLOW_SWITCH;
}

/* ---- barriers in shared memory ---- */

/* mode 1: it waits until the phase ends; else it tells at once, and others go on first. */
static bw_flow exec_syncs_wait(bw_machine *m, bw_warp *w, unsigned group, const bw_ins *i,
                               uint32_t at)
{
    bw_group *g = &w->groups[group];
    uint32_t lanes = decided(m, w, i, at, g->mask);
    int barrier;
    if (!lanes)
        return BW_FLOW_NEXT;
    if (!bw_mbarrier_wait(m, w, at, lanes, &barrier))
        return BW_FLOW_END;
    for (unsigned k = 0; k < i->out_count; k++)
        bw_set_pred(w, i->out[k], lanes, barrier < 0 ? BW_ALL : 0, 0, 0);
    if (barrier < 0) {
        w->polls = w->poll_pc == at ? 0 : w->polls;
        return BW_FLOW_NEXT;
    }
    m->turn_over = true;
    if (i->mode == 0) {
        w->polls++;
        w->poll_pc = at;
        w->poll_hash = (uint32_t)barrier;
        g->pc = (int32_t)at + 1;
        g->since++;
        return BW_FLOW_SWITCH;
    }
    return wait_at(m, w, group, lanes, at,
                   (bw_group){.state = BW_GROUP_MBARRIER, .wanted = (uint32_t)barrier});
}

/* ---- */

static bw_flow exec_yield(bw_warp *w, unsigned group, uint32_t at)
{
    if (w->group_count == 1)
        return BW_FLOW_NEXT;
    w->groups[group].pc = (int32_t)at + 1;
    w->groups[group].since++;
    return BW_FLOW_SWITCH;
}

bw_flow bw_exec_control(bw_machine *m, bw_warp *w, unsigned group)
{
    uint32_t at = (uint32_t)w->groups[group].pc;
    const bw_ins *i = &m->code.ins[at];
    switch (i->x) {
    case BW_X_BRA: return exec_bra(m, w, group, i, at);
    case BW_X_BRX:
    case BW_X_RET: return exec_indirect(m, w, group, i, at);
    case BW_X_CALL: return exec_call(m, w, group, i, at);
    case BW_X_EXIT: return exec_exit(m, w, group, i, at);
    case BW_X_BSSY: return exec_bssy(m, w, group, i, at);
    case BW_X_BSYNC: return exec_bsync(m, w, group, i, at);
    case BW_X_BREAK: return exec_break(m, w, group, i, at);
    case BW_X_WARPSYNC: return exec_warpsync(m, w, group, i, at);
    case BW_X_BAR: return exec_bar(m, w, group, i, at);
    case BW_X_SYNCS_WAIT: return exec_syncs_wait(m, w, group, i, at);
    case BW_X_YIELD: {
        guard_of(m, w, i, w->groups[group].mask);
        return exec_yield(w, group, at);
    }
    default: {
        if (!decided(m, w, i, at, w->groups[group].mask))
            return BW_FLOW_NEXT;
        bw_fail(m, BW_MSG_MACHINE_OPCODE, at, NULL, "it cannot be executed: %s",
                i->why ? i->why : "");
        return BW_FLOW_END;
    }
    }
}
