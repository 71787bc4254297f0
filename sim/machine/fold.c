/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Blocks that differ only in what does not matter run once.
 *
 * A run of one block stands for a box of blocks, low <= index < high. At first the box is as large
 * as can be. Values carry what they depend on (bw_taint). Where one decides something - a
 * comparison whose result is a predicate, a shared-memory address, a guard, a branch - the box
 * shrinks to the blocks in which it comes out the same: by arithmetic where the value is affine in
 * the block's index, to this block's index alone otherwise. At the end all blocks of the box have
 * made the same requests.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <limits.h>

#include "state.h"

void bw_fold_matters(bw_machine *m, uint8_t bits)
{
    if (bits & BW_TAINT_APPROXIMATE)
        m->result->approximate_matters = true;
    if (bits & BW_TAINT_ORDER)
        m->result->order_matters = true;
    for (unsigned d = 0; d < 3; d++)
        if (bits >> d & 1) {
            m->low[d] = m->block[d];
            m->high[d] = m->block[d] + 1;
        }
}

void bw_fold_results(bw_warp *w, const bw_ins *i, uint32_t mask, uint8_t bits)
{
    bool all = (w->live & ~mask) == 0;
    for (unsigned k = 0; k < i->width; k++)
        bw_set_taint(w, i->d + k, mask, bits);
    for (unsigned k = 0; k < i->out_count; k++)
        if ((i->out[k] & 7) != 7)
            w->ptaint[i->out[k]] = (uint8_t)(bits | (all ? 0 : w->ptaint[i->out[k]]));
}

/* ---- affine values ---- */

/* The same known value in all lanes of the mask. */
static bool is_same(const bw_warp *w, uint32_t slot, uint32_t mask, uint32_t *value)
{
    if (w->partly[slot] & mask || w->taint[slot].bits)
        return false;
    *value = w->v[slot].v[__builtin_ctz(mask)];
    for (uint32_t left = mask; left; left &= left - 1)
        if (w->v[slot].v[__builtin_ctz(left)] != *value)
            return false;
    return true;
}

static bool usable(const bw_taint *t)
{
    return t->affine || !t->bits;
}

static void accumulate(bw_taint *sum, const bw_taint *t, uint32_t factor)
{
    for (unsigned d = 0; d < 3; d++)
        sum->k[d] = (int32_t)((uint32_t)sum->k[d] + (uint32_t)t->k[d] * factor);
}

/* Sum of sources first ... last, each with its sign. */
static bool affine_sum(const bw_warp *w, const bw_ins *i, unsigned first, unsigned last,
                       bw_taint *sum)
{
    for (unsigned n = first; n <= last && n < i->source_count; n++) {
        const bw_taint *t = &w->taint[i->s[n]];
        if (!usable(t))
            return false;
        accumulate(sum, t, i->xor_mask[n] ? UINT32_MAX : 1); /* ~x = -x - 1 */
    }
    return true;
}

static bool affine_product(const bw_warp *w, const bw_ins *i, uint32_t mask, bw_taint *sum)
{
    const bw_taint *a = &w->taint[i->s[0]], *b = &w->taint[i->s[1]];
    uint32_t factor = 0, sign = i->neg_product ? UINT32_MAX : 1;
    if (!a->bits && !b->bits)
        return true;
    if (a->affine && is_same(w, i->s[1], mask, &factor)) {
        accumulate(sum, a, factor * sign);
        return true;
    }
    if (b->affine && is_same(w, i->s[0], mask, &factor)) {
        accumulate(sum, b, factor * sign);
        return true;
    }
    return false;
}

static bool affine_result(const bw_warp *w, const bw_ins *i, uint32_t mask, bw_taint *sum)
{
    switch (i->affine) {
    case BW_A_MOV: return affine_sum(w, i, 0, 0, sum);
    case BW_A_ADD: return affine_sum(w, i, 0, 2, sum);
    case BW_A_MAD:
    case BW_A_WIDE: return affine_product(w, i, mask, sum) && affine_sum(w, i, 2, 2, sum);
    case BW_A_LEA: {
        const bw_taint *a = &w->taint[i->s[0]];
        if (!usable(a))
            return false;
        accumulate(sum, a, (i->xor_mask[0] ? UINT32_MAX : 1) * (1u << i->shift));
        return affine_sum(w, i, 1, 1, sum);
    }
    case BW_A_SHL: {
        const bw_taint *a = &w->taint[i->s[0]];
        if (!usable(a))
            return false;
        accumulate(sum, a, 1u << i->shift);
        return true;
    }
    default: return false;
    }
}

/* ---- comparisons ---- */

/* A comparison of p and q, of which p - q = d + k t in the block t steps away along a dimension. */
typedef struct line {
    int64_t d, k;
} line;

static int64_t floor_div(int64_t a, int64_t b)
{
    int64_t q = a / b;
    return q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
}

/* Steps t in [*from, *to] around 0 for which d + k t < 0 stays as it is at 0. */
static void keep_less(line x, int64_t *from, int64_t *to)
{
    bool less = x.d < 0;
    if (x.k == 0)
        return;
    /* less: k t <= -1 - d; not less: k t >= -d, that is -k t <= d */
    int64_t k = less ? x.k : -x.k, limit = less ? -1 - x.d : x.d;
    if (k > 0) {
        int64_t most = floor_div(limit, k);
        *to = most < *to ? most : *to;
    } else {
        int64_t least = -floor_div(limit, -k);
        *from = least > *from ? least : *from;
    }
}

/* Steps for which least <= value + k t <= most: no wrap. */
static void keep_range(int64_t value, int64_t k, int64_t least, int64_t most, int64_t *from,
                       int64_t *to)
{
    keep_less((line){value - most - 1, k}, from, to);
    keep_less((line){least - 1 - value, -k}, from, to);
}

