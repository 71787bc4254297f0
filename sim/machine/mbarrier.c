/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Barriers in shared memory (mbarrier): their phases, who arrives, who waits, and the copies that
 * complete them.
 *
 * What a phase is, is PTX's ("Parallel Synchronization and Communication Instructions: mbarrier").
 * Of the 64 bits of a barrier only what compiled code makes of a count is known: 0x100000 less the
 * count from bit 1 and from bit 43 on; and that bit 63 is the parity of the phase, for code passes
 * parity << 31 to a wait, and the upper word of the state that it got. So the barriers' states are
 * kept here, and their words in shared memory are unknown. Copies complete at once.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <stdlib.h>
#include <string.h>

#include "state.h"

#define BARRIER_BYTES 8u
#define COUNT_BITS 0xfffffu
#define PARITY 0x80000000u

void bw_mbarriers_reset(bw_machine *m)
{
    m->mbarrier_count = 0;
}

/* Its number, or -1. */
static int find(const bw_machine *m, uint32_t address)
{
    for (size_t k = 0; k < m->mbarrier_count; k++)
        if (m->mbarriers[k].address == address)
            return (int)k;
    return -1;
}

/* Words of shared memory that nobody may read as a number. */
static void hide(bw_machine *m, uint32_t at, uint32_t address, uint32_t bytes)
{
    uint32_t origin = bw_origin_made(m, BW_MACHINE_FROM_OPCODE, at);
    uint32_t end = bytes < m->shared_size - address ? address + bytes : m->shared_size;
    memset(m->shared_unknown + address, 255, end - address);
    for (uint32_t a = address / 4; a < (end + 3) / 4; a++)
        m->shared_origin[a] = origin;
}

/* ---- phases ---- */

/* Lets those go that wait for the phase before. */
static void let_go(bw_machine *m, size_t barrier)
{
    for (uint32_t k = 0; k < m->warp_count; k++) {
        bw_warp *w = &m->warps[k];
        for (unsigned g = 0; g < w->group_count; g++) {
            bw_group *group = &w->groups[g];
            if (group->state != BW_GROUP_MBARRIER || group->wanted != barrier)
                continue;
            const bw_ins *i = &m->code.ins[group->pc];
            for (unsigned n = 0; n < i->out_count; n++)
                bw_set_pred(w, i->out[n], group->mask, BW_ALL, 0, 0);
            group->state = BW_GROUP_READY;
            group->pc++;
        }
    }
}

static void complete(bw_machine *m, size_t barrier)
{
    bw_mbarrier *b = &m->mbarriers[barrier];
    b->odd = !b->odd;
    b->pending = b->expected;
    b->bytes = 0;
    m->progress++;
    let_go(m, barrier);
}

static void arrive(bw_machine *m, size_t barrier, uint32_t count)
{
    bw_mbarrier *b = &m->mbarriers[barrier];
    b->pending -= count < b->pending ? count : b->pending;
    if (b->pending == 0 && b->bytes == 0)
        complete(m, barrier);
}

/* ---- instructions ---- */

/* The state that compiled code makes of a count. */
static void init(bw_machine *m, bw_warp *w, uint32_t at, uint32_t mask, const bw_addresses *where)
{
    const bw_ins *i = &m->code.ins[at];
    unsigned l = (unsigned)__builtin_ctz(mask);
    uint32_t address = where->s.v[l];
    int known = find(m, address);
    bool open = (w->partly[i->s[0] + 1] >> l & 1) != 0;
    uint32_t count = -(w->v[i->s[0] + 1].v[l] >> 11) & COUNT_BITS;
    hide(m, at, address, BARRIER_BYTES);
    if (open || count == 0) { /* nothing is known of it from now on: waits succeed */
        if (known >= 0)
            m->mbarriers[known] = m->mbarriers[--m->mbarrier_count];
        return;
    }
    if (known < 0) {
        BW_GROW(m->mbarriers, m->mbarrier_count, m->mbarrier_capacity);
        known = (int)m->mbarrier_count++;
    }
    m->mbarriers[known] = (bw_mbarrier){.address = address, .expected = count, .pending = count};
}

/* Each lane arrives once; with a register, that many bytes more are to come before the phase ends.
 */
static void exec_arrive(bw_machine *m, bw_warp *w, uint32_t at, uint32_t mask,
                        const bw_addresses *where)
{
    const bw_ins *i = &m->code.ins[at];
    uint32_t origin = bw_origin_made(m, BW_MACHINE_FROM_OPCODE, at);
    for (unsigned k = 0; k < i->width; k++)
        bw_poison(w, i->d + k, mask, origin);
    for (uint32_t left = mask; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);
        int barrier = find(m, where->s.v[l]);
        if (barrier < 0)
            continue;
        bw_mbarrier *b = &m->mbarriers[barrier];
        if (i->mode == BW_SYNCS_EXPECT && !(w->partly[i->s[0]] >> l & 1)) {
            b->bytes += w->v[i->s[0]].v[l];
            b->copied = b->bytes;
        }
        if (i->width == 2) { /* of the state the parity is known */
            uint32_t slot = i->d + 1u;
            w->v[slot].v[l] = b->odd ? PARITY : 0;
            w->u[slot].v[l] = ~PARITY;
            w->fully[slot] &= ~(1u << l);
        }
        arrive(m, (size_t)barrier, 1);
    }
}

