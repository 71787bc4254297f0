/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Unknown bits: how they go through instructions. Every rule is safe: a bit that is called known
 * has the same value whatever the unknown ones are.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <string.h>

#include "state.h"

void bw_poison(bw_warp *w, uint32_t slot, uint32_t mask, uint32_t origin)
{
    w->origin[slot] = origin;
    if ((w->fully[slot] & mask) == mask)
        return;
    w->fully[slot] |= mask;
    w->partly[slot] |= mask;
    if (mask == BW_ALL) {
        memset(&w->v[slot], 0, sizeof w->v[slot]);
        memset(&w->u[slot], 255, sizeof w->u[slot]);
        return;
    }
    for (uint32_t left = mask; left; left &= left - 1) {
        int l = __builtin_ctz(left);
        w->v[slot].v[l] = 0;
        w->u[slot].v[l] = UINT32_MAX;
    }
}

void bw_set_pred(bw_warp *w, unsigned slot, uint32_t mask, uint32_t bits, uint32_t unknown,
                 uint32_t origin)
{
    if ((slot & 7) == 7)
        return; /* PT, UPT */
    unknown &= mask;
    w->p[slot] = (w->p[slot] & ~mask) | (bits & mask & ~unknown);
    w->pu[slot] = (w->pu[slot] & ~mask) | unknown;
    if (unknown)
        w->porigin[slot] = origin;
}

void bw_poison_pred(bw_warp *w, unsigned slot, uint32_t mask, uint32_t origin)
{
    bw_set_pred(w, slot, mask, 0, mask, origin);
}

void bw_unknown_results(bw_warp *w, const bw_ins *i, uint32_t mask, uint32_t origin)
{
    for (unsigned k = 0; k < i->width; k++)
        bw_poison(w, i->d + k, mask, origin);
    for (unsigned k = 0; k < i->width2; k++)
        bw_poison(w, i->d2 + k, mask, origin);
    for (unsigned k = 0; k < i->out_count; k++)
        bw_poison_pred(w, i->out[k], mask, origin);
}

uint32_t bw_source_origin(const bw_warp *w, const bw_ins *i, uint32_t mask)
{
    for (unsigned n = 0; n < i->source_count; n++)
        for (unsigned k = 0; k < i->source_width[n]; k++)
            if (w->partly[i->s[n] + k] & mask)
                return w->origin[i->s[n] + k];
    for (unsigned n = 0; n < i->in_count; n++)
        if (w->pu[i->in[n]] & mask)
            return w->porigin[i->in[n]];
    return 0;
}

/* ---- one lane ---- */

/* A value of which the bits in `u` are unknown (and 0 in v). */
typedef struct partial {
    uint32_t v, u;
} partial;

static partial source(const bw_warp *w, const bw_ins *i, int n, int lane)
{
    uint32_t u = bw_unknown_bits(w, i->s[n], lane);
    return (partial){(w->v[i->s[n]].v[lane] ^ i->xor_mask[n]) & ~u, u};
}

/* All bits from the lowest on up to the highest in which least and most differ. */
static uint64_t between(unsigned lowest, uint64_t least, uint64_t most)
{
    uint64_t differ = least ^ most;
    if (differ == 0 || lowest > 63)
        return 0;
    unsigned highest = 63u - (unsigned)__builtin_clzll(differ);
    if (highest < lowest)
        return 0;
    uint64_t upto = highest == 63 ? UINT64_MAX : ((uint64_t)1 << (highest + 1)) - 1;
    return upto & ~(((uint64_t)1 << lowest) - 1);
}

static unsigned lowest_bit(uint32_t u)
{
    return u ? (unsigned)__builtin_ctz(u) : 64;
}

typedef struct sum {
    uint64_t least, most;
    unsigned lowest; /* unknown bit of any addend */
} sum;

static void add(sum *s, partial x)
{
    s->least += x.v;
    s->most += (uint64_t)x.v + x.u;
    unsigned low = lowest_bit(x.u);
    s->lowest = low < s->lowest ? low : s->lowest;
}

