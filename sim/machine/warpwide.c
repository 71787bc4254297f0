/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Instructions that work on predicates or across the lanes of a warp.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "state.h"

static uint32_t pred_value(const bw_warp *w, const bw_ins *i, unsigned n)
{
    return w->p[i->in[n]] ^ (i->in_inv[n] ? BW_ALL : 0);
}

/* ---- predicates ---- */

/* The signs of a register's lanes. */
static uint32_t signs(const bw_warp *w, const bw_ins *i, unsigned n, uint32_t *open)
{
    uint32_t value = 0;
    *open = 0;
    for (int l = 0; l < BW_LANES; l++) {
        value |= ((w->v[i->s[n]].v[l] ^ i->xor_mask[n]) >> 31) << l;
        *open |= (bw_unknown_bits(w, i->s[n], l) >> 31) << l;
    }
    return value & ~*open;
}

/* One table on three predicates; unknown ones only matter where the table depends on them. */
static void plop3(const bw_warp *w, const bw_ins *i, uint8_t table, uint32_t *value,
                  uint32_t *unknown)
{
    uint32_t can[2] = {0, 0}, yes[3], no[3];
    for (unsigned n = 0; n < 3; n++) {
        uint32_t open = w->pu[i->in[n]], v = pred_value(w, i, n);
        if (i->mode >> n & 1)
            v = signs(w, i, n, &open);
        yes[n] = v | open;
        no[n] = ~v | open;
    }
    for (unsigned k = 0; k < 8; k++)
        can[table >> k & 1] |=
            (k & 4 ? yes[0] : no[0]) & (k & 2 ? yes[1] : no[1]) & (k & 1 ? yes[2] : no[2]);
    *value = can[1] & ~can[0];
    *unknown = can[1] & can[0];
}

static void set_pred_taint(bw_warp *w, unsigned slot, uint32_t mask, uint8_t bits)
{
    bool all = (w->live & ~mask) == 0;
    if ((slot & 7) != 7)
        w->ptaint[slot] = (uint8_t)(bits | (all ? 0 : w->ptaint[slot]));
}

static void exec_plop3(bw_warp *w, const bw_ins *i, uint32_t mask)
{
    uint32_t value[2], unknown[2], origin = bw_source_origin(w, i, mask);
    uint8_t bits = bw_fold_sources(w, i);
    plop3(w, i, i->lut, &value[0], &unknown[0]);
    plop3(w, i, i->lut2, &value[1], &unknown[1]);
    for (unsigned k = 0; k < 2; k++) {
        bw_set_pred(w, i->out[k], mask, value[k], unknown[k], origin);
        set_pred_taint(w, i->out[k], mask, bits);
    }
}

static void exec_p2r(bw_warp *w, const bw_ins *i, uint32_t mask)
{
    uint8_t bits = w->taint[i->s[0]].bits;
    unsigned first = i->uniform ? 8 : 0;
    uint32_t origin = 0, some = 0, own = (uint32_t)i->lut << i->shift;
    for (uint32_t left = mask; left; left &= left - 1) {
        int l = __builtin_ctz(left);
        uint32_t u = bw_unknown_bits(w, i->s[0], l) & ~own, v = w->v[i->s[0]].v[l] & ~own & ~u;
        origin = u ? w->origin[i->s[0]] : origin;
        for (unsigned k = 0; k < 7; k++) {
            if (!(i->lut >> k & 1))
                continue;
            uint32_t bit = 1u << (k + i->shift);
            if (w->pu[first + k] >> l & 1)
                u |= bit, origin = w->porigin[first + k];
            else if (w->p[first + k] >> l & 1)
                v |= bit;
        }
        w->v[i->d].v[l] = v;
        w->u[i->d].v[l] = u;
        some |= (uint32_t)(u != 0) << l;
    }
    for (unsigned k = 0; k < 7; k++)
        bits |= i->lut >> k & 1 ? w->ptaint[first + k] : 0;
    w->partly[i->d] = (w->partly[i->d] & ~mask) | some;
    w->fully[i->d] &= ~mask;
    if (some)
        w->origin[i->d] = origin;
    bw_set_taint(w, i->d, mask, bits);
}

