/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shared memory: addresses, requests, loads, stores, matrices, asynchronous copies.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <string.h>

#include "state.h"

/* Stored requests of a block that is to stand for several: past that it stands for itself alone. */
#define MOST_STORED 500000

/* ---- addresses ---- */

static uint64_t lane_address(const bw_warp *w, const bw_ins *i, int l, bool global)
{
    uint64_t a = (uint64_t)i->offset;
    if (i->has_base) {
        uint64_t base = w->v[i->base].v[l];
        if (i->base64)
            base |= (uint64_t)w->v[i->base + 1].v[l] << 32;
        a += base * i->scale;
    }
    if (i->has_ubase) {
        uint64_t base = w->v[i->ubase].v[l];
        if (i->ubase64)
            base |= (uint64_t)w->v[i->ubase + 1].v[l] << 32;
        a += base;
    }
    return global ? a : (uint32_t)a;
}

static void note_source(const bw_warp *w, uint32_t slot, uint32_t mask, bw_addresses *out)
{
    uint32_t open = w->partly[slot] & mask;
    if (open && !out->unknown)
        out->origin = w->origin[slot];
    out->unknown |= open;
    out->taint |= w->taint[slot].bits;
}

static void note_sources(const bw_warp *w, const bw_ins *i, uint32_t mask, bw_addresses *out)
{
    bool wide = i->x != BW_X_LDGSTS; /* of a copy base64 and ubase64 belong to its global side */
    out->unknown = out->origin = 0;
    out->taint = 0;
    note_source(w, i->base, mask, out);
    note_source(w, i->ubase, mask, out);
    if (i->base64 && wide)
        note_source(w, i->base + 1u, mask, out);
    if (i->ubase64 && wide)
        note_source(w, i->ubase + 1u, mask, out);
}

void bw_address(const bw_warp *w, const bw_ins *i, uint32_t mask, bool wide, bw_addresses *out)
{
    note_sources(w, i, mask, out);
    for (int l = 0; l < BW_LANES; l++)
        out->a[l] = lane_address(w, i, l, wide);
}

static bool bad_address(bw_machine *m, uint32_t at, unsigned lane, uint32_t a, uint32_t size)
{
    if (a > m->shared_size - size)
        return bw_fail(m, BW_MSG_OUTSIDE_SHARED, at, "give the right --shared, arguments and block",
                       "lane %u asks for byte %d of shared memory, of which the block has %u", lane,
                       (int32_t)a, m->shared_size);
    return bw_fail(m, BW_MSG_MISALIGNED_ACCESS, at, NULL,
                   "lane %u asks for byte %u of shared memory: not a multiple of %u", lane, a,
                   size);
}

/* From the machine's addresses to bytes from the start of the block's shared memory. The upper
 * eight bits number the block of a cluster. */
static bool place(bw_machine *m, uint32_t at, uint32_t mask, uint32_t size, const bw_placing *p,
                  const bw_vec *base, const bw_vec *more, bw_addresses *out)
{
    uint32_t bad = m->tools->place(p, base, more, mask & ~out->unknown, &out->s, &out->far);
    if (!(bad & ~out->far))
        return true;
    unsigned l = (unsigned)__builtin_ctz(bad & ~out->far);
    return bad_address(m, at, l, out->s.v[l], size);
}

bool bw_shared_address(bw_machine *m, const bw_warp *w, uint32_t at, uint32_t mask, uint32_t size,
                       bw_addresses *out)
{
    const bw_ins *i = &m->code.ins[at];
    note_sources(w, i, mask, out);
    const bw_placing p = {i->scale, (uint32_t)i->offset, m->shared_base, m->shared_size - size,
                          size - 1};
    return place(m, at, mask, size, &p, &w->v[i->base], &w->v[i->ubase], out);
}

bool bw_shared_from_generic(bw_machine *m, uint32_t at, uint32_t mask, uint32_t size,
                            bw_addresses *where)
{
    const bw_placing p = {1, 0, m->shared_base, m->shared_size - size, size - 1};
    static const bw_vec zero;
    bw_vec low;
    for (int l = 0; l < BW_LANES; l++)
        low.v[l] = (uint32_t)where->a[l];
    return place(m, at, mask, size, &p, &low, &zero, where);
}

/* Lanes that mean another block's shared memory: there is no rule for what they cost, and what they
 * find is not known. Returns the others. */
