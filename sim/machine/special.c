/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Special registers and constant banks.
 *
 * Where constant bank 0 holds what: block and grid dimensions at 0 (from sm_100 on at 0x360), the
 * stack pointer at 0x28 (0x37c), parameters at 0x160, 0x210 (sm_90) and 0x380 (sm_100 and later).
 * Seen in the machine code of kernels compiled for each; there is no document.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "special.h"

#include <stdlib.h>
#include <string.h>

#include "state.h"

static const struct {
    const char *name;
    bw_special special;
} specials[] = {
    {"SRZ", BW_SR_ZERO},
    {"SR_TID.X", BW_SR_TID_X},
    {"SR_TID.Y", BW_SR_TID_Y},
    {"SR_TID.Z", BW_SR_TID_Z},
    {"SR_CTAID.X", BW_SR_CTAID_X},
    {"SR_CTAID.Y", BW_SR_CTAID_Y},
    {"SR_CTAID.Z", BW_SR_CTAID_Z},
    {"SR_LANEID", BW_SR_LANEID},
    {"SR_EQMASK", BW_SR_EQMASK},
    {"SR_LTMASK", BW_SR_LTMASK},
    {"SR_LEMASK", BW_SR_LEMASK},
    {"SR_GTMASK", BW_SR_GTMASK},
    {"SR_GEMASK", BW_SR_GEMASK},
    {"SR_NTID", BW_SR_NTID},
    {"SR_SWINHI", BW_SR_SWINHI},
    {"SR_LWINHI", BW_SR_LWINHI},
    {"SR_SWINLO", BW_SR_ZERO},
    {"SR_CgaCtaId", BW_SR_ZERO}, /* clusters of one block */
    {"SR_CLUSTER_CTARANK", BW_SR_ZERO},
};

bw_special bw_special_find(const char *name, size_t len)
{
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
        if (strlen(specials[i].name) == len && memcmp(specials[i].name, name, len) == 0)
            return specials[i].special;
    return BW_SR_UNKNOWN;
}

static uint32_t lane_value(const bw_machine *m, const bw_warp *w, bw_special special, uint32_t l)
{
    uint32_t bit = 1u << l, below = bit - 1;
    switch (special) {
    case BW_SR_TID_X: return w->tid[0].v[l];
    case BW_SR_TID_Y: return w->tid[1].v[l];
    case BW_SR_TID_Z: return w->tid[2].v[l];
    case BW_SR_CTAID_X: return m->block[0];
    case BW_SR_CTAID_Y: return m->block[1];
    case BW_SR_CTAID_Z: return m->block[2];
    case BW_SR_LANEID: return l;
    case BW_SR_EQMASK: return bit;
    case BW_SR_LTMASK: return below;
    case BW_SR_LEMASK: return below | bit;
    case BW_SR_GTMASK: return ~(below | bit);
    case BW_SR_GEMASK: return ~below;
    case BW_SR_NTID: return m->threads;
    case BW_SR_SWINHI: return BW_SHARED_WINDOW;
    case BW_SR_LWINHI: return BW_LOCAL_WINDOW;
    default: return 0;
    }
}

void bw_exec_special(bw_machine *m, bw_warp *w, uint32_t at, uint32_t mask)
{
    const bw_ins *i = &m->code.ins[at];
    bw_special special = (bw_special)i->mode;
    bw_fold_results(w, i, mask, 0);
    if (special == BW_SR_UNKNOWN) {
        bw_unknown_results(w, i, mask, bw_origin_made(m, BW_MACHINE_FROM_SPECIAL, at));
        return;
    }
    /* S2UR takes the first lane's value. */
    uint32_t first = i->uniform ? (uint32_t)__builtin_ctz(w->live ? w->live : 1) : 0;
    for (uint32_t left = mask; left; left &= left - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(left);
        w->v[i->d].v[l] = lane_value(m, w, special, i->uniform ? first : l);
        if (i->width == 2)
            w->v[i->d + 1].v[l] = 0;
    }
    for (unsigned k = 0; k < i->width; k++)
        bw_known(w, i->d + k, mask);
    int dim = (int)special - BW_SR_CTAID_X;
    if (m->fold && dim >= 0 && dim < 3) {
        bool all = (w->live & ~mask) == 0;
        bw_taint t = {.bits = (uint8_t)(BW_TAINT_X << dim), .affine = all};
        t.k[dim] = 1;
        w->taint[i->d] = t;
    }
}