/* What one lane computes: a result of up to two words and two predicates. */
typedef struct outcome {
    uint32_t v[2], u[2];
    bool p[2], pu[2];
} outcome;

static void finish_sum(const sum *s, outcome *o)
{
    uint64_t unknown = between(s->lowest, s->least, s->most);
    o->u[0] = (uint32_t)unknown;
    o->v[0] = (uint32_t)s->least & ~o->u[0];
    for (unsigned k = 0; k < 2; k++) { /* carries out */
        o->p[k] = s->least >> 32 > k;
        o->pu[k] = o->p[k] != (s->most >> 32 > k);
    }
}

/* Carries that come in. */
static void add_carries(sum *s, const bw_ins *i, const bw_io *io, const uint32_t in_unknown[2],
                        int lane)
{
    for (unsigned k = 0; k < i->in_count && k < 2; k++) {
        if (in_unknown[k] >> lane & 1)
            add(s, (partial){0, 1});
        else
            add(s, (partial){io->in[k] >> lane & 1, 0});
    }
}

static partial product(partial a, partial b, bool minus)
{
    uint64_t least = (uint64_t)a.v * b.v, most = (uint64_t)(a.v | a.u) * (b.v | b.u);
    unsigned za = a.v ? (unsigned)__builtin_ctz(a.v) : 64,
             zb = b.v ? (unsigned)__builtin_ctz(b.v) : 64;
    unsigned la = lowest_bit(a.u), lb = lowest_bit(b.u);
    unsigned low = la + zb < lb + za ? la + zb : lb + za;
    low = la + lb < low ? la + lb : low;
    partial p = {0, 0};
    if (low < 32)
        p.u = most >> 32 ? ~((1u << low) - 1) : (uint32_t)between(low, least, most);
    p.v = (minus ? ~(uint32_t)least : (uint32_t)least) & ~p.u;
    return p;
}

static void lane_mad(const bw_warp *w, const bw_ins *i, int lane, const bw_io *io,
                     const uint32_t in_unknown[2], outcome *o)
{
    partial a = source(w, i, 0, lane), b = source(w, i, 1, lane);
    sum s = {.least = i->add, .most = i->add, .lowest = 64};
    add(&s, product(a, b, i->neg_product));
    add(&s, source(w, i, 2, lane));
    add_carries(&s, i, io, in_unknown, lane);
    finish_sum(&s, o);
}

/* The lower word as in mad; the upper one is known only where every source is. */
static void lane_wide(const bw_warp *w, const bw_ins *i, int lane, outcome *o)
{
    partial a = source(w, i, 0, lane), b = source(w, i, 1, lane), c = source(w, i, 2, lane);
    partial high = {w->v[i->s[2] + 1].v[lane], bw_unknown_bits(w, i->s[2] + 1u, lane)};
    bool negative = i->is_signed && ((a.v | a.u | b.v | b.u) >> 31);
    sum s = {.least = i->add, .most = i->add, .lowest = 64};
    add(&s, product(a, b, i->neg_product));
    add(&s, c);
    finish_sum(&s, o);
    uint64_t most = (uint64_t)(a.v | a.u) * (b.v | b.u);
    bool fits = !negative && !i->neg_product && !i->xor_mask[2] && most >> 32 == 0 && !o->pu[0] &&
                (a.u | b.u | c.u);
    if (fits) { /* the product has no upper word, and the carry is known */
        sum t = {.least = o->p[0], .most = o->p[0], .lowest = 64};
        outcome upper;
        add(&t, high);
        finish_sum(&t, &upper);
        o->v[1] = upper.v[0], o->u[1] = upper.u[0];
    } else {
        o->v[1] = 0, o->u[1] = UINT32_MAX;
    }
}

static void lane_add(const bw_warp *w, const bw_ins *i, int lane, const bw_io *io,
                     const uint32_t in_unknown[2], outcome *o)
{
    sum s = {.least = i->add, .most = i->add, .lowest = 64};
    for (int n = 0; n < i->source_count; n++)
        add(&s, source(w, i, n, lane));
    add_carries(&s, i, io, in_unknown, lane);
    finish_sum(&s, o);
}