uint32_t bw_shared_near(bw_machine *m, bw_warp *w, uint32_t at, uint32_t mask, bw_addresses *where)
{
    uint32_t far = where->far & mask;
    if (!far)
        return mask;
    const bw_ins *i = &m->code.ins[at];
    m->block_counts[at].unpriced++;
    bw_fold_matters(m, where->taint);
    bw_unknown_results(w, i, far, bw_origin_made(m, BW_MACHINE_FROM_BLOCK, at));
    bw_fold_results(w, i, far, 0);
    if (i->x != BW_X_LDS && i->x != BW_X_LDSM && i->x != BW_X_LD) /* others do so with this one's */
        bw_shared_unknown(m, bw_origin_made(m, BW_MACHINE_FROM_BLOCK, at));
    for (uint32_t left = far; left; left &= left - 1)
        where->s.v[__builtin_ctz(left)] = 0;
    return mask & ~far;
}

/* ---- the other side of asynchronous copies ---- */

/* The global side's address: see bw_decode_ldgsts. */
static uint64_t copy_source(const bw_warp *w, const bw_ins *i, unsigned l, bool *unknown)
{
    uint64_t a = w->v[i->s[2]].v[l] | (uint64_t)w->v[i->s[2] + 1].v[l] << 32;
    a += w->v[i->s[0]].v[l];
    uint32_t open = bw_unknown_bits(w, i->s[0], (int)l) | bw_unknown_bits(w, i->s[1], (int)l);
    if (i->base64) {
        a += (uint64_t)w->v[i->s[0] + 1].v[l] << 32;
        open |= bw_unknown_bits(w, i->s[0] + 1u, (int)l);
    }
    a += w->v[i->s[1]].v[l];
    if (i->ubase64) {
        a += (uint64_t)w->v[i->s[1] + 1].v[l] << 32;
        open |= bw_unknown_bits(w, i->s[1] + 1u, (int)l);
    }
    *unknown = open != 0;
    return a;
}

/* Whether it is known if the lane reads; if not it writes zeroes. */
static bool copy_reads(const bw_warp *w, const bw_ins *i, unsigned l, bool *zero)
{
    *zero = false;
    if (!i->in_count)
        return true;
    *zero = !((w->p[i->in[0]] ^ (i->in_inv[0] ? BW_ALL : 0)) >> l & 1);
    return !(w->pu[i->in[0]] >> l & 1);
}

/* ---- requests ---- */

static bool give(bw_machine *m, uint32_t at, uint32_t warp, const bw_request *request,
                 uint64_t copies)
{
    const bw_machine_launch *launch = m->launch;
    uint64_t row = m->block[1] + (uint64_t)launch->grid[1] * m->block[2];
    uint64_t block = m->block[0] + (uint64_t)launch->grid[0] * row;
    if (launch->sink(launch->context, at, warp, block, request, copies))
        return true;
    m->stopped = true;
    m->result->status = BW_MACHINE_STOPPED;
    return false;
}

bool bw_request_pass(bw_machine *m, size_t k, uint64_t copies)
{
    bw_stored_request *s = &m->stored[k];
    if (s->sources)
        s->request.sources = &m->stored_sources[s->sources - 1];
    return give(m, s->ins, s->warp, &s->request, copies);
}

static void keep(bw_machine *m, uint32_t at, uint32_t warp, const bw_request *request)
{
    size_t sources = 0;
    if (bw_op_get(request->op)->copies && request->sources) {
        BW_GROW(m->stored_sources, m->sources_count, m->sources_capacity);
        m->stored_sources[m->sources_count++] = *request->sources;
        sources = m->sources_count;
    }
    BW_GROW(m->stored, m->stored_count, m->stored_capacity);
    m->stored[m->stored_count++] = (bw_stored_request){at, warp, *request, sources};
}

static bool emit(bw_machine *m, uint32_t at, uint32_t warp, const bw_request *request)
{
    if (!m->launch->sink)
        return true;
    if (!m->fold || m->folded_out)
        return give(m, at, warp, request, m->copies);
    keep(m, at, warp, request);
    if (m->stored_count < MOST_STORED)
        return true;
    bw_fold_matters(m, BW_TAINT_BLOCK);
    m->folded_out = true;
    for (size_t k = 0; k < m->stored_count; k++)
        if (!bw_request_pass(m, k, 1))
            return false;
    m->stored_count = m->sources_count = 0;
    return true;
}