static void exec_r2p(bw_warp *w, const bw_ins *i, uint32_t mask)
{
    unsigned first = i->uniform ? 8 : 0;
    for (unsigned k = 0; k < 7; k++) {
        if (!(i->lut >> k & 1))
            continue;
        uint32_t value = 0, unknown = 0;
        for (uint32_t left = mask; left; left &= left - 1) {
            int l = __builtin_ctz(left);
            value |= (w->v[i->s[0]].v[l] >> (k + i->shift) & 1) << l;
            unknown |= (bw_unknown_bits(w, i->s[0], l) >> (k + i->shift) & 1) << l;
        }
        bw_set_pred(w, first + k, mask, value, unknown, w->origin[i->s[0]]);
        set_pred_taint(w, first + k, mask, w->taint[i->s[0]].bits);
    }
}

/* ---- shuffles ---- */

/* The lane that lane l reads, and whether it is in range (PTX ISA, "shfl.sync"). */
static int shuffle_source(const bw_ins *i, uint32_t l, uint32_t b, uint32_t c, bool *in_range)
{
    uint32_t clamp = c & 31, segment = c >> 8 & 31, least = l & segment;
    int most = (int)(least | (clamp & ~segment)), j, by = (int)(b & 31), lane = (int)l;
    switch (i->mode) {
    case BW_SHFL_UP: /* the clamp is the lower end */
        j = lane - by;
        *in_range = j >= most;
        break;
    case BW_SHFL_DOWN:
        j = lane + by;
        *in_range = j <= most;
        break;
    case BW_SHFL_BFLY:
        j = lane ^ by;
        *in_range = j <= most;
        break;
    default:
        j = (int)(least | (b & 31 & ~segment));
        *in_range = j <= most;
        break;
    }
    return *in_range ? j & 31 : lane;
}

static void exec_shfl(bw_warp *w, const bw_ins *i, uint32_t mask, uint32_t origin_inactive)
{
    bw_vec values, unknown;
    uint32_t in = 0, lost = (w->partly[i->s[1]] | w->partly[i->s[2]]) & mask, some = 0, origin = 0;
    for (uint32_t left = mask; left; left &= left - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(left);
        bool in_range;
        int j = shuffle_source(i, l, w->v[i->s[1]].v[l], w->v[i->s[2]].v[l], &in_range);
        uint32_t u = bw_unknown_bits(w, i->s[0], j);
        if (u)
            origin = w->origin[i->s[0]];
        if (!(mask >> j & 1))
            u = UINT32_MAX, origin = origin_inactive; /* an inactive lane gives anything */
        if (lost >> l & 1)
            u = UINT32_MAX, origin = bw_source_origin(w, i, mask);
        values.v[l] = w->v[i->s[0]].v[j] & ~u;
        unknown.v[l] = u;
        some |= (uint32_t)(u != 0) << l;
        in |= (uint32_t)in_range << l;
    }
    for (uint32_t left = mask; left; left &= left - 1) {
        int l = __builtin_ctz(left);
        w->v[i->d].v[l] = values.v[l];
        w->u[i->d].v[l] = unknown.v[l];
    }
    w->partly[i->d] = (w->partly[i->d] & ~mask) | some;
    w->fully[i->d] &= ~mask;
    if (some)
        w->origin[i->d] = origin;
    if (i->out_count)
        bw_set_pred(w, i->out[0], mask, in, lost, bw_source_origin(w, i, mask));
}

/* ---- votes and the like ---- */

/* A result that all lanes get; in uniform registers, all lanes of the warp. */
static void give(bw_warp *w, const bw_ins *i, uint32_t mask, uint32_t value, bool uniform)
{
    uint32_t lanes = uniform ? BW_ALL : mask;
    for (uint32_t left = lanes; left; left &= left - 1)
        w->v[i->d].v[__builtin_ctz(left)] = value;
    bw_known(w, i->d, lanes);
}

static bool is_uniform(const bw_machine *m, const bw_ins *i)
{
    return i->d >= m->code.regs && i->d < m->code.zero;
}

static void poison_uniform(const bw_machine *m, bw_warp *w, const bw_ins *i, uint32_t mask,
                           uint32_t origin)
{
    bw_unknown_results(w, i, mask, origin);
    if (i->width && is_uniform(m, i))
        bw_poison(w, i->d, BW_ALL, origin);
    for (unsigned k = 0; k < i->out_count; k++)
        if (i->out[k] >= 8)
            bw_poison_pred(w, i->out[k], BW_ALL, origin);
}

