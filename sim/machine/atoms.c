/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Atomics. Lanes go in order; a card's order is not documented, so what they return is marked.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <string.h>

#include "state.h"

static uint64_t pick(const bw_ins *i, uint64_t a, uint64_t b, bool smaller)
{
    bool less;
    if (i->is_signed)
        less = i->size == 8 ? (int64_t)a < (int64_t)b : (int32_t)a < (int32_t)b;
    else
        less = a < b;
    return less == smaller ? a : b;
}

uint64_t bw_atom_apply(const bw_ins *i, uint64_t old, uint64_t value, uint64_t swap)
{
    uint64_t cut = i->size == 8 ? UINT64_MAX : UINT32_MAX, r;
    switch (i->atom) {
    case BW_ATOM_ADD: r = old + value; break;
    case BW_ATOM_MIN: r = pick(i, old, value, true); break;
    case BW_ATOM_MAX: r = pick(i, old, value, false); break;
    case BW_ATOM_INC: r = old >= value ? 0 : old + 1; break;
    case BW_ATOM_DEC: r = old == 0 || old > value ? value : old - 1; break;
    case BW_ATOM_AND: r = old & value; break;
    case BW_ATOM_OR: r = old | value; break;
    case BW_ATOM_XOR: r = old ^ value; break;
    case BW_ATOM_EXCH: r = value; break;
    case BW_ATOM_CAS: r = old == value ? swap : old; break;
    case BW_ATOM_POPC_INC: r = old + 1; break;
    default: r = old; break;
    }
    return r & cut;
}

/* The value of a source in a lane; false where some bit is unknown. */
static bool operand(const bw_warp *w, const bw_ins *i, unsigned n, unsigned l, uint64_t *value)
{
    uint8_t bytes[8] = {0}, unknown[8] = {0}, zero[8] = {0};
    *value = 0;
    if (n >= i->source_count)
        return true;
    bw_store_value(w, i, n, l, bytes, unknown);
    memcpy(value, bytes, i->size);
    return memcmp(unknown, zero, i->size) == 0;
}

static bool is_known(const uint8_t *unknown, unsigned size)
{
    for (unsigned k = 0; k < size; k++)
        if (unknown[k])
            return false;
    return true;
}

/* One lane on a word in `bytes`; the old value becomes the result. */
static void apply_lane(bw_warp *w, const bw_ins *i, unsigned l, uint8_t *bytes, uint8_t *unknown)
{
    uint64_t old = 0, value, swap;
    bool known = is_known(unknown, i->size), has_value = operand(w, i, 0, l, &value),
         has_swap = operand(w, i, 1, l, &swap);
    memcpy(&old, bytes, i->size);
    if (i->width)
        bw_exec_load_result(w, i, l, bytes, unknown);
    bool settled =
        known && has_value && (has_swap || i->atom != BW_ATOM_CAS) && i->atom != BW_ATOM_OTHER;
    if (i->atom == BW_ATOM_EXCH)
        settled = has_value;
    uint64_t now = settled ? bw_atom_apply(i, old, value, swap) : 0;
    memcpy(bytes, &now, i->size);
    memset(unknown, settled ? 0 : 255, i->size);
}

static uint8_t value_taint(const bw_warp *w, const bw_ins *i)
{
    uint8_t bits = 0;
    for (unsigned n = 0; n < i->source_count; n++)
        for (unsigned k = 0; k < i->source_width[n]; k++)
            bits |= w->taint[i->s[n] + k].bits;
    return bits;
}

/* ---- compare and swap once, telling whether it succeeded ---- */

/* The lanes that may try: the lowest of each bank, of a half-warp for 64 bits (gpu-loops.csv;
 * the small kernels m09, m10 and m18 of the recordings). */
static uint32_t triers(const bw_ins *i, uint32_t mask, const bw_addresses *where)
{
    uint32_t lanes = 0, taken = 0;
    for (unsigned l = 0; l < BW_LANES; l++) {
        if (l == 16 && i->size == 8)
            taken = 0;
        uint32_t bank = 1u << (where->s.v[l] / 4 % 32);
        if (!(mask >> l & 1) || taken & bank)
            continue;
        taken |= bank;
        lanes |= 1u << l;
    }
    return lanes;
}

/*
 * ATOMS.CAST.SPIN d, [a], old, new: of lanes on one bank the lowest may try (of a half-warp for 64
 * bits); it succeeds if the word is still what it was (gpu-loops.csv). Where values
 * are unknown, a word has changed if an earlier lane of this instruction changed it.
 */
static void cast(bw_machine *m, bw_warp *w, uint32_t at, uint32_t mask, const bw_addresses *where)
{
    const bw_ins *i = &m->code.ins[at];
    uint32_t won = 0;
    uint64_t written[BW_LANES];
    unsigned count = 0;
    for (uint32_t left = triers(i, mask, where); left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);
        uint64_t a = where->s.v[l], expected, value, now = 0;
        bool known = operand(w, i, 0, l, &expected) && is_known(m->shared_unknown + a, i->size);
        bool has_value = operand(w, i, 1, l, &value);
        memcpy(&now, m->shared + a, i->size);
        bool changed = known && now != expected;
        for (unsigned k = 0; !known && k < count; k++)
            changed |= written[k] == a;
        if (changed)
            continue;
        won |= 1u << l;
        written[count++] = a;
        memcpy(m->shared + a, &value, i->size);
        memset(m->shared_unknown + a, has_value ? 0 : 255, i->size);
        for (unsigned k = 0; k < i->size; k += 4)
            m->shared_origin[(a + k) / 4] = has_value ? 0 : bw_source_origin(w, i, 1u << l);
    }
    for (unsigned k = 0; k < i->out_count; k++)
        bw_set_pred(w, i->out[k], mask, won, 0, 0);
    for (uint32_t left = i->width ? mask : 0; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);
        w->v[i->d].v[l] = won >> l & 1;
        if (i->width == 2)
            w->v[i->d + 1].v[l] = 0;
    }
    for (unsigned k = 0; k < i->width; k++)
        bw_known(w, i->d + k, mask);
}