/* Where a copy's lanes read. False where some lane's place is not known. */
static bool find_sources(bw_machine *m, const bw_warp *w, uint32_t at, uint32_t mask,
                         bw_sources *sources)
{
    const bw_ins *i = &m->code.ins[at];
    *sources = (bw_sources){.placed = true};
    for (uint32_t left = mask; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);
        bool unknown, zero;
        sources->addr[l] = copy_source(w, i, l, &unknown);
        if (!copy_reads(w, i, l, &zero) || (unknown && !zero))
            return false;
        sources->bytes[l] = zero ? 0 : i->size;
        sources->placed &= zero || bw_machine_pointer_index(sources->addr[l]) < 0;
    }
    uint8_t taint = w->taint[i->s[0]].bits | w->taint[i->s[1]].bits;
    bw_fold_matters(m, taint); /* another place has other banks */
    return true;
}

bool bw_request_make(bw_machine *m, bw_warp *w, uint32_t at, uint32_t mask,
                     const bw_addresses *where)
{
    const bw_ins *i = &m->code.ins[at];
    bw_machine_counts *counts = &m->block_counts[at];
    if (where->taint)
        bw_fold_matters(m, where->taint);
    if (where->unknown & mask) {
        counts->unknown++;
        bw_need_add(m, BW_MACHINE_NEED_ADDRESS, at, where->origin);
        return true;
    }
    if (m->exploring)
        return true;
    if (i->op == BW_OP_COUNT) {
        counts->unpriced++;
        return true;
    }
    bw_request request;
    bw_sources sources;
    request.op = (bw_op)i->op;
    request.active = mask;
    request.sources = NULL;
    memcpy(request.addr, where->s.v, sizeof request.addr);
    if (i->x == BW_X_STS || i->x == BW_X_ST)
        request.registers = i->s[0] != m->code.zero; /* RZ is none */
    bool through_l1 = i->x == BW_X_LDGSTS && bw_op_get(request.op)->kind == BW_KIND_ASYNC;
    if (through_l1 && find_sources(m, w, at, mask, &sources)) {
        bw_copy_touch(m->copies_seen, &request, &sources);
        request.sources = &sources;
    }
    counts->requests++;
    m->block_requests++;
    return emit(m, at, w->index, &request);
}

/* ---- values ---- */

void bw_shared_unknown(bw_machine *m, uint32_t origin)
{
    memset(m->shared_unknown, 255, m->shared_size);
    for (uint32_t k = 0; k <= m->shared_size / 4; k++)
        m->shared_origin[k] = origin;
}

void bw_exec_load_result(bw_warp *w, const bw_ins *i, unsigned lane, const uint8_t *bytes,
                         const uint8_t *unknown)
{
    uint32_t bit = 1u << lane;
    for (unsigned k = 0; k < i->width; k++) {
        uint32_t v = 0, u = 0;
        unsigned n = i->size < 4 ? i->size : 4;
        memcpy(&v, bytes + 4 * k, n);
        memcpy(&u, unknown + 4 * k, n);
        v &= ~u;
        if (i->sign_bits) {
            unsigned up = 32u - i->sign_bits;
            v = (uint32_t)((int32_t)(v << up) >> up);
            u = (uint32_t)((int32_t)(u << up) >> up);
        }
        uint32_t slot = i->d + k;
        w->v[slot].v[lane] = v & ~u;
        if (u) {
            w->u[slot].v[lane] = u;
            w->partly[slot] |= bit;
            w->fully[slot] = u == UINT32_MAX ? w->fully[slot] | bit : w->fully[slot] & ~bit;
        } else {
            bw_known(w, slot, bit);
        }
    }
}

void bw_store_value(const bw_warp *w, const bw_ins *i, unsigned source, unsigned lane,
                    uint8_t *bytes, uint8_t *unknown)
{
    for (unsigned k = 0; k < (i->size + 3u) / 4; k++) {
        uint32_t slot = i->s[source] + k, v = w->v[slot].v[lane] ^ i->xor_mask[source];
        uint32_t u = bw_unknown_bits(w, slot, (int)lane);
        v &= ~u;
        unsigned n = i->size < 4 ? i->size : 4;
        memcpy(bytes + 4 * k, &v, n);
        memcpy(unknown + 4 * k, &u, n);
    }
}

static uint8_t source_taint(const bw_warp *w, const bw_ins *i)
{
    uint8_t bits = 0;
    for (unsigned k = 0; k < i->source_width[0]; k++)
        bits |= w->taint[i->s[0] + k].bits;
    return bits;
}