static void lane_lea(const bw_warp *w, const bw_ins *i, int lane, const bw_io *io,
                     const uint32_t in_unknown[2], outcome *o)
{
    uint32_t u = bw_unknown_bits(w, i->s[0], lane) << i->shift;
    partial a = {((w->v[i->s[0]].v[lane] << i->shift) ^ i->xor_mask[0]) & ~u, u};
    sum s = {.least = i->add, .most = i->add, .lowest = 64};
    add(&s, a);
    add(&s, source(w, i, 1, lane));
    add_carries(&s, i, io, in_unknown, lane);
    finish_sum(&s, o);
}

static void combine(bw_combine how, bool v, bool u, bool in, bool in_u, bool *p, bool *pu)
{
    bool can[2] = {false, false};
    for (int x = 0; x < 2; x++)
        for (int y = 0; y < 2; y++)
            if ((u || x == (int)v) && (in_u || y == (int)in))
                can[how == BW_AND ? x & y : how == BW_OR ? x | y : x ^ y] = true;
    *p = can[1];
    *pu = can[0] && can[1];
}

static void lane_lop(const bw_warp *w, const bw_ins *i, int lane, const bw_io *io,
                     const uint32_t in_unknown[2], outcome *o)
{
    uint32_t can[2] = {0, 0}, yes[3], no[3];
    for (int n = 0; n < 3; n++) {
        partial x = source(w, i, n, lane);
        yes[n] = x.v | x.u;
        no[n] = ~x.v;
    }
    for (unsigned k = 0; k < 8; k++)
        can[i->lut >> k & 1] |=
            (k & 4 ? yes[0] : no[0]) & (k & 2 ? yes[1] : no[1]) & (k & 1 ? yes[2] : no[2]);
    o->u[0] = can[0] & can[1];
    o->v[0] = can[1] & ~can[0];
    bool any = o->v[0] != 0, open = !any && o->u[0] != 0;
    o->p[0] = any, o->pu[0] = open;
    if (i->in_count)
        combine(i->mode == 1 ? BW_AND : BW_OR, any, open, io->in[0] >> lane & 1,
                in_unknown[0] >> lane & 1, &o->p[0], &o->pu[0]);
}

static void lane_sel(const bw_warp *w, const bw_ins *i, int lane, const bw_io *io,
                     const uint32_t in_unknown[2], outcome *o)
{
    partial a = source(w, i, 0, lane), b = source(w, i, 1, lane);
    partial r = io->in[0] >> lane & 1 ? a : b;
    if (in_unknown[0] >> lane & 1)
        r.u = a.u | b.u | (a.v ^ b.v), r.v = a.v & ~r.u;
    o->v[0] = r.v, o->u[0] = r.u;
}

typedef struct range {
    int64_t least, most;
} range;

static range range_of(partial x, bool is_signed)
{
    if (!is_signed)
        return (range){x.v, (int64_t)(x.v | x.u)};
    uint32_t sign = x.u & 0x80000000;
    return (range){(int32_t)(x.v | sign), (int32_t)((x.v | x.u) & ~sign)};
}

/* Whether the comparison can come out true, and false. */
static void compare(bw_compare how, partial a, partial b, bool is_signed, bool can[2])
{
    range p = range_of(a, is_signed), q = range_of(b, is_signed);
    bool less = p.least<q.most, more = p.most> q.least;
    bool equal = p.least <= q.most && p.most >= q.least && ((a.v ^ b.v) & ~(a.u | b.u)) == 0;
    bool lt = how == BW_LT || how == BW_LE || how == BW_NE || how == BW_TRUE;
    bool eq = how == BW_EQ || how == BW_LE || how == BW_GE || how == BW_TRUE;
    bool gt = how == BW_GT || how == BW_GE || how == BW_NE || how == BW_TRUE;
    can[1] = (less && lt) || (equal && eq) || (more && gt);
    can[0] = (less && !lt) || (equal && !eq) || (more && !gt);
}

