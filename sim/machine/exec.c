/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The loop that executes instructions of a group of lanes, and arithmetic, which is most of it.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <string.h>

#include "state.h"

/* What the sources of i depend on beyond this block. */
uint8_t bw_fold_sources(const bw_warp *w, const bw_ins *i)
{
    uint8_t bits = w->taint[i->s[0]].bits | w->taint[i->s[1]].bits | w->taint[i->s[2]].bits;
    if (i->wide_sources)
        for (unsigned n = 0; n < i->source_count; n++)
            for (unsigned k = 1; k < i->source_width[n]; k++)
                bits |= w->taint[i->s[n] + k].bits;
    for (unsigned n = 0; n < i->in_count; n++)
        bits |= w->ptaint[i->in[n]];
    return bits;
}

static inline uint32_t unknown_sources(const bw_warp *w, const bw_ins *i)
{
    uint32_t all = w->partly[i->s[0]] | w->partly[i->s[1]] | w->partly[i->s[2]];
    if (i->wide_sources)
        for (unsigned n = 0; n < i->source_count; n++)
            for (unsigned k = 1; k < i->source_width[n]; k++)
                all |= w->partly[i->s[n] + k];
    return all;
}

static inline void blend(bw_vec *d, const bw_vec *values, uint32_t mask)
{
    for (int l = 0; l < BW_LANES; l++) {
        uint32_t take = 0 - (mask >> l & 1);
        d->v[l] = (values->v[l] & take) | (d->v[l] & ~take);
    }
}

static inline uint32_t pred_value(const bw_warp *w, const bw_ins *i, unsigned n)
{
    return w->p[i->in[n]] ^ (i->in_inv[n] ? BW_ALL : 0);
}

static inline void write_preds(bw_warp *w, const bw_ins *i, uint32_t mask, const bw_io *io)
{
    for (unsigned k = 0; k < i->out_count; k++) {
        unsigned slot = i->out[k];
        if ((slot & 7) == 7)
            continue;
        w->p[slot] = (w->p[slot] & ~mask) | (io->out[k] & mask);
        w->pu[slot] &= ~mask;
    }
}

static inline void alu_known(bw_warp *w, const bw_ins *i, uint32_t mask, bw_io *io)
{
    bw_vec *v = w->v, *d = &v[i->d];
    const bw_vec *a = &v[i->s[0]], *b = &v[i->s[1]], *c = &v[i->s[2]];
    if (i->width <= 1 && mask == BW_ALL) {
        i->fn(i, a, b, c, d, io);
        w->partly[i->d] = w->fully[i->d] = 0;
        return;
    }
    bw_vec values[2];
    i->fn(i, a, b, c, values, io);
    for (unsigned k = 0; k < i->width; k++) {
        if (mask == BW_ALL)
            d[k] = values[k];
        else
            blend(&d[k], &values[k], mask);
        bw_known(w, i->d + k, mask);
    }
}

static inline void exec_alu(bw_machine *m, bw_warp *w, const bw_ins *i, uint32_t mask)
{
    bw_io io;
    uint32_t in_unknown[2] = {0, 0}, open = unknown_sources(w, i);
    for (unsigned n = 0; n < i->in_count && n < 2; n++) {
        io.in[n] = pred_value(w, i, n);
        in_unknown[n] = w->pu[i->in[n]];
        open |= in_unknown[n];
    }
    uint8_t taint = bw_fold_sources(w, i);
    if (i->approximate)
        taint |= BW_TAINT_APPROXIMATE;
    if (__builtin_expect(taint || w->taint[i->d].bits, 0))
        bw_fold_alu(m, w, i, mask, taint);
    else
        for (unsigned k = 0; k < i->out_count; k++)
            w->ptaint[i->out[k]] = 0;
    if (__builtin_expect(open & mask, 0)) {
        bw_unknown_alu(m, w, i, mask, &io, in_unknown);
        return;
    }
    alu_known(w, i, mask, &io);
    if (i->out_count)
        write_preds(w, i, mask, &io);
}

/* ---- instructions that are not modelled ---- */

static void exec_unknown(bw_machine *m, bw_warp *w, uint32_t at, uint32_t mask)
{
    const bw_ins *i = &m->code.ins[at];
    bw_unknown_results(w, i, mask, bw_origin_made(m, BW_MACHINE_FROM_OPCODE, at));
    bw_fold_results(w, i, mask, 0);
}

static void exec_matrix(bw_machine *m, bw_warp *w, uint32_t at, uint32_t mask)
{
    exec_unknown(m, w, at, mask);
    m->block_counts[at].matrix_quarters += (uint64_t)m->code.ins[at].offset;
}