/* The origin of an unknown word of shared memory. */
static uint32_t word_origin(bw_machine *m, uint32_t at, uint64_t a)
{
    uint32_t origin = m->shared_origin[a / 4];
    return origin ? origin : bw_origin_made(m, BW_MACHINE_FROM_SHARED, at);
}

/* One word of each lane. (Inactive lanes read at 0.) */
static void load_words(bw_machine *m, bw_warp *w, uint32_t at, uint32_t mask,
                       const bw_addresses *where, unsigned k)
{
    uint32_t slot = m->code.ins[at].d + k, some = 0;
    bw_vec values, unknown;
    if (m->tools->gather(m->shared_unknown, &where->s, 4 * k, &unknown) != 0)
        some = mask & ~m->tools->equal(&unknown, 0);
    if (some) {
        unsigned first = (unsigned)__builtin_ctz(some);
        w->origin[slot] = word_origin(m, at, where->s.v[first] + 4 * k);
        if ((mask & ~m->tools->equal(&unknown, UINT32_MAX)) == 0) {
            bw_poison(w, slot, mask, w->origin[slot]);
            return;
        }
    }
    m->tools->gather(m->shared, &where->s, 4 * k, &values);
    if (mask == BW_ALL)
        w->v[slot] = values;
    else
        m->tools->blend(&w->v[slot], &values, mask);
    bw_known(w, slot, mask);
    for (uint32_t left = some; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);
        w->v[slot].v[l] &= ~unknown.v[l];
        w->u[slot].v[l] = unknown.v[l];
        w->fully[slot] |= unknown.v[l] == UINT32_MAX ? 1u << l : 0;
    }
    w->partly[slot] |= some;
}

/* All words of all lanes, where every bit of them is known, or none; false where it is mixed. */
static bool load_alike(bw_machine *m, bw_warp *w, uint32_t at, uint32_t mask,
                       const bw_addresses *where)
{
    const bw_ins *i = &m->code.ins[at];
    bw_vec values[4];
    uint32_t first;
    memcpy(&first, m->shared_unknown + where->s.v[__builtin_ctz(mask)], sizeof first);
    if (first == 0) {
        if (!m->tools->fetch(m->shared, m->shared_unknown, &where->s, i->width, values))
            return false;
    } else {
        m->tools->fetch(m->shared_unknown, m->shared_unknown, &where->s, i->width, values);
        if (mask != BW_ALL || !m->tools->ones(values, i->width))
            return false;
    }
    for (unsigned k = 0; k < i->width; k++) {
        uint32_t slot = i->d + k;
        if (first) {
            bw_poison(w, slot, mask, word_origin(m, at, where->s.v[0] + 4 * k));
            continue;
        }
        if (mask == BW_ALL)
            w->v[slot] = values[k];
        else
            m->tools->blend(&w->v[slot], &values[k], mask);
        bw_known(w, slot, mask);
    }
    return true;
}

static void load(bw_machine *m, bw_warp *w, uint32_t at, uint32_t mask, const bw_addresses *where)
{
    const bw_ins *i = &m->code.ins[at];
    uint32_t known = mask & ~where->unknown;
    if (where->unknown & mask)
        bw_unknown_results(w, i, where->unknown & mask, where->origin);
    if (i->size >= 4 && i->width <= 4 && known && load_alike(m, w, at, known, where)) {
        bw_fold_results(w, i, mask, where->taint | m->shared_taint);
        return;
    }
    if (i->size >= 4) {
        for (unsigned k = 0; known && k < i->width; k++)
            load_words(m, w, at, known, where, k);
    } else {
        for (uint32_t left = known; left; left &= left - 1) {
            unsigned l = (unsigned)__builtin_ctz(left);
            bw_exec_load_result(w, i, l, m->shared + where->s.v[l],
                                m->shared_unknown + where->s.v[l]);
            if (m->shared_unknown[where->s.v[l]])
                w->origin[i->d] = word_origin(m, at, where->s.v[l]);
        }
    }
    bw_fold_results(w, i, mask, where->taint | m->shared_taint);
}

/* One word of each lane; the highest lane first, so that the lowest one's stays. */
static void store_words(bw_machine *m, bw_warp *w, uint32_t slot, uint32_t mask,
                        const bw_addresses *where, uint32_t offset, uint32_t origin)
{
    uint32_t open = w->partly[slot];
    for (int l = BW_LANES - 1; l >= 0; l--) {
        if (!(mask >> l & 1))
            continue;
        uint32_t a = where->s.v[l] + offset, u = open >> l & 1 ? w->u[slot].v[l] : 0;
        memcpy(m->shared + a, &w->v[slot].v[l], 4);
        memcpy(m->shared_unknown + a, &u, 4);
        if (u)
            m->shared_origin[a / 4] = origin;
    }
}

