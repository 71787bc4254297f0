/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Global, generic and local memory.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <stdlib.h>
#include <string.h>

#include "state.h"

/* Bytes of local memory that a lane may use: CUDA's own limit. */
#define MOST_LOCAL (512u << 10)
#define FIRST_LOCAL 1024u

/* ---- pointers ---- */

/* As requests tell arrays apart whose place is not known (bw_sources); low enough to be no generic
 * window. */
#define POINTER_SHIFT BW_ARRAY_SHIFT

uint64_t bw_machine_pointer(uint32_t index)
{
    return (uint64_t)(index + 1) << POINTER_SHIFT;
}

int bw_machine_pointer_index(uint64_t address)
{
    /* A little below its beginning still belongs to a pointer: p - 1 and the like. */
    uint64_t index = (address + ((uint64_t)1 << (POINTER_SHIFT - 1))) >> POINTER_SHIFT;
    return index >= 1 && index <= BW_MACHINE_POINTERS ? (int)index - 1 : -1;
}

/* ---- buffers ---- */

const bw_machine_buffer *bw_global_find(bw_machine *m, uint64_t address, uint32_t size)
{
    const bw_machine_launch *launch = m->launch;
    for (size_t k = 0; k < launch->buffer_count; k++) {
        size_t at = (m->last_buffer + k) % launch->buffer_count;
        const bw_machine_buffer *b = &launch->buffers[at];
        if (address >= b->base && size <= b->size && address - b->base <= b->size - size) {
            m->last_buffer = at;
            return b;
        }
    }
    return NULL;
}

void bw_global_read(bw_machine *m, uint64_t address, uint32_t size, uint8_t *bytes,
                    uint8_t *unknown, bool *found)
{
    const bw_machine_buffer *b = bw_global_find(m, address, size);
    *found = b != NULL;
    memset(unknown, b ? 0 : 255, size);
    if (!b)
        return;
    memcpy(bytes, b->bytes + (address - b->base), size);
    for (uint32_t k = 0; b->unknown && k < size; k++)
        unknown[k] = b->unknown[address - b->base + k] ? 255 : 0;
}

void bw_global_write(bw_machine *m, uint64_t address, uint32_t size, const uint8_t *bytes,
                     const uint8_t *unknown)
{
    const bw_machine_buffer *b = bw_global_find(m, address, size);
    if (!b)
        return;
    bw_fold_matters(m, BW_TAINT_BLOCK); /* other blocks store elsewhere, or other things */
    uint64_t at = address - b->base;
    if (memcmp(b->bytes + at, bytes, size) != 0)
        m->progress++;
    memcpy(b->bytes + at, bytes, size);
    for (uint32_t k = 0; k < size; k++) {
        if (b->unknown)
            b->unknown[at + k] = unknown[k] ? 255 : 0;
        else
            m->result->unknown_stores += unknown[k] != 0;
    }
}

/* ---- waiting ---- */

/* Counts loads that find what they found before, while nothing else happens. */
static void note_poll(bw_machine *m, bw_warp *w, uint32_t at, uint32_t mask)
{
    const bw_ins *i = &m->code.ins[at];
    uint32_t hash = (uint32_t)m->progress * 2654435761u;
    for (unsigned k = 0; k < i->width; k++)
        for (uint32_t left = mask; left; left &= left - 1)
            hash = (hash ^ w->v[i->d + k].v[__builtin_ctz(left)]) * 16777619u;
    if (w->polls && w->poll_pc != at)
        return;
    w->polls = w->poll_hash == hash ? w->polls + 1 : 1;
    w->poll_pc = at;
    w->poll_hash = hash;
}

/* ---- global ---- */

/* Whole words of one buffer, of lanes whose every bit is known: at once. */
static bool load_known(bw_machine *m, bw_warp *w, const bw_ins *i, uint32_t mask,
                       const bw_addresses *where)
{
    const bw_machine_buffer *b = bw_global_find(m, where->a[__builtin_ctz(mask)], i->size);
    uint64_t offset[BW_LANES];
    uint32_t open = 0;
    if (!b || i->size < 4)
        return false;
    for (uint32_t left = mask; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);
        offset[l] = where->a[l] - b->base;
        if (where->a[l] < b->base || offset[l] > b->size - i->size)
            return false;
    }
    for (unsigned k = 0; b->unknown && k < i->width; k++)
        for (uint32_t left = mask; left; left &= left - 1) {
            uint32_t word;
            memcpy(&word, b->unknown + offset[__builtin_ctz(left)] + 4 * k, 4);
            open |= word;
        }
    if (open)
        return false;
    for (unsigned k = 0; k < i->width; k++) {
        uint32_t *to = w->v[i->d + k].v;
        for (uint32_t left = mask; left; left &= left - 1)
            memcpy(&to[__builtin_ctz(left)], b->bytes + offset[__builtin_ctz(left)] + 4 * k, 4);
        bw_known(w, i->d + k, mask);
    }
    return true;
}