/* Whether it depends on the sign of p - q, of p - q - 1 (which tells 0 from more), or both. */
static void keep_outcome(bw_compare how, line x, int64_t *from, int64_t *to)
{
    line next = {x.d - 1, x.k}; /* <= 0 */
    if (how == BW_LT || how == BW_GE || how == BW_EQ || how == BW_NE)
        keep_less(x, from, to);
    if (how == BW_LE || how == BW_GT || how == BW_EQ || how == BW_NE)
        keep_less(next, from, to);
}

typedef struct compared {
    const bw_vec *a, *b;
    uint32_t xa, xb;
    uint32_t aa, ab;
    bool is_signed;
    bw_compare how;
} compared;

static int64_t as_number(uint32_t v, bool is_signed)
{
    return is_signed ? (int64_t)(int32_t)v : (int64_t)v;
}

/* Shrinks dimension d of the box so that all lanes compare as they do here. Other dimensions on
 * which the sides depend have been cut to this block. */
static void shrink(bw_machine *m, const compared *c, uint32_t mask, unsigned d, int32_t ka,
                   int32_t kb)
{
    int64_t from = (int64_t)m->low[d] - m->block[d], to = (int64_t)m->high[d] - 1 - m->block[d];
    int64_t least = c->is_signed ? INT32_MIN : 0, most = c->is_signed ? INT32_MAX : UINT32_MAX;
    for (uint32_t left = mask; left; left &= left - 1) {
        int l = __builtin_ctz(left);
        int64_t p = as_number((c->a->v[l] ^ c->xa) + c->aa, c->is_signed);
        int64_t q = as_number((c->b->v[l] ^ c->xb) + c->ab, c->is_signed);
        keep_range(p, ka, least, most, &from, &to);
        keep_range(q, kb, least, most, &from, &to);
        keep_outcome(c->how, (line){p - q, (int64_t)ka - kb}, &from, &to);
    }
    m->low[d] = (uint32_t)((int64_t)m->block[d] + from);
    m->high[d] = (uint32_t)((int64_t)m->block[d] + to + 1);
}

/* A comparison of two affine values: the box shrinks, and the predicate depends on nothing. */
static bool settle_compare(bw_machine *m, const bw_warp *w, const bw_ins *i, uint32_t mask)
{
    const bw_taint *a = &w->taint[i->s[0]], *b = &w->taint[i->s[1]];
    if (!usable(a) || !usable(b) || (w->partly[i->s[0]] | w->partly[i->s[1]]) & mask)
        return false;
    compared c = {&w->v[i->s[0]], &w->v[i->s[1]],  i->xor_mask[0], i->xor_mask[1],
                  i->add & 1,     i->add >> 1 & 1, i->is_signed,   (bw_compare)i->compare};
    int32_t ka[3], kb[3];
    unsigned used = 0, last = 0;
    for (unsigned d = 0; d < 3; d++) {
        ka[d] = i->xor_mask[0] ? -a->k[d] : a->k[d];
        kb[d] = i->xor_mask[1] ? -b->k[d] : b->k[d];
        if ((ka[d] || kb[d]) && m->high[d] - m->low[d] > 1)
            used++, last = d;
    }
    if (!used || c.how > BW_GE)
        return true;
    /* Of several dimensions all but one are cut, the shortest first. */
    for (unsigned d = 0; d < 3; d++)
        if ((ka[d] || kb[d]) && m->high[d] - m->low[d] > m->high[last] - m->low[last])
            last = d;
    for (unsigned d = 0; d < 3; d++)
        if (d != last && (ka[d] || kb[d]))
            bw_fold_matters(m, (uint8_t)(BW_TAINT_X << d));
    shrink(m, &c, mask, last, ka[last], kb[last]);
    return true;
}

/* ---- */

/* Before instruction i is carried out: what its results depend on. */
void bw_fold_alu(bw_machine *m, bw_warp *w, const bw_ins *i, uint32_t mask, uint8_t bits)
{
    bool all = (w->live & ~mask) == 0;
    uint8_t block = bits & BW_TAINT_BLOCK;
    if (i->affine == BW_A_COMPARE) {
        if (block && settle_compare(m, w, i, mask)) {
            bits &= (uint8_t)~BW_TAINT_BLOCK;
            for (unsigned n = 0; n < i->in_count; n++)
                bits |= w->ptaint[i->in[n]];
        }
        bw_fold_results(w, i, mask, bits);
        return;
    }
    bw_taint sum = {.bits = bits};
    bool preds = false;
    for (unsigned n = 0; n < i->in_count; n++)
        preds |= w->ptaint[i->in[n]] != 0;
    sum.affine = block && !preds && affine_result(w, i, mask, &sum);
    if (sum.affine)
        sum.bits = (uint8_t)((bits & ~BW_TAINT_BLOCK) | (sum.k[0] ? 1 : 0) | (sum.k[1] ? 2 : 0) |
                             (sum.k[2] ? 4 : 0));
    const bw_taint old = w->taint[i->d];
    bw_fold_results(w, i, mask, bits);
    if (i->out_count && block) /* carries depend on the whole value */
        for (unsigned k = 0; k < i->out_count; k++)
            if ((i->out[k] & 7) != 7)
                w->ptaint[i->out[k]] |= bits;
    if (!sum.affine || !i->width)
        return;
    bool same = old.affine && old.k[0] == sum.k[0] && old.k[1] == sum.k[1] && old.k[2] == sum.k[2];
    if (all || same)
        w->taint[i->d] = sum;
}