/* ---- constant banks ---- */

static void put(bw_constants *bank, uint32_t offset, const void *bytes, uint32_t size)
{
    if (offset > bank->size || size > bank->size - offset)
        return;
    memcpy(bank->bytes + offset, bytes, size);
    memset(bank->known + offset, 255, size);
}

static void put_word(bw_constants *bank, uint32_t offset, uint32_t value)
{
    put(bank, offset, &value, sizeof value); /* little-endian, as the card is */
}

/* Where things lie in bank 0, by the least compute capability * 10. */
static const struct layout {
    unsigned cc;
    uint32_t block, grid, params, stack, local_window, shared_window, descriptor;
} layouts[] = {
    {100, 0x360, 0x370, 0x380, 0x37c, 0x2f8, 0, 0x358},
    {90, 0, 0xc, 0x210, 0x28, 0x20, 0, 0x208},
    {0, 0, 0xc, 0x160, 0x28, 0x20, 0x18, 0x118},
};

#define IS_CLUSTER 0x140u

static const struct layout *layout_of(unsigned cc)
{
    const struct layout *l = layouts;
    while (cc < l->cc)
        l++;
    return l;
}

static void put_launch(bw_machine *m)
{
    bw_constants *bank = &m->banks[0];
    const struct layout *l = layout_of(m->cc);
    for (uint32_t d = 0; d < 3; d++) {
        put_word(bank, l->block + 4 * d, m->launch->block[d]);
        put_word(bank, l->grid + 4 * d, m->launch->grid[d]);
    }
    put_word(bank, l->stack, BW_STACK_TOP);
    put_word(bank, l->local_window, 0);
    put_word(bank, l->local_window + 4, BW_LOCAL_WINDOW);
    if (l->shared_window) {
        put_word(bank, l->shared_window, 0);
        put_word(bank, l->shared_window + 4, BW_SHARED_WINDOW);
    }
    /* Code of sm_90 compares this word with 1 before it meets the blocks of a cluster (CUTLASS's
     * wgmma tutorial): %is_explicit_cluster. Blocks are run without one. */
    if (m->cc == 90)
        put_word(bank, IS_CLUSTER, 0);
    put_word(bank, l->descriptor, 0); /* of memory: names no place */
    put_word(bank, l->descriptor + 4, 0);
    for (size_t k = 0; k < m->launch->param_count; k++) {
        const bw_machine_param *p = &m->launch->params[k];
        if (p->offset < BW_BANK_BYTES && p->size < BW_BANK_BYTES)
            put(bank, layout_of(m->cc)->params + p->offset, p->bytes, p->size);
    }
}

bool bw_constants_init(bw_machine *m)
{
    for (unsigned b = 0; b < 8; b++) {
        m->banks[b].size = BW_BANK_BYTES;
        m->banks[b].bytes = bw_calloc(BW_BANK_BYTES, 1);
        m->banks[b].known = bw_calloc(BW_BANK_BYTES, 1);
    }
    put_launch(m);
    for (size_t k = 0; k < m->sass->bank_count; k++) {
        const bw_bank_text *t = &m->sass->banks[k];
        bool ours = !*t->kernel || strcmp(t->kernel, m->function->shown.name) == 0;
        if (ours && t->bank < 8 && t->bank > 0 && t->size <= BW_BANK_BYTES)
            put(&m->banks[t->bank], 0, t->bytes, (uint32_t)t->size);
    }
    for (size_t k = 0; k < m->launch->bank_count; k++) {
        const bw_machine_bank *b = &m->launch->banks[k];
        if (b->bank > 0 && b->bank < 8 && b->size <= BW_BANK_BYTES)
            put(&m->banks[b->bank], 0, b->bytes, b->size);
    }
    return true;
}