void bw_exec_syncs(bw_machine *m, bw_warp *w, uint32_t at, uint32_t mask)
{
    const bw_ins *i = &m->code.ins[at];
    bw_addresses where = {.unknown = 0};
    bool known = i->mode != BW_SYNCS_OTHER &&
                 bw_shared_address(m, w, at, mask, BARRIER_BYTES, &where) &&
                 !(where.unknown & mask);
    if (known && where.far & mask) { /* and others may do so with this block's */
        m->code.others_signal = true;
        known = false;
    }
    bw_fold_matters(m, where.taint);
    if (known && i->mode == BW_SYNCS_INIT)
        init(m, w, at, mask, &where);
    else if (known)
        exec_arrive(m, w, at, mask, &where);
    else
        bw_unknown_results(w, i, i->uniform ? BW_ALL : mask,
                           bw_origin_made(m, BW_MACHINE_FROM_OPCODE, at));
    bw_fold_results(w, i, mask, 0);
}

/* ---- waiting ---- */

/* The one barrier and parity that all lanes wait for, -1 where they differ or it is not known. */
static int waited_for(const bw_machine *m, const bw_warp *w, const bw_ins *i, uint32_t mask,
                      const bw_addresses *where)
{
    unsigned first = (unsigned)__builtin_ctz(mask);
    uint32_t slot = i->s[0];
    if ((where->unknown | w->partly[slot]) & mask)
        for (uint32_t left = mask; left; left &= left - 1)
            if (where->unknown & mask || bw_unknown_bits(w, slot, __builtin_ctz(left)) & PARITY)
                return -1;
    for (uint32_t left = mask; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);
        if (where->s.v[l] != where->s.v[first] || (w->v[slot].v[l] ^ w->v[slot].v[first]) & PARITY)
            return -1;
    }
    return find(m, where->s.v[first]);
}

bool bw_mbarrier_wait(bw_machine *m, bw_warp *w, uint32_t at, uint32_t mask, int *barrier)
{
    const bw_ins *i = &m->code.ins[at];
    bw_addresses where;
    *barrier = -1;
    if (!bw_shared_address(m, w, at, mask, BARRIER_BYTES, &where))
        return false;
    bw_fold_matters(m, (uint8_t)(where.taint | w->taint[i->s[0]].bits));
    int found = waited_for(m, w, i, mask, &where);
    bool odd = w->v[i->s[0]].v[__builtin_ctz(mask)] & PARITY;
    if (found >= 0 && m->mbarriers[found].odd == odd)
        *barrier = found; /* its phase has not ended */
    return true;
}

static bool is_waited_for(const bw_machine *m, size_t barrier)
{
    for (uint32_t k = 0; k < m->warp_count; k++) {
        const bw_warp *w = &m->warps[k];
        bool asks = w->polls && m->code.ins[w->poll_pc].x == BW_X_SYNCS_WAIT;
        if (w->live && asks && w->poll_hash == barrier)
            return true;
        for (unsigned g = 0; g < w->group_count; g++)
            if (w->groups[g].state == BW_GROUP_MBARRIER && w->groups[g].wanted == barrier)
                return true;
    }
    return false;
}

/* Nothing goes on: what waits for copies, or for what other blocks or instructions that are not
 * modelled do, is let go, for they do it in time. */
bool bw_mbarriers_force(bw_machine *m)
{
    bool any = false;
    for (size_t k = 0; k < m->mbarrier_count; k++) {
        const bw_mbarrier *b = &m->mbarriers[k];
        bool copies = b->pending == 0 && b->bytes;
        if ((copies || m->code.others_signal) && is_waited_for(m, k)) {
            complete(m, k);
            any = true;
        }
    }
    return any;
}

/* ---- copies ---- */

/* A copy's place and its barrier are in two uniform registers in a row. What it writes is at most
 * what the barrier was told to expect; where that is not known, all of shared memory. */
void bw_exec_bulk(bw_machine *m, bw_warp *w, uint32_t at)
{
    const bw_ins *i = &m->code.ins[at];
    uint32_t origin = bw_origin_made(m, BW_MACHINE_FROM_OPCODE, at);
    uint32_t to = (w->v[i->s[0]].v[0] & 0xffffff) - m->shared_base,
             address = (w->v[i->s[1]].v[0] & 0xffffff) - m->shared_base;
    bool known = i->source_count == 2 && !(w->partly[i->s[0]] & 1) && !(w->partly[i->s[1]] & 1);
    int barrier = known && to < m->shared_size ? find(m, address) : -1;
    if (barrier < 0 || m->mbarriers[barrier].copied == 0) {
        bw_shared_unknown(m, origin);
        return;
    }
    bw_fold_matters(m, (uint8_t)(w->taint[i->s[0]].bits | w->taint[i->s[1]].bits));
    bw_mbarrier *b = &m->mbarriers[barrier];
    hide(m, at, to, b->copied);
    b->bytes = 0;
    if (b->pending == 0)
        complete(m, (size_t)barrier);
}