static void exec_vote(bw_machine *m, bw_warp *w, const bw_ins *i, uint32_t mask)
{
    uint32_t value = pred_value(w, i, 0), open = w->pu[i->in[0]] & mask;
    uint32_t yes = value & mask & ~open, no = mask & ~value & ~open;
    if (open && i->width) {
        uint32_t origin = bw_source_origin(w, i, mask);
        bool uniform = is_uniform(m, i);
        bw_poison(w, i->d, uniform ? BW_ALL : mask, origin);
    } else if (i->width) {
        give(w, i, mask, yes, is_uniform(m, i));
    }
    bool any = yes != 0, all = no == 0, unknown;
    bool result = i->mode == 0 ? any : i->mode == 1 ? all : all || !any;
    if (i->mode == 0)
        unknown = open && !yes;
    else if (i->mode == 1)
        unknown = open && !no;
    else
        unknown = open && !(yes && no), result = result && !(yes && no);
    for (unsigned k = 0; k < i->out_count; k++) {
        uint32_t lanes = i->out[k] >= 8 ? BW_ALL : mask;
        bw_set_pred(w, i->out[k], lanes, result ? BW_ALL : 0, unknown ? BW_ALL : 0,
                    bw_source_origin(w, i, mask));
    }
}

static void exec_match(bw_warp *w, const bw_ins *i, uint32_t mask)
{
    uint32_t lost = w->partly[i->s[0]] | (i->source_width[0] == 2 ? w->partly[i->s[0] + 1] : 0);
    if (lost & mask) {
        bw_unknown_results(w, i, mask, bw_source_origin(w, i, mask));
        return;
    }
    bw_vec result;
    bool all_equal = true;
    for (uint32_t left = mask; left; left &= left - 1) {
        int l = __builtin_ctz(left);
        uint32_t same = 0;
        for (uint32_t other = mask; other; other &= other - 1) {
            int o = __builtin_ctz(other);
            bool equal = w->v[i->s[0]].v[l] == w->v[i->s[0]].v[o];
            if (i->source_width[0] == 2)
                equal = equal && w->v[i->s[0] + 1].v[l] == w->v[i->s[0] + 1].v[o];
            same |= (uint32_t)equal << o;
        }
        all_equal = all_equal && same == mask;
        result.v[l] = same;
    }
    for (uint32_t left = mask; left; left &= left - 1) {
        int l = __builtin_ctz(left);
        w->v[i->d].v[l] = i->mode == 1 ? (all_equal ? mask : 0) : result.v[l];
    }
    bw_known(w, i->d, mask);
    for (unsigned k = 0; k < i->out_count; k++)
        bw_set_pred(w, i->out[k], mask, all_equal ? BW_ALL : 0, 0, 0);
}

static uint32_t reduce(const bw_ins *i, uint32_t a, uint32_t b)
{
    switch (i->atom) {
    case BW_ATOM_ADD: return a + b;
    case BW_ATOM_AND: return a & b;
    case BW_ATOM_OR: return a | b;
    case BW_ATOM_XOR: return a ^ b;
    default: break;
    }
    bool less = i->is_signed ? (int32_t)a < (int32_t)b : a < b;
    return less == (i->atom == BW_ATOM_MIN) ? a : b;
}

static void exec_redux(bw_machine *m, bw_warp *w, const bw_ins *i, uint32_t mask)
{
    if (w->partly[i->s[0]] & mask) {
        poison_uniform(m, w, i, mask, bw_source_origin(w, i, mask));
        return;
    }
    uint32_t x = i->xor_mask[0], left = mask & (mask - 1);
    uint32_t result = w->v[i->s[0]].v[__builtin_ctz(mask)] ^ x;
    for (; left; left &= left - 1)
        result = reduce(i, result, w->v[i->s[0]].v[__builtin_ctz(left)] ^ x);
    give(w, i, mask, result, is_uniform(m, i));
}

/* The first lane's value. The predicate tells which lanes have another: it is false where all have
 * the same (thread counts of the recorded kernel `meetings`), and code that meets by masks takes
 * its way for several masks where it is true (`subsets` of sm_80). */