static void store_small(bw_machine *m, bw_warp *w, const bw_ins *i, uint32_t mask,
                        const bw_addresses *where, uint32_t origin)
{
    for (int l = BW_LANES - 1; l >= 0; l--) {
        if (!(mask >> l & 1))
            continue;
        uint32_t a = where->s.v[l];
        bw_store_value(w, i, 0, (unsigned)l, m->shared + a, m->shared_unknown + a);
        m->shared_origin[a / 4] = origin;
    }
}

/* The lowest lane's store stays where several go to one place (gpu-winner.csv). */
static void store(bw_machine *m, bw_warp *w, uint32_t at, uint32_t mask, const bw_addresses *where)
{
    const bw_ins *i = &m->code.ins[at];
    if (where->unknown & mask) {
        bw_shared_unknown(m, where->origin);
        return;
    }
    m->shared_taint |= source_taint(w, i);
    uint32_t partly = 0;
    for (unsigned k = 0; k < i->source_width[0]; k++)
        partly |= w->partly[i->s[0] + k];
    uint32_t origin = partly & mask ? bw_source_origin(w, i, mask) : 0;
    if (i->size < 4) {
        store_small(m, w, i, mask, where, origin);
        return;
    }
    for (unsigned k = 0; k < i->size / 4u; k++)
        store_words(m, w, i->s[0] + k, mask, where, 4 * k, origin);
}

/* ---- matrices ---- */

/* Where the two halves of a lane's word of matrix k lie: rows are given by lanes 8k ... 8k + 7. */
static uint64_t half_place(const bw_addresses *where, unsigned k, unsigned lane, unsigned half,
                           bool turned)
{
    if (turned)
        return where->s.v[8 * k + 2 * (lane & 3) + half] + 2 * (lane >> 2);
    return where->s.v[8 * k + (lane >> 2)] + 4 * (lane & 3) + 2 * half;
}

static bool is_turned(unsigned op)
{
    return (op >= BW_OP_LDMATRIX_X1_TRANS && op <= BW_OP_LDMATRIX_X4_TRANS) ||
           (op >= BW_OP_STMATRIX_X1_TRANS && op <= BW_OP_STMATRIX_X4_TRANS);
}

static void load_matrices(bw_machine *m, bw_warp *w, uint32_t at, uint32_t mask,
                          const bw_addresses *where)
{
    const bw_ins *i = &m->code.ins[at];
    bool turned = is_turned(i->op);
    for (uint32_t left = mask; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);
        for (unsigned k = 0; k < i->width; k++) {
            uint32_t v = 0, u = 0, slot = i->d + k, bit = 1u << l;
            for (unsigned h = 0; h < 2; h++) {
                uint64_t a = half_place(where, k, l, h, turned);
                uint16_t hv, hu;
                memcpy(&hv, m->shared + a, 2);
                memcpy(&hu, m->shared_unknown + a, 2);
                v |= (uint32_t)hv << (16 * h);
                u |= (uint32_t)hu << (16 * h);
                if (hu)
                    w->origin[slot] = word_origin(m, at, a);
            }
            w->v[slot].v[l] = v & ~u;
            w->u[slot].v[l] = u;
            w->partly[slot] = u ? w->partly[slot] | bit : w->partly[slot] & ~bit;
            w->fully[slot] = u == UINT32_MAX ? w->fully[slot] | bit : w->fully[slot] & ~bit;
        }
    }
    bw_fold_results(w, i, mask, where->taint | m->shared_taint);
}

static void store_matrices(bw_machine *m, bw_warp *w, uint32_t at, const bw_addresses *where)
{
    const bw_ins *i = &m->code.ins[at];
    bool turned = is_turned(i->op);
    m->shared_taint |= source_taint(w, i);
    uint32_t origin = bw_source_origin(w, i, BW_ALL);
    for (unsigned l = 0; l < BW_LANES; l++)
        for (unsigned k = 0; k < i->source_width[0]; k++)
            for (unsigned h = 0; h < 2; h++) {
                uint64_t a = half_place(where, k, l, h, turned);
                uint32_t slot = i->s[0] + k;
                uint16_t v = (uint16_t)(w->v[slot].v[l] >> (16 * h)),
                         u = (uint16_t)(bw_unknown_bits(w, slot, (int)l) >> (16 * h));
                memcpy(m->shared + a, &v, 2);
                memcpy(m->shared_unknown + a, &u, 2);
                m->shared_origin[a / 4] = origin;
            }
}