static void apply(bw_machine *m, bw_warp *w, uint32_t at, uint32_t mask, const bw_addresses *where)
{
    const bw_ins *i = &m->code.ins[at];
    for (uint32_t left = mask; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);
        uint64_t a = where->s.v[l];
        bool was_known = is_known(m->shared_unknown + a, i->size);
        uint32_t before = m->shared_origin[a / 4], own = bw_source_origin(w, i, 1u << l);
        apply_lane(w, i, l, m->shared + a, m->shared_unknown + a);
        if (i->width && !was_known)
            w->origin[i->d] = before ? before : bw_origin_made(m, BW_MACHINE_FROM_SHARED, at);
        if (own)
            for (unsigned k = 0; k < i->size; k += 4)
                m->shared_origin[(a + k) / 4] = own;
    }
}

bool bw_exec_atoms(bw_machine *m, bw_warp *w, uint32_t at, uint32_t mask)
{
    const bw_ins *i = &m->code.ins[at];
    bw_addresses where;
    if (!bw_shared_address(m, w, at, mask, i->size, &where))
        return false;
    mask = bw_shared_near(m, w, at, mask, &where);
    if (!mask)
        return true;
    if (!bw_request_make(m, w, at, mask, &where))
        return false;
    if (where.unknown & mask) {
        bw_shared_unknown(m, where.origin);
        bw_unknown_results(w, i, mask, where.origin);
        return true;
    }
    m->shared_taint |= value_taint(w, i);
    if (i->atom == BW_ATOM_CAST)
        cast(m, w, at, mask, &where);
    else
        apply(m, w, at, mask, &where);
    m->progress++;
    bw_fold_results(w, i, mask, (uint8_t)(m->shared_taint | BW_TAINT_ORDER));
    return true;
}

/* ---- global ---- */

static void note_poll(bw_machine *m, bw_warp *w, uint32_t at, uint64_t progress)
{
    if (w->polls && w->poll_pc != at)
        return;
    w->polls = m->progress == progress ? w->polls + 1 : 0;
    w->poll_pc = at;
}

/* Generic atomics on shared memory are requests. */
static bool shared_lanes(bw_machine *m, bw_warp *w, uint32_t at, uint32_t mask, bw_addresses *where)
{
    const bw_ins *i = &m->code.ins[at];
    where->unknown &= mask;
    if (!bw_shared_from_generic(m, at, mask, i->size, where))
        return false;
    mask = bw_shared_near(m, w, at, mask, where);
    if (!mask)
        return true;
    if (!bw_request_make(m, w, at, mask, where))
        return false;
    m->shared_taint |= value_taint(w, i);
    apply(m, w, at, mask, where);
    return true;
}

bool bw_exec_atom(bw_machine *m, bw_warp *w, uint32_t at, uint32_t mask)
{
    const bw_ins *i = &m->code.ins[at];
    bw_addresses where;
    bw_address(w, i, mask, true, &where);
    uint32_t shared = 0, lost = where.unknown & mask;
    uint64_t progress = m->progress;
    for (unsigned k = 0; k < i->out_count; k++) /* what the predicate tells is not modelled */
        bw_poison_pred(w, i->out[k], mask, bw_origin_made(m, BW_MACHINE_FROM_ATOMIC, at));
    for (uint32_t left = i->generic ? mask & ~lost : 0; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);
        shared |= (uint32_t)(where.a[l] >> 32 == BW_SHARED_WINDOW) << l;
    }
    if (lost && i->generic) {
        m->block_counts[at].unknown++;
        bw_need_add(m, BW_MACHINE_NEED_ADDRESS, at, where.origin);
        bw_shared_unknown(m, where.origin);
    }
    if (lost) {
        bw_poison(w, i->d, lost, where.origin);
        if (i->width == 2)
            bw_poison(w, i->d + 1u, lost, where.origin);
    }
    for (uint32_t left = mask & ~lost & ~shared; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);
        uint8_t bytes[8] = {0}, unknown[8];
        bool found;
        bw_global_read(m, where.a[l], i->size, bytes, unknown, &found);
        apply_lane(w, i, l, bytes, unknown);
        if (found)
            bw_global_write(m, where.a[l], i->size, bytes, unknown);
        else
            for (unsigned k = 0; k < i->width; k++)
                w->origin[i->d + k] = bw_origin_made(m, BW_MACHINE_FROM_ATOMIC, at);
    }
    note_poll(m, w, at, progress);
    bw_fold_results(w, i, mask, (uint8_t)(where.taint | BW_TAINT_ORDER));
    return !shared || shared_lanes(m, w, at, shared, &where);
}