void bw_constants_finish(bw_machine *m)
{
    for (unsigned b = 0; b < 8; b++) {
        free(m->banks[b].bytes);
        free(m->banks[b].known);
    }
}

static uint32_t constant_origin(bw_machine *m, unsigned bank, uint32_t offset)
{
    uint32_t base = layout_of(m->cc)->params;
    bool param = bank == 0 && offset >= base;
    bw_machine_origin origin = {.kind = param ? BW_MACHINE_FROM_PARAM : BW_MACHINE_FROM_CONSTANT,
                                .ins = UINT32_MAX,
                                .bank = bank,
                                .offset = param ? offset - base : offset};
    for (uint32_t k = 1; k < m->origin_count; k++) {
        const bw_machine_origin *o = &m->origins[k];
        if (o->kind == origin.kind && o->bank == bank && o->offset == origin.offset)
            return k;
    }
    return bw_origin_add(m, origin);
}

/* Four bytes of a bank, and which bits of them are not known. */
static uint32_t read_word(const bw_machine *m, unsigned bank, uint32_t offset, uint32_t *unknown)
{
    uint32_t value = 0, known = 0;
    if (bank < 8 && offset + 4 <= m->banks[bank].size && offset + 4 > offset) {
        memcpy(&value, m->banks[bank].bytes + offset, 4);
        memcpy(&known, m->banks[bank].known + offset, 4);
    }
    *unknown = ~known;
    return value & known;
}

void bw_constants_fill(bw_machine *m, bw_warp *w)
{
    uint32_t first = m->code.regs + m->code.uregs;
    for (size_t k = 0; k < m->code.pool_count; k++) {
        const bw_pool_entry *e = &m->code.pool[k];
        uint32_t unknown = 0, slot = first + (uint32_t)k;
        uint32_t value = e->launch ? read_word(m, e->bank, e->value, &unknown) : e->value;
        for (int l = 0; l < BW_LANES; l++) {
            w->v[slot].v[l] = value;
            w->u[slot].v[l] = unknown;
        }
        if (unknown) {
            w->partly[slot] = BW_ALL;
            w->fully[slot] = unknown == UINT32_MAX ? BW_ALL : 0;
            w->origin[slot] = constant_origin(m, e->bank, e->value);
        }
    }
}

/* A constant at an address that registers tell. */
void bw_exec_ldc(bw_machine *m, bw_warp *w, uint32_t at, uint32_t mask)
{
    const bw_ins *i = &m->code.ins[at];
    bw_addresses where;
    bw_address(w, i, mask, false, &where);
    if (where.unknown)
        bw_unknown_results(w, i, where.unknown, where.origin);
    for (uint32_t left = mask & ~where.unknown; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);
        uint8_t bytes[32] = {0}, unknown[32];
        memset(unknown, 255, sizeof unknown);
        uint32_t offset = (uint32_t)where.a[l];
        if (i->bank < 8 && offset < BW_BANK_BYTES && offset + i->size <= BW_BANK_BYTES)
            for (unsigned k = 0; k < i->size; k++) {
                bytes[k] = m->banks[i->bank].bytes[offset + k];
                unknown[k] = (uint8_t)~m->banks[i->bank].known[offset + k];
            }
        bw_exec_load_result(w, i, l, bytes, unknown);
        if (unknown[0])
            for (unsigned k = 0; k < i->width; k++)
                w->origin[i->d + k] = constant_origin(m, i->bank, offset);
    }
    bw_fold_results(w, i, mask, where.taint);
}