static bool exec_matrices(bw_machine *m, bw_warp *w, uint32_t at, uint32_t mask,
                          bw_addresses *where)
{
    const bw_ins *i = &m->code.ins[at];
    unsigned matrices = bw_op_get((bw_op)i->op)->matrices;
    uint32_t rows = matrices == 4 ? BW_ALL : (1u << (8 * matrices)) - 1;
    if (!bw_shared_address(m, w, at, mask & rows, 16, where))
        return false;
    if (where->far) { /* rows go to all lanes */
        where->far = mask;
        bw_shared_near(m, w, at, mask, where);
        return true;
    }
    if (!bw_request_make(m, w, at, mask, where))
        return false;
    if (where->unknown || (rows & ~mask)) {
        if (i->x == BW_X_STSM)
            bw_shared_unknown(m, where->origin);
        bw_unknown_results(w, i, mask, where->origin);
    } else if (i->x == BW_X_LDSM) {
        load_matrices(m, w, at, mask, where);
    } else if (mask == BW_ALL) {
        store_matrices(m, w, at, where);
    } else {
        bw_shared_unknown(m, 0);
    }
    return true;
}

/* ---- asynchronous copies ---- */

static void copy_lane(bw_machine *m, bw_warp *w, uint32_t at, unsigned l, uint64_t to)
{
    const bw_ins *i = &m->code.ins[at];
    uint8_t bytes[16] = {0}, unknown[16] = {0};
    bool open, found = false, zero;
    uint64_t from = copy_source(w, i, l, &open);
    if (!copy_reads(w, i, l, &zero) || (!zero && open))
        memset(unknown, 255, sizeof unknown);
    else if (!zero)
        bw_global_read(m, from, i->size, bytes, unknown, &found);
    memcpy(m->shared + to, bytes, i->size);
    memcpy(m->shared_unknown + to, unknown, i->size);
    if (unknown[0])
        for (unsigned k = 0; k < i->size; k += 4)
            m->shared_origin[(to + k) / 4] = bw_origin_load(m, at, !open, from);
}

static void copy(bw_machine *m, bw_warp *w, uint32_t at, uint32_t mask, const bw_addresses *where)
{
    const bw_ins *i = &m->code.ins[at];
    if (where->unknown & mask) {
        bw_shared_unknown(m, where->origin);
        return;
    }
    if (m->launch->buffer_count)
        m->shared_taint |= w->taint[i->s[0]].bits | w->taint[i->s[1]].bits;
    if (i->in_count)
        m->shared_taint |= w->ptaint[i->in[0]];
    for (uint32_t left = mask; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);
        copy_lane(m, w, at, l, where->s.v[l]);
    }
}

bool bw_exec_shared(bw_machine *m, bw_warp *w, uint32_t at, uint32_t mask)
{
    const bw_ins *i = &m->code.ins[at];
    bw_addresses where;
    if (i->x == BW_X_LDSM || i->x == BW_X_STSM)
        return exec_matrices(m, w, at, mask, &where);
    if (!bw_shared_address(m, w, at, mask, i->size, &where))
        return false;
    mask = bw_shared_near(m, w, at, mask, &where);
    if (!mask)
        return true;
    if (!bw_request_make(m, w, at, mask, &where))
        return false;
    if (i->x == BW_X_LDS)
        load(m, w, at, mask, &where);
    else if (i->x == BW_X_STS)
        store(m, w, at, mask, &where);
    else
        copy(m, w, at, mask, &where);
    return true;
}

/* Loads and stores through generic addresses, of the lanes that mean shared memory. */
bool bw_exec_generic_shared(bw_machine *m, bw_warp *w, uint32_t at, uint32_t mask,
                            bw_addresses *where)
{
    const bw_ins *i = &m->code.ins[at];
    if (!bw_shared_from_generic(m, at, mask, i->size, where))
        return false;
    mask = bw_shared_near(m, w, at, mask, where);
    if (!mask)
        return true;
    if (!bw_request_make(m, w, at, mask, where))
        return false;
    if (i->x == BW_X_LD)
        load(m, w, at, mask, where);
    else if (i->x == BW_X_ST)
        store(m, w, at, mask, where);
    return true;
}