static void lane_compare(const bw_warp *w, const bw_ins *i, int lane, const bw_io *io,
                         const uint32_t in_unknown[2], outcome *o)
{
    partial x[2];
    bool can[2];
    for (int n = 0; n < 2; n++) {
        x[n] = source(w, i, n, lane);
        if (i->add >> n & 1) { /* a minus */
            sum s = {.least = 1, .most = 1, .lowest = 64};
            outcome minus;
            add(&s, x[n]);
            finish_sum(&s, &minus);
            x[n] = (partial){minus.v[0], minus.u[0]};
        }
    }
    compare(i->compare, x[0], x[1], i->is_signed, can);
    bool in = io->in[0] >> lane & 1, in_u = in_unknown[0] >> lane & 1, open = can[0] && can[1];
    combine(i->combine, can[1], open, in, in_u, &o->p[0], &o->pu[0]);
    combine(i->combine, can[0], open, in, in_u, &o->p[1], &o->pu[1]);
}

/* ---- 32 lanes ---- */

static uint32_t unknown_lanes(const bw_warp *w, const bw_ins *i, const uint32_t in_unknown[2])
{
    uint32_t all = 0;
    for (unsigned n = 0; n < i->source_count; n++)
        for (unsigned k = 0; k < i->source_width[n]; k++)
            all |= w->partly[i->s[n] + k];
    for (unsigned k = 0; k < i->in_count && k < 2; k++)
        all |= in_unknown[k];
    return all;
}

static void write_known(bw_warp *w, const bw_ins *i, uint32_t mask, const bw_vec *values,
                        const bw_io *io)
{
    for (unsigned k = 0; k < i->width; k++) {
        for (uint32_t left = mask; left; left &= left - 1) {
            int l = __builtin_ctz(left);
            w->v[i->d + k].v[l] = values[k].v[l];
        }
        bw_known(w, i->d + k, mask);
    }
    for (unsigned k = 0; k < i->out_count; k++)
        bw_set_pred(w, i->out[k], mask, io->out[k], 0, 0);
}

/* Any unknown bit makes a lane's results unknown. */
static void alu_all(bw_warp *w, const bw_ins *i, uint32_t mask, const bw_io *io,
                    const uint32_t in_unknown[2], uint32_t origin)
{
    uint32_t bad = unknown_lanes(w, i, in_unknown) & mask, good = mask & ~bad;
    if (good) {
        bw_vec values[2];
        bw_io out = *io;
        i->fn(i, &w->v[i->s[0]], &w->v[i->s[1]], &w->v[i->s[2]], values, &out);
        write_known(w, i, good, values, &out);
    }
    bw_unknown_results(w, i, bad, origin);
}

void bw_set_partial(bw_warp *w, uint32_t slot, int lane, uint32_t v, uint32_t u)
{
    uint32_t bit = 1u << lane;
    w->v[slot].v[lane] = v;
    w->u[slot].v[lane] = u;
    w->partly[slot] = u ? w->partly[slot] | bit : w->partly[slot] & ~bit;
    w->fully[slot] = u == UINT32_MAX ? w->fully[slot] | bit : w->fully[slot] & ~bit;
}

/* Shifts and permutations move unknown bits as they move the others. */
static void alu_moved(bw_warp *w, const bw_ins *i, uint32_t mask, const bw_io *io, uint32_t origin)
{
    static const bw_vec zero;
    bw_vec u[3] = {zero, zero, zero}, values[2], unknown[2];
    bw_io out = *io;
    bool steered = i->source_count > 1; /* source 1 says how: it must be known */
    for (int n = 0; n < 3; n += 2)
        for (int l = 0; l < BW_LANES; l++)
            u[n].v[l] = bw_unknown_bits(w, i->s[n], l);
    i->fn(i, &u[0], &w->v[i->s[1]], &u[2], unknown, &out);
    i->fn(i, &w->v[i->s[0]], &w->v[i->s[1]], &w->v[i->s[2]], values, &out);
    uint32_t open = steered ? w->partly[i->s[1]] : 0;
    for (uint32_t left = mask; left; left &= left - 1) {
        int l = __builtin_ctz(left);
        uint32_t bits = open >> l & 1 ? UINT32_MAX : unknown[0].v[l];
        bw_set_partial(w, i->d, l, values[0].v[l] & ~bits, bits);
    }
    w->origin[i->d] = origin;
}