static void exec_b2r(bw_machine *m, bw_warp *w, uint32_t at, uint32_t mask)
{
    const bw_ins *i = &m->code.ins[at];
    uint32_t origin = bw_origin_made(m, BW_MACHINE_FROM_OPCODE, at);
    for (uint32_t left = i->width ? mask : 0; left; left &= left - 1)
        w->v[i->d].v[__builtin_ctz(left)] = w->bar_count;
    if (i->width)
        bw_known(w, i->d, mask);
    for (unsigned k = 0; k < i->out_count; k++)
        bw_set_pred(w, i->out[k], mask, w->bar_result, w->bar_unknown, origin);
    if (i->width && w->bar_unknown)
        bw_poison(w, i->d, mask, origin);
    bw_fold_results(w, i, mask, m->fold ? m->shared_taint : 0);
}

/* Barriers of convergence to registers (mode 0, .CLEAR) and back (1). */
static bool exec_bmov(bw_machine *m, bw_warp *w, uint32_t at, uint32_t mask)
{
    const bw_ins *i = &m->code.ins[at];
    if (i->mode && w->partly[i->s[0]] & mask)
        return bw_fail(m, BW_MSG_UNKNOWN_CONDITION, at, NULL,
                       "the lanes of a barrier are not known");
    for (uint32_t left = mask; left; left &= left - 1) {
        int l = __builtin_ctz(left);
        uint32_t *b = &w->b[i->barrier][l];
        if (i->mode) {
            *b = w->v[i->s[0]].v[l];
        } else {
            w->v[i->d].v[l] = *b;
            *b = i->extended ? 0 : *b;
        }
    }
    if (!i->mode) {
        bw_known(w, i->d, mask);
        bw_set_taint(w, i->d, mask, 0);
    }
    return true;
}

/* ---- the loop ---- */

/* Instructions other than arithmetic and control; false where the run must end. */
static bool exec_other(bw_machine *m, bw_warp *w, uint32_t at, uint32_t mask, uint32_t group_mask)
{
    switch (m->code.ins[at].x) {
    case BW_X_NOP: return true;
    case BW_X_UNKNOWN: exec_unknown(m, w, at, mask); return true;
    case BW_X_SPECIAL: bw_exec_special(m, w, at, mask); return true;
    case BW_X_LDC: bw_exec_ldc(m, w, at, mask); return true;
    case BW_X_PLOP3:
    case BW_X_P2R:
    case BW_X_R2P:
    case BW_X_SHFL:
    case BW_X_VOTE:
    case BW_X_MATCH:
    case BW_X_REDUX:
    case BW_X_R2UR:
    case BW_X_MOVM:
    case BW_X_ELECT: bw_exec_warpwide(m, w, at, mask, group_mask); return true;
    case BW_X_LDS:
    case BW_X_STS:
    case BW_X_LDSM:
    case BW_X_STSM:
    case BW_X_LDGSTS: return bw_exec_shared(m, w, at, mask);
    case BW_X_ATOMS: return bw_exec_atoms(m, w, at, mask);
    case BW_X_LDG:
    case BW_X_STG:
    case BW_X_LD:
    case BW_X_ST: return bw_exec_global(m, w, at, mask);
    case BW_X_LDL:
    case BW_X_STL: return bw_exec_local(m, w, at, mask);
    case BW_X_ATOM: return bw_exec_atom(m, w, at, mask);
    case BW_X_SYNCS: bw_exec_syncs(m, w, at, mask); return !m->failed;
    case BW_X_BULK: bw_exec_bulk(m, w, at); return true;
    case BW_X_MATRIX: exec_matrix(m, w, at, mask); return true;
    case BW_X_BMOV: return exec_bmov(m, w, at, mask);
    case BW_X_B2R: exec_b2r(m, w, at, mask); return true;
    default:
        return bw_fail(m, BW_MSG_MACHINE_OPCODE, at, NULL, "it cannot be executed: %s",
                       m->code.ins[at].why ? m->code.ins[at].why : "");
    }
}

static bool asks_shared(const bw_ins *i)
{
    return i->x == BW_X_LDS || i->x == BW_X_STS || i->x == BW_X_LDSM || i->x == BW_X_STSM ||
           i->x == BW_X_ATOMS || i->x == BW_X_LDGSTS || i->x == BW_X_LD || i->x == BW_X_ST ||
           (i->x == BW_X_ATOM && i->generic);
}

#define MOST_RESULTS 2u /* of an evaluator: registers, and predicates */