static void exec_r2ur(bw_warp *w, const bw_ins *i, uint32_t mask)
{
    int first = __builtin_ctz(mask);
    uint32_t slot = i->s[0], value = w->v[slot].v[first], u = bw_unknown_bits(w, slot, first),
             same = 0;
    uint32_t open = w->partly[slot] & mask, origin = w->origin[slot];
    for (uint32_t left = mask; left; left &= left - 1)
        same |= (uint32_t)(w->v[slot].v[__builtin_ctz(left)] == value) << __builtin_ctz(left);
    for (int l = 0; l < BW_LANES; l++) {
        w->v[i->d].v[l] = value;
        w->u[i->d].v[l] = u;
    }
    w->partly[i->d] = u ? BW_ALL : 0;
    w->fully[i->d] = 0;
    w->origin[i->d] = origin;
    for (unsigned k = 0; k < i->out_count; k++)
        bw_set_pred(w, i->out[k], mask, ~same, u ? mask : open, origin);
}

static void exec_elect(bw_warp *w, const bw_ins *i, uint32_t mask)
{
    uint32_t first = (uint32_t)__builtin_ctz(mask);
    if (i->width)
        give(w, i, mask, first, true);
    for (unsigned k = 0; k < i->out_count; k++)
        bw_set_pred(w, i->out[k], mask, 1u << first, 0, 0);
}

/* Lane 4r + c has the halves (r, 2c) and (r, 2c + 1) of a matrix, and gets (2c, r) and (2c + 1, r)
 * (PTX ISA, "movmatrix"). */
static void exec_movm(bw_machine *m, bw_warp *w, uint32_t at, uint32_t mask)
{
    const bw_ins *i = &m->code.ins[at];
    bw_vec values, unknown;
    if (mask != BW_ALL) {
        bw_unknown_results(w, i, mask, bw_origin_made(m, BW_MACHINE_FROM_OPCODE, at));
        return;
    }
    uint32_t some = 0, origin = w->origin[i->s[0]];
    for (unsigned l = 0; l < BW_LANES; l++) {
        uint32_t v = 0, u = 0;
        for (unsigned h = 0; h < 2; h++) {
            unsigned row = 2 * (l % 4) + h, column = l / 4, from = 4 * row + column / 2,
                     by = 16 * (column % 2);
            v |= (w->v[i->s[0]].v[from] >> by & 0xffff) << (16 * h);
            u |= (bw_unknown_bits(w, i->s[0], (int)from) >> by & 0xffff) << (16 * h);
        }
        values.v[l] = v & ~u;
        unknown.v[l] = u;
        some |= (uint32_t)(u != 0) << l;
    }
    w->v[i->d] = values;
    w->u[i->d] = unknown;
    w->partly[i->d] = some;
    w->fully[i->d] = 0;
    w->origin[i->d] = origin;
}

void bw_exec_warpwide(bw_machine *m, bw_warp *w, uint32_t at, uint32_t mask, uint32_t group_mask)
{
    const bw_ins *i = &m->code.ins[at];
    (void)group_mask;
    if (i->x == BW_X_PLOP3) {
        exec_plop3(w, i, mask);
        return;
    }
    if (i->x == BW_X_P2R) {
        exec_p2r(w, i, mask);
        return;
    }
    if (i->x == BW_X_R2P) {
        exec_r2p(w, i, mask);
        return;
    }
    uint8_t bits = bw_fold_sources(w, i);
    switch (i->x) {
    case BW_X_SHFL: exec_shfl(w, i, mask, bw_origin_made(m, BW_MACHINE_FROM_OPCODE, at)); break;
    case BW_X_MOVM: exec_movm(m, w, at, mask); break;
    case BW_X_VOTE: exec_vote(m, w, i, mask); break;
    case BW_X_MATCH: exec_match(w, i, mask); break;
    case BW_X_REDUX: exec_redux(m, w, i, mask); break;
    case BW_X_R2UR: exec_r2ur(w, i, mask); break;
    default: exec_elect(w, i, mask); break;
    }
    bool uniform = i->width && is_uniform(m, i);
    bw_fold_results(w, i, uniform ? BW_ALL : mask, bits);
    if (i->x == BW_X_R2UR && bits && w->taint[i->s[0]].affine)
        w->taint[i->d] = w->taint[i->s[0]];
}