static void load(bw_machine *m, bw_warp *w, uint32_t at, uint32_t mask, const bw_addresses *where)
{
    const bw_ins *i = &m->code.ins[at];
    uint32_t lost = where->unknown & mask, rest = mask & ~lost;
    if (lost)
        bw_unknown_results(w, i, lost, where->origin);
    if (rest && m->launch->buffer_count == 0) {
        uint64_t a = where->a[__builtin_ctz(rest)];
        bw_unknown_results(w, i, rest, bw_origin_load(m, at, true, a));
        bw_fold_results(w, i, mask, 0);
        return;
    }
    bool any = rest && load_known(m, w, i, rest, where);
    for (uint32_t left = any ? 0 : rest; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);
        uint8_t bytes[32] = {0}, unknown[32];
        bool found;
        bw_global_read(m, where->a[l], i->size, bytes, unknown, &found);
        any |= found;
        bw_exec_load_result(w, i, l, bytes, unknown);
        if (unknown[0])
            for (unsigned k = 0; k < i->width; k++)
                w->origin[i->d + k] = bw_origin_load(m, at, true, where->a[l]);
    }
    if (any && i->volatile_access)
        note_poll(m, w, at, rest);
    bw_fold_results(w, i, mask, where->taint);
}

static void store(bw_machine *m, bw_warp *w, uint32_t at, uint32_t mask, const bw_addresses *where)
{
    const bw_ins *i = &m->code.ins[at];
    if (m->launch->buffer_count == 0)
        return;
    if (where->unknown & mask) /* it may have gone anywhere */
        for (size_t k = 0; k < m->launch->buffer_count; k++) {
            const bw_machine_buffer *b = &m->launch->buffers[k];
            if (b->unknown)
                memset(b->unknown, 255, b->size);
            m->result->unknown_stores += i->size;
        }
    for (int l = BW_LANES - 1; l >= 0; l--) {
        uint8_t bytes[32], unknown[32];
        if (!((mask & ~where->unknown) >> l & 1))
            continue;
        bw_store_value(w, i, 0, (unsigned)l, bytes, unknown);
        bw_global_write(m, where->a[l], i->size, bytes, unknown);
    }
}

/* ---- local ---- */

/* Room for everything from `address` up to the top of the stack. */
static bool local_reserve(bw_machine *m, bw_warp *w, uint32_t at, uint32_t address)
{
    (void)at;
    (void)m;
    uint32_t depth = BW_STACK_TOP - (address & ~3u);
    if (w->local_size >= depth && w->local)
        return true;
    if (address > BW_STACK_TOP || depth > MOST_LOCAL)
        return false;
    uint32_t size = w->local_size ? w->local_size : FIRST_LOCAL;
    while (size < depth)
        size *= 2;
    size_t old = (size_t)w->local_size * BW_LANES, now = (size_t)size * BW_LANES;
    uint8_t *bytes = bw_calloc(now, 1), *unknown = bw_alloc(now);
    memset(unknown, 255, now);
    if (w->local) { /* what was there lies at the top */
        memcpy(bytes + now - old, w->local, old);
        memcpy(unknown + now - old, w->local_unknown, old);
    }
    free(w->local);
    free(w->local_unknown);
    w->local = bytes;
    w->local_unknown = unknown;
    w->local_size = size;
    return true;
}

static size_t local_place(const bw_warp *w, uint32_t address, unsigned lane)
{
    uint32_t offset = address - (BW_STACK_TOP - w->local_size);
    return ((size_t)(offset / 4) * BW_LANES + lane) * 4 + offset % 4;
}

/* Above the stack's top nothing is kept: what is there is unknown. */
static bool is_kept(bw_machine *m, bw_warp *w, uint32_t at, uint32_t address, uint32_t size)
{
    return address <= BW_STACK_TOP - size && local_reserve(m, w, at, address);
}