/* Arithmetic that is carried out or not: known is what comes out the same both ways. */
static void alu_perhaps(bw_machine *m, bw_warp *w, const bw_ins *i, uint32_t lanes)
{
    bw_vec v[MOST_RESULTS] = {{{0}}}, u[MOST_RESULTS] = {{{0}}};
    uint32_t p[MOST_RESULTS] = {0}, pu[MOST_RESULTS] = {0}, origin = w->porigin[i->guard];
    uint8_t taint = w->ptaint[i->guard];
    for (unsigned k = 0; k < MOST_RESULTS && k < i->width; k++) {
        v[k] = w->v[i->d + k];
        for (int l = 0; l < BW_LANES; l++)
            u[k].v[l] = bw_unknown_bits(w, i->d + k, l);
        taint |= w->taint[i->d + k].bits;
    }
    for (unsigned k = 0; k < MOST_RESULTS && k < i->out_count; k++) {
        p[k] = w->p[i->out[k]], pu[k] = w->pu[i->out[k]];
        taint |= w->ptaint[i->out[k]];
    }
    exec_alu(m, w, i, lanes);
    for (unsigned k = 0; k < MOST_RESULTS && k < i->width; k++) {
        uint32_t slot = i->d + k;
        for (uint32_t left = lanes; left; left &= left - 1) {
            int l = __builtin_ctz(left);
            uint32_t open = u[k].v[l] | bw_unknown_bits(w, slot, l) | (v[k].v[l] ^ w->v[slot].v[l]);
            bw_set_partial(w, slot, l, w->v[slot].v[l] & ~open, open);
        }
        w->origin[slot] = origin;
        taint |= w->taint[slot].bits;
    }
    for (unsigned k = 0; k < MOST_RESULTS && k < i->out_count; k++) {
        unsigned slot = i->out[k];
        uint32_t open = pu[k] | w->pu[slot] | (p[k] ^ w->p[slot]);
        bw_set_pred(w, slot, lanes, w->p[slot], open, origin);
        taint |= w->ptaint[slot];
    }
    bw_fold_results(w, i, lanes, taint);
}

/* Lanes of which it is not known whether they take part. */
static void exec_perhaps(bw_machine *m, bw_warp *w, uint32_t at, uint32_t lanes)
{
    const bw_ins *i = &m->code.ins[at];
    uint32_t origin = w->porigin[i->guard];
    if (i->x == BW_X_ALU && !i->uniform) {
        alu_perhaps(m, w, i, lanes);
        return;
    }
    if (asks_shared(i)) {
        bw_need_add(m, BW_MACHINE_NEED_GUARD, at, origin);
        m->block_counts[at].unknown++;
        if (i->x != BW_X_LDS && i->x != BW_X_LDSM && i->x != BW_X_LD)
            bw_shared_unknown(m, origin);
    }
    bw_unknown_results(w, i, i->uniform ? BW_ALL : lanes, origin);
    bw_fold_results(w, i, i->uniform ? BW_ALL : lanes, w->ptaint[i->guard]);
}

/* The guard of an instruction that is not plain; returns the lanes that take part. */
static inline uint32_t guarded(bw_machine *m, bw_warp *w, uint32_t at, uint32_t mask)
{
    const bw_ins *i = &m->code.ins[at];
    uint32_t on = w->p[i->guard] ^ (i->guard_inv ? BW_ALL : 0), open = w->pu[i->guard] & mask;
    if (w->ptaint[i->guard])
        bw_fold_matters(m, w->ptaint[i->guard]);
    if (open)
        exec_perhaps(m, w, at, open);
    return mask & on & ~open;
}

static bool out_of_steps(bw_machine *m, uint32_t at)
{
    if (m->exploring) {
        m->stopped = true;
        return false;
    }
    return bw_fail(m, BW_MSG_STEP_BUDGET, at, "give more steps, or a smaller launch",
                   "the block has not ended after %llu warp instructions",
                   (unsigned long long)m->block_steps);
}

bool bw_exec_group(bw_machine *m, bw_warp *w, unsigned group, uint64_t turn)
{
    const bw_ins *code = m->code.ins;
    bw_machine_counts *counts = m->block_counts;
    bw_group *g = &w->groups[group];
    uint32_t mask = g->mask, lanes = (uint32_t)__builtin_popcount(mask);
    uint32_t at = (uint32_t)g->pc;
    uint64_t left = turn;
    for (;; at++) {
        const bw_ins *i = &code[at];
        if (__builtin_expect(left-- == 0, 0)) {
            g->pc = (int32_t)at;
            m->block_steps += turn;
            return m->block_steps < m->step_limit || out_of_steps(m, at);
        }
        counts[at].executed++;
        if (i->x >= BW_X_BRA) {
            g->pc = (int32_t)at;
            bw_flow flow = bw_exec_control(m, w, group);
            if (flow <= BW_FLOW_JUMP) {
                mask = g->mask;
                lanes = (uint32_t)__builtin_popcount(mask);
                at = flow == BW_FLOW_JUMP ? (uint32_t)g->pc - 1 : at;
                continue;
            }
            m->block_steps += turn - left;
            return flow == BW_FLOW_SWITCH &&
                   (m->block_steps < m->step_limit || out_of_steps(m, at));
        }
        uint32_t on = mask, active = lanes;
        if (i->guard != BW_PT || i->guard_inv) {
            on = guarded(m, w, at, mask);
            active = (uint32_t)__builtin_popcount(on);
            if (on == 0)
                continue;
        }
        counts[at].threads += active;
        if (i->x == BW_X_ALU)
            exec_alu(m, w, i, i->uniform ? BW_ALL : on);
        else if (!exec_other(m, w, at, i->uniform ? BW_ALL : on, on))
            return false;
    }
}