static void lane_any(const bw_warp *w, const bw_ins *i, int lane, const bw_io *io,
                     const uint32_t in_unknown[2], outcome *o)
{
    switch (i->unknown) {
    case BW_U_ADD: lane_add(w, i, lane, io, in_unknown, o); break;
    case BW_U_MAD: lane_mad(w, i, lane, io, in_unknown, o); break;
    case BW_U_WIDE: lane_wide(w, i, lane, o); break;
    case BW_U_LEA: lane_lea(w, i, lane, io, in_unknown, o); break;
    case BW_U_LOP: lane_lop(w, i, lane, io, in_unknown, o); break;
    case BW_U_SEL: lane_sel(w, i, lane, io, in_unknown, o); break;
    default: lane_compare(w, i, lane, io, in_unknown, o); break;
    }
}

/* Lane by lane: first all sources, then the results, which may lie in the same slots. */
static void alu_lanes(bw_warp *w, const bw_ins *i, uint32_t mask, const bw_io *io,
                      const uint32_t in_unknown[2], uint32_t origin)
{
    uint32_t bad = unknown_lanes(w, i, in_unknown) & mask, good = mask & ~bad;
    outcome o[BW_LANES];
    bw_vec values[2];
    bw_io out = *io;
    for (uint32_t left = bad; left; left &= left - 1) {
        int l = __builtin_ctz(left);
        o[l] = (outcome){0};
        lane_any(w, i, l, io, in_unknown, &o[l]);
    }
    if (good)
        i->fn(i, &w->v[i->s[0]], &w->v[i->s[1]], &w->v[i->s[2]], values, &out);
    write_known(w, i, good, values, &out);
    uint32_t p[2] = {0, 0}, pu[2] = {0, 0};
    for (uint32_t left = bad; left; left &= left - 1) {
        int l = __builtin_ctz(left);
        for (unsigned k = 0; k < i->width; k++)
            bw_set_partial(w, i->d + k, l, o[l].v[k], o[l].u[k]);
        for (unsigned k = 0; k < 2; k++)
            p[k] |= (uint32_t)o[l].p[k] << l, pu[k] |= (uint32_t)o[l].pu[k] << l;
    }
    for (unsigned k = 0; k < i->width; k++)
        w->origin[i->d + k] = origin;
    for (unsigned k = 0; k < i->out_count && k < 2; k++)
        bw_set_pred(w, i->out[k], bad, p[k], pu[k], origin);
}

/* mov, and mov64, whose two words are moved one after the other. */
static void alu_mov(bw_warp *w, const bw_ins *i, uint32_t mask, uint32_t origin)
{
    partial words[2][BW_LANES];
    for (unsigned k = 0; k < i->width; k++)
        for (int l = 0; l < BW_LANES; l++) {
            uint32_t u = bw_unknown_bits(w, i->s[0] + k, l);
            words[k][l] = (partial){(w->v[i->s[0] + k].v[l] ^ i->xor_mask[0]) & ~u, u};
        }
    for (unsigned k = 0; k < i->width; k++) {
        for (uint32_t left = mask; left; left &= left - 1) {
            int l = __builtin_ctz(left);
            bw_set_partial(w, i->d + k, l, words[k][l].v, words[k][l].u);
        }
        w->origin[i->d + k] = origin;
    }
}

void bw_unknown_alu(bw_machine *m, bw_warp *w, const bw_ins *i, uint32_t mask, const bw_io *io,
                    const uint32_t in_unknown[2])
{
    (void)m;
    uint32_t origin = bw_source_origin(w, i, mask);
    switch (i->unknown) {
    case BW_U_ALL: alu_all(w, i, mask, io, in_unknown, origin); break;
    case BW_U_SHIFT:
    case BW_U_PRMT: alu_moved(w, i, mask, io, origin); break;
    case BW_U_MOV:
        if (i->add)
            alu_all(w, i, mask, io, in_unknown, origin);
        else
            alu_mov(w, i, mask, origin);
        break;
    default: alu_lanes(w, i, mask, io, in_unknown, origin); break;
    }
}