static void local_load(bw_machine *m, bw_warp *w, uint32_t at, unsigned l, uint32_t address)
{
    const bw_ins *i = &m->code.ins[at];
    uint8_t bytes[32] = {0}, unknown[32];
    memset(unknown, 255, sizeof unknown);
    if (is_kept(m, w, at, address, i->size))
        for (unsigned k = 0; k < i->size; k++) {
            bytes[k] = w->local[local_place(w, address + k, l)];
            unknown[k] = w->local_unknown[local_place(w, address + k, l)];
        }
    bw_exec_load_result(w, i, l, bytes, unknown);
    if (unknown[0])
        for (unsigned k = 0; k < i->width; k++)
            w->origin[i->d + k] = bw_origin_made(m, BW_MACHINE_FROM_LOCAL, at);
}

static void local_store(bw_machine *m, bw_warp *w, uint32_t at, unsigned l, uint32_t address)
{
    const bw_ins *i = &m->code.ins[at];
    uint8_t bytes[32], unknown[32];
    if (!is_kept(m, w, at, address, i->size))
        return;
    bw_store_value(w, i, 0, l, bytes, unknown);
    for (unsigned k = 0; k < i->size; k++) {
        w->local[local_place(w, address + k, l)] = bytes[k];
        w->local_unknown[local_place(w, address + k, l)] = unknown[k];
    }
}

/* Taint of local memory is not followed: a store of a tainted value matters. */
static bool exec_local(bw_machine *m, bw_warp *w, uint32_t at, uint32_t mask,
                       const bw_addresses *where, bool load_it)
{
    const bw_ins *i = &m->code.ins[at];
    bw_fold_matters(m, where->taint);
    if (load_it) {
        if (where->unknown & mask)
            bw_unknown_results(w, i, where->unknown & mask, where->origin);
        bw_fold_results(w, i, mask, 0);
    } else {
        for (unsigned k = 0; k < i->source_width[0]; k++)
            bw_fold_matters(m, w->taint[i->s[0] + k].bits);
        if (where->unknown & mask && w->local)
            memset(w->local_unknown, 255, (size_t)w->local_size * BW_LANES);
    }
    for (uint32_t left = mask & ~where->unknown; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);
        if (load_it)
            local_load(m, w, at, l, (uint32_t)where->a[l]);
        else
            local_store(m, w, at, l, (uint32_t)where->a[l]);
    }
    return true;
}

bool bw_exec_local(bw_machine *m, bw_warp *w, uint32_t at, uint32_t mask)
{
    const bw_ins *i = &m->code.ins[at];
    bw_addresses where;
    bw_address(w, i, mask, false, &where);
    return exec_local(m, w, at, mask, &where, i->x == BW_X_LDL);
}

/* ---- generic ---- */

/* Lanes by window. An unknown upper word may mean any. */
static uint32_t in_window(const bw_addresses *where, uint32_t mask, uint32_t window)
{
    uint32_t lanes = 0;
    for (uint32_t left = mask; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);
        lanes |= (uint32_t)(where->a[l] >> 32 == window) << l;
    }
    return lanes;
}

static bool upper_known(const bw_warp *w, const bw_ins *i, uint32_t lanes)
{
    return i->has_base && i->base64 && !(w->partly[i->base + 1] & lanes);
}

static bool exec_generic(bw_machine *m, bw_warp *w, uint32_t at, uint32_t mask, bw_addresses *where)
{
    const bw_ins *i = &m->code.ins[at];
    bool is_load = i->x == BW_X_LD;
    uint32_t lost = where->unknown & mask;
    if (lost && (!upper_known(w, i, lost) || in_window(where, lost, BW_SHARED_WINDOW))) {
        m->block_counts[at].unknown++;
        bw_need_add(m, BW_MACHINE_NEED_ADDRESS, at, where->origin);
        if (!is_load)
            bw_shared_unknown(m, where->origin);
    }
    uint32_t shared = in_window(where, mask & ~lost, BW_SHARED_WINDOW);
    uint32_t local = in_window(where, mask & ~lost, BW_LOCAL_WINDOW),
             rest = mask & ~shared & ~local;
    if (rest && is_load)
        load(m, w, at, rest, where);
    else if (rest)
        store(m, w, at, rest, where);
    if (local)
        exec_local(m, w, at, local, where, is_load);
    if (!shared)
        return true;
    where->unknown &= shared;
    return bw_exec_generic_shared(m, w, at, shared, where);
}

bool bw_exec_global(bw_machine *m, bw_warp *w, uint32_t at, uint32_t mask)
{
    const bw_ins *i = &m->code.ins[at];
    bw_addresses where;
    bw_address(w, i, mask, true, &where);
    if (i->x == BW_X_LD || i->x == BW_X_ST)
        return exec_generic(m, w, at, mask, &where);
    if (i->x == BW_X_LDG)
        load(m, w, at, mask, &where);
    else
        store(m, w, at, mask, &where);
    return true;
}
