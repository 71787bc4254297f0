/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decoding of memory and of control.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <stdlib.h>
#include <string.h>

#include "decode.h"
#include "lanes.h"

/* ---- addresses ---- */

typedef enum space { SPACE_SHARED, SPACE_LOCAL, SPACE_GLOBAL } space;

/* A base register of a global address without suffix is a pair (up to sm_75). */
static void take_address(bw_decoder *d, space where)
{
    const bw_operand *o = bw_next(d);
    bw_ins *ins = d->ins;
    if (o->kind != BW_OPERAND_MEMORY || o->group) {
        d->why = "its address is not understood";
        return;
    }
    uint32_t known = BW_SUFFIX_64 | BW_SUFFIX_U32;
    if ((o->suffix | o->usuffix) & ~known)
        d->why = "a suffix of its address is not known";
    ins->has_base = o->has_reg && o->reg != BW_RZ;
    ins->has_ubase = o->has_ureg && o->ureg != BW_RZ;
    ins->base = (uint16_t)(ins->has_base ? (uint32_t)o->reg : d->code->zero);
    ins->ubase = (uint16_t)(ins->has_ubase ? bw_code_ureg(d->code, o->ureg) : d->code->zero);
    ins->scale = o->scale;
    ins->offset = o->offset;
    if (where != SPACE_GLOBAL) {
        if (o->suffix || o->usuffix || o->descriptor)
            d->why = "its address is not understood";
        return;
    }
    ins->base64 = o->suffix & BW_SUFFIX_64;
    if (!(o->suffix & (BW_SUFFIX_64 | BW_SUFFIX_U32)) && !o->has_ureg && bw_has(d, "E"))
        ins->base64 = true;
    bool alone = !ins->has_base || o->suffix & BW_SUFFIX_U32;
    ins->ubase64 = ins->has_ubase && (o->usuffix & BW_SUFFIX_64 || alone);
}

static void take_size(bw_decoder *d)
{
    bw_ins *ins = d->ins;
    bool byte = bw_has(d, "U8") || bw_has(d, "S8"), half = bw_has(d, "U16") || bw_has(d, "S16");
    ins->size = byte               ? 1
                : half             ? 2
                : bw_has(d, "64")  ? 8
                : bw_has(d, "128") ? 16
                : bw_has(d, "256") ? 32
                                   : 4;
    ins->sign_bits = bw_has(d, "S8") ? 8 : bw_has(d, "S16") ? 16 : 0;
    ins->volatile_access = bw_has(d, "STRONG") || bw_has(d, "MMIO");
}

static unsigned words(const bw_ins *ins)
{
    return ins->size < 4 ? 1 : ins->size / 4u;
}

/* The operation of a plain load (0) or store (1) of 1 to 16 bytes. */
static bw_op plain_op(unsigned size, bool store)
{
    unsigned log = 0;
    while (1u << log < size)
        log++;
    return (bw_op)((store ? BW_OP_ST_8 : BW_OP_LD_8) + (int)log);
}

/* The mode of the opcode is what executes it. */
void bw_decode_load(bw_decoder *d)
{
    bw_ins *ins = d->ins;
    int x = ins->mode;
    take_size(d);
    bw_take_result(d, words(ins));
    take_address(d, x == BW_X_LDS ? SPACE_SHARED : x == BW_X_LDL ? SPACE_LOCAL : SPACE_GLOBAL);
    bw_no_more(d);
    ins->x = (uint8_t)x;
    if (x == BW_X_LDS || x == BW_X_LD)
        ins->op = (uint8_t)plain_op(ins->size, false);
}

void bw_decode_store(bw_decoder *d)
{
    bw_ins *ins = d->ins;
    int x = ins->mode;
    take_size(d);
    take_address(d, x == BW_X_STS ? SPACE_SHARED : x == BW_X_STL ? SPACE_LOCAL : SPACE_GLOBAL);
    bw_take_source(d, 0, words(ins) < 2 ? 1 : 2, BW_BITS);
    ins->source_width[0] = (uint8_t)words(ins);
    if (words(ins) > 2 && ins->s[0] >= d->code->zero && ins->s[0] != d->code->zero)
        d->why = "what it stores is not understood";
    bw_no_more(d);
    ins->x = (uint8_t)x;
    if (x == BW_X_STS || x == BW_X_ST)
        ins->op = (uint8_t)plain_op(ins->size, true);
}

void bw_decode_ldsm(bw_decoder *d)
{
    static const bw_op ops[2][2] = {{BW_OP_LDMATRIX_X1, BW_OP_LDMATRIX_X1_TRANS},
                                    {BW_OP_STMATRIX_X1, BW_OP_STMATRIX_X1_TRANS}};
    bw_ins *ins = d->ins;
    bool store = ins->mode == BW_X_STSM, turned = bw_has(d, "MT88");
    unsigned log = bw_has(d, "4") ? 2 : bw_has(d, "2") ? 1 : 0;
    ins->x = ins->mode;
    ins->size = 16;
    if (!bw_has(d, "16") || turned == bw_has(d, "M88"))
        d->why = "its form is not understood";
    if (!store)
        bw_take_result(d, 1u << log);
    take_address(d, SPACE_SHARED);
    if (store) {
        bw_take_source(d, 0, 1, BW_BITS);
        ins->source_width[0] = (uint8_t)(1u << log);
    }
    bw_no_more(d);
    ins->op = (uint8_t)(ops[store][turned] + (int)log);
}

/* ---- atomics ---- */

static const struct {
    const char *name;
    bw_atom atom;
} atom_names[] = {
    {"ADD", BW_ATOM_ADD},   {"MIN", BW_ATOM_MIN}, {"MAX", BW_ATOM_MAX},   {"INC", BW_ATOM_INC},
    {"DEC", BW_ATOM_DEC},   {"AND", BW_ATOM_AND}, {"OR", BW_ATOM_OR},     {"XOR", BW_ATOM_XOR},
    {"EXCH", BW_ATOM_EXCH}, {"CAS", BW_ATOM_CAS}, {"CAST", BW_ATOM_CAST},
};

static void take_atom(bw_decoder *d)
{
    bw_ins *ins = d->ins;
    ins->atom = BW_ATOM_OTHER;
    for (size_t i = 0; i < sizeof atom_names / sizeof *atom_names; i++)
        if (bw_has(d, atom_names[i].name))
            ins->atom = (uint8_t)atom_names[i].atom;
    if (bw_has(d, "POPC"))
        ins->atom = BW_ATOM_POPC_INC;
    ins->is_signed = bw_has(d, "S32") || bw_has(d, "S64");
    ins->size = bw_has(d, "64") || bw_has(d, "U64") || bw_has(d, "S64") || bw_has(d, "F64") ? 8 : 4;
    ins->volatile_access = true;
}

static bw_op atoms_op(const bw_ins *ins)
{
    bool s = ins->is_signed, wide = ins->size == 8;
    switch (ins->atom) {
    case BW_ATOM_ADD: return wide ? BW_OP_COUNT : BW_OP_ATOM_ADD_U32;
    case BW_ATOM_MIN: return wide ? BW_OP_COUNT : s ? BW_OP_ATOM_MIN_S32 : BW_OP_ATOM_MIN_U32;
    case BW_ATOM_MAX: return wide ? BW_OP_COUNT : s ? BW_OP_ATOM_MAX_S32 : BW_OP_ATOM_MAX_U32;
    case BW_ATOM_INC: return wide ? BW_OP_COUNT : BW_OP_ATOM_INC_U32;
    case BW_ATOM_DEC: return wide ? BW_OP_COUNT : BW_OP_ATOM_DEC_U32;
    case BW_ATOM_AND: return wide ? BW_OP_COUNT : BW_OP_ATOM_AND_B32;
    case BW_ATOM_OR: return wide ? BW_OP_COUNT : BW_OP_ATOM_OR_B32;
    case BW_ATOM_XOR: return wide ? BW_OP_COUNT : BW_OP_ATOM_XOR_B32;
    case BW_ATOM_EXCH: return wide ? BW_OP_ATOM_EXCH_B64 : BW_OP_ATOM_EXCH_B32;
    case BW_ATOM_CAS: return wide ? BW_OP_ATOM_CAS_B64 : BW_OP_ATOM_CAS_B32;
    case BW_ATOM_CAST: return wide ? BW_OP_ATOM_CAST_B64 : BW_OP_ATOM_CAST_B32;
    case BW_ATOM_POPC_INC: return wide ? BW_OP_COUNT : BW_OP_RED_INC_U32;
    default: return BW_OP_COUNT;
    }
}

static void take_atom_values(bw_decoder *d)
{
    bw_ins *ins = d->ins;
    unsigned width = ins->size / 4u;
    bool two = ins->atom == BW_ATOM_CAS || ins->atom == BW_ATOM_CAST;
    if (ins->atom != BW_ATOM_POPC_INC)
        bw_take_source(d, 0, width, BW_BITS);
    if (two)
        bw_take_source(d, 1, width, BW_BITS);
    bw_no_more(d);
}

void bw_decode_atoms(bw_decoder *d)
{
    bw_ins *ins = d->ins;
    take_atom(d);
    if (ins->atom == BW_ATOM_CAST) /* from sm_100 on the answer is a predicate */
        bw_take_pred_results(d);
    if (ins->out_count == 0)
        bw_take_result(d, ins->size / 4u);
    take_address(d, SPACE_SHARED);
    take_atom_values(d);
    ins->x = BW_X_ATOMS;
    ins->op = (uint8_t)atoms_op(ins);
}

/* mode 0: global, 1: generic, 2: without result. */
void bw_decode_atom(bw_decoder *d)
{
    bw_ins *ins = d->ins;
    int form = ins->mode;
    take_atom(d);
    ins->generic = form == 1;
    if (form != 2) {
        bw_take_pred_results(d);
        bw_take_result(d, ins->size / 4u);
    }
    take_address(d, SPACE_GLOBAL);
    take_atom_values(d);
    bool odd = bw_has(d, "F32") || bw_has(d, "F64") || bw_has(d, "F16x2") || bw_has(d, "BF16x2");
    if (odd)
        ins->atom = BW_ATOM_OTHER;
    ins->x = BW_X_ATOM;
    ins->op = ins->generic ? (uint8_t)atoms_op(ins) : BW_OP_COUNT;
}

/* ---- copies and what fills shared memory from outside ---- */

/* LDGSTS [shared], [global], p: zeroes where p is false. A profiler's page has [global], p,
 * [shared]. The shared address stays in base and offset; the global one goes to s[0], s[1] and a
 * constant. */
void bw_decode_ldgsts(bw_decoder *d)
{
    bw_ins *ins = d->ins;
    take_size(d);
    const bw_operand *first = bw_stmt_peek(d);
    bool swapped = first && (first->descriptor || (first->suffix | first->usuffix) & BW_SUFFIX_64);
    take_address(d, swapped ? SPACE_GLOBAL : SPACE_SHARED);
    bw_ins shared = *ins;
    if (swapped)
        bw_take_pred_sources(d);
    take_address(d, swapped ? SPACE_SHARED : SPACE_GLOBAL);
    bw_ins global = *ins;
    if (swapped) { /* as a profiler's page has it */
        bw_ins other = shared;
        shared = global, global = other;
    }
    ins->has_base = shared.has_base, ins->base = shared.base, ins->scale = shared.scale;
    ins->has_ubase = shared.has_ubase, ins->ubase = shared.ubase, ins->offset = shared.offset;
    ins->base64 = global.base64, ins->ubase64 = global.ubase64;
    ins->s[0] = global.base, ins->s[1] = global.ubase;
    ins->s[2] = bw_constant_slot(d, (uint64_t)global.offset, 2);
    bw_take_pred_sources(d);
    bw_no_more(d);
    ins->x = BW_X_LDGSTS;
    bool bypass = bw_has(d, "BYPASS");
    if (ins->in_count > 1 || ins->size < 4 || (bypass && ins->size != 16))
        d->why = "its form is not understood";
    ins->op = (uint8_t)(ins->size == 4   ? BW_OP_CP_ASYNC_4
                        : ins->size == 8 ? BW_OP_CP_ASYNC_8
                        : bypass         ? BW_OP_CP_ASYNC_16
                                         : BW_OP_CP_ASYNC_16_CA);
}

/* SYNCS.EXCH.64 d, [barrier], state; .ARRIVE.TRANS64 d, [barrier], bytes; .A1T0: without bytes;
 * .PHASECHK.TRANS64 p, [barrier], parity << 31; .TRYWAIT: it waits. Others are not modelled. */
static bool take_syncs(bw_decoder *d)
{
    bw_ins *ins = d->ins;
    bool first = d->stmt->modifier_count > 0;
    bool init = first && bw_has(d, "EXCH") && bw_has(d, "64") && d->stmt->modifier_count == 2;
    bool wait = bw_has(d, "PHASECHK") && bw_has(d, "TRANS64") && ins->out_count == 1 &&
                d->stmt->modifier_count == (bw_has(d, "TRYWAIT") ? 3u : 2u);
    bool one = bw_has(d, "A1T0");
    bool arrives =
        bw_has(d, "ARRIVE") && bw_has(d, "TRANS64") && d->stmt->modifier_count == (one ? 3u : 2u);
    if (init + wait + arrives != 1)
        return false;
    take_address(d, SPACE_SHARED);
    bw_take_source(d, 0, init ? 2 : 1, BW_BITS);
    bw_no_more(d);
    ins->x = wait ? BW_X_SYNCS_WAIT : BW_X_SYNCS;
    ins->mode = init ? BW_SYNCS_INIT : one ? BW_SYNCS_ARRIVE : BW_SYNCS_EXPECT;
    if (wait)
        ins->mode = bw_has(d, "TRYWAIT");
    ins->size = 8;
    return d->why == NULL && !ins->xor_mask[0];
}

void bw_decode_syncs(bw_decoder *d)
{
    bw_ins *ins = d->ins;
    bw_take_pred_results(d);
    const bw_operand *o = bw_stmt_peek(d);
    if (o && (o->kind == BW_OPERAND_REG || o->kind == BW_OPERAND_UREG))
        bw_take_result(d, bw_has(d, "64") || bw_has(d, "TRANS64") ? 2 : 1);
    ins->uniform = ins->width && ins->d >= d->code->regs && ins->d < d->code->zero;
    if (!d->why && take_syncs(d)) {
        ins->uniform = false;
        return;
    }
    d->why = NULL;
    ins->x = BW_X_SYNCS;
    ins->mode = BW_SYNCS_OTHER;
    d->code->others_signal = d->code->others_signal || d->stmt->operand_count > 1;
}

/* What signals a barrier in a way that is not modelled. */
void bw_decode_signals(bw_decoder *d)
{
    d->ins->x = BW_X_NOP;
    d->code->others_signal = true;
}

/* UTMALDG desc[..], [place and barrier], [map]: two uniform registers in a row. */
void bw_decode_bulk(bw_decoder *d)
{
    bw_ins *ins = d->ins;
    ins->x = BW_X_BULK;
    for (unsigned k = 0; k < d->stmt->operand_count && ins->source_count == 0; k++) {
        const bw_operand *o = &d->stmt->operands[k];
        if (o->kind != BW_OPERAND_MEMORY || o->descriptor || !o->has_ureg || o->has_reg ||
            o->offset || o->ureg == BW_RZ)
            continue;
        ins->s[0] = (uint16_t)bw_code_ureg(d->code, o->ureg);
        ins->s[1] = (uint16_t)(ins->s[0] + 1);
        ins->source_width[0] = ins->source_width[1] = 1;
        ins->source_count = 2;
    }
}

/* HGMMA.64xNxK d, (A in registers,) gdesc[..], c ... */
void bw_decode_matrix(bw_decoder *d)
{
    bw_ins *ins = d->ins;
    const bw_stmt *s = d->stmt;
    unsigned columns = 0;
    for (unsigned i = 0; i < s->modifier_count; i++) {
        const char *x = memchr(s->modifiers[i].text, 'x', s->modifiers[i].len);
        if (x && columns == 0)
            columns = (unsigned)strtoul(x + 1, NULL, 10);
    }
    if (columns < 8 || columns > 256 || columns % 8) {
        d->why = "its shape is not understood";
        return;
    }
    bool narrow = s->modifier_count > 1 && bw_word_is(s->modifiers[1], "F16");
    bw_take_result(d, columns / (narrow ? 4 : 2));
    const bw_operand *a = bw_stmt_peek(d);
    bool from_shared = a && a->kind == BW_OPERAND_MEMORY && a->group;
    ins->x = BW_X_MATRIX;
    ins->offset = (from_shared ? 16 : 0) + (int64_t)columns / (bw_has(d, "SP") ? 2 : 4);
}

/* ---- textures ---- */

static const char texture_why[] = "what textures and surfaces hold cannot be given";

/* TEX d2, d, ...: two pairs of registers for up to four values, d for the first two; the mask of
 * those that are wanted is the last number after the texture's shape, all where there is none. */
void bw_decode_texture(bw_decoder *d)
{
    bw_ins *ins = d->ins;
    const bw_stmt *s = d->stmt;
    unsigned wanted = 4, last = s->operand_count;
    bool masked = last > 2 && s->operands[last - 1].kind == BW_OPERAND_IMM &&
                  s->operands[last - 2].kind != BW_OPERAND_IMM;
    if (masked)
        wanted = (unsigned)__builtin_popcount((uint32_t)s->operands[last - 1].imm & 15);
    if (bw_is_pred(bw_stmt_peek(d)))
        bw_take_pred_results(d);
    bw_take_result(d, wanted > 2 ? wanted - 2 : 0);
    ins->d2 = ins->d, ins->width2 = ins->d2 == UINT16_MAX ? 0 : ins->width;
    bw_take_result(d, wanted < 2 ? wanted : 2);
    ins->x = BW_X_UNKNOWN;
    ins->why = texture_why;
}

/* SULD d, [...]: by its size. */
void bw_decode_surface(bw_decoder *d)
{
    if (bw_is_pred(bw_stmt_peek(d)))
        bw_take_pred_results(d);
    bw_take_result(d, bw_has(d, "128") ? 4 : bw_has(d, "64") ? 2 : 1);
    d->ins->x = BW_X_UNKNOWN;
    d->ins->why = texture_why;
}

/* ---- constants ---- */

void bw_decode_ldc(bw_decoder *d)
{
    bw_ins *ins = d->ins;
    take_size(d);
    bw_take_result(d, words(ins));
    const bw_operand *o = bw_stmt_peek(d);
    bool fixed = o && o->kind == BW_OPERAND_CONST && !(o->has_reg && o->reg != BW_RZ) &&
                 !(o->has_ureg && o->ureg != BW_RZ) && o->bank >= 0;
    if (fixed && (ins->size == 4 || ins->size == 8) && !o->has_reg && !o->has_ureg) {
        bw_take_source(d, 0, words(ins), BW_BITS);
        bw_no_more(d);
        bw_alu(d, ins->size == 8 ? BW_EV_mov64 : BW_EV_mov, BW_U_MOV, BW_A_NONE);
        return;
    }
    o = bw_next(d);
    bw_no_more(d);
    if (o->kind != BW_OPERAND_CONST || o->bank < 0 || o->neg || o->inv || o->abs) {
        d->why = "its constant is not understood";
        return;
    }
    ins->x = BW_X_LDC;
    ins->bank = (uint8_t)o->bank;
    ins->offset = o->offset;
    ins->has_base = o->has_reg && o->reg != BW_RZ;
    ins->has_ubase = o->has_ureg && o->ureg != BW_RZ;
    ins->base = (uint16_t)(ins->has_base ? (uint32_t)o->reg : d->code->zero);
    ins->ubase = (uint16_t)(ins->has_ubase ? bw_code_ureg(d->code, o->ureg) : d->code->zero);
    ins->scale = 1;
}

/* ---- control ---- */

/* BRA p, UR, target. */
void bw_decode_bra(bw_decoder *d)
{
    bw_ins *ins = d->ins;
    ins->x = BW_X_BRA;
    bw_take_pred_sources(d);
    ins->mode = bw_has(d, "DIV") ? 1 : bw_has(d, "CONV") ? 2 : 0;
    if (ins->mode && d->stmt->operand_count - d->at > 1)
        bw_take_source(d, 0, 1, BW_BITS);
    else if (ins->mode) /* all lanes */
        ins->s[0] = bw_constant_slot(d, UINT32_MAX, 1);
    ins->target = bw_target(d, bw_next(d));
    bw_no_more(d);
    if (ins->in_count > 1)
        d->why = "its predicates are not understood";
}

/* BRX R2 -0x250: to R2 + the next instruction - 0x250. */
void bw_decode_brx(bw_decoder *d)
{
    bw_ins *ins = d->ins;
    const bw_operand *o = bw_stmt_peek(d);
    ins->x = BW_X_BRX;
    int64_t offset = o ? o->offset : 0;
    bw_take_source(d, 0, 1, BW_BITS);
    ins->offset = offset;
}

/* R4 0x0, R4, 0x7f9ccb7a9b00 (a profiler's page) or R4 `(f): what R4 holds is counted from the
 * address that is shown, most often where the kernel begins. .ABS: a pair with a whole address. */
static void take_far_target(bw_decoder *d)
{
    bw_ins *ins = d->ins;
    const bw_operand *o = bw_stmt_peek(d);
    bool absolute = bw_has(d, "ABS");
    int64_t base = (int64_t)d->code->base;
    ins->target = -1;
    ins->wide64 = absolute;
    ins->offset = !absolute && o && o->has_reg ? o->offset - base : 0;
    if (absolute)
        ins->offset = -base;
    bw_take_source(d, 0, absolute ? 2 : 1, BW_BITS);
    o = bw_stmt_peek(d);
    if (o && o->kind == BW_OPERAND_IMM && !absolute)
        ins->offset = (int64_t)bw_next(d)->imm - base;
    bw_no_more(d);
    if (absolute == bw_has(d, "REL") || ins->xor_mask[0])
        d->why = "its form is not understood";
}

void bw_decode_call(bw_decoder *d)
{
    bw_ins *ins = d->ins;
    ins->x = BW_X_CALL;
    const bw_operand *o = bw_stmt_peek(d);
    if (o && (o->kind == BW_OPERAND_REG || o->kind == BW_OPERAND_UREG)) {
        take_far_target(d);
        return;
    }
    o = bw_next(d);
    if (o->kind != BW_OPERAND_IMM && o->kind != BW_OPERAND_LABEL)
        d->why = "what it calls is not understood";
    else
        ins->target = bw_target(d, o);
    bw_no_more(d);
}

void bw_decode_ret(bw_decoder *d)
{
    d->ins->x = BW_X_RET;
    take_far_target(d);
}

/* LEPC d, label: the label's address. */
void bw_decode_lepc(bw_decoder *d)
{
    bw_take_result(d, 2);
    bw_take_source(d, 0, 2, BW_BITS);
    bw_no_more(d);
    bw_alu(d, BW_EV_mov64, BW_U_MOV, BW_A_NONE);
}

void bw_decode_exit(bw_decoder *d)
{
    d->ins->x = BW_X_EXIT;
    bw_take_pred_sources(d);
    bw_no_more(d);
    if (d->ins->in_count > 1)
        d->why = "its predicates are not understood";
}

static void take_barrier(bw_decoder *d)
{
    const bw_operand *o = bw_next(d);
    if (o->kind != BW_OPERAND_BARRIER)
        d->why = "its barrier is not understood";
    d->ins->barrier = (uint8_t)(o->reg & 15);
}

void bw_decode_bssy(bw_decoder *d)
{
    d->ins->x = BW_X_BSSY;
    take_barrier(d);
    bw_next(d);
    bw_no_more(d);
}

void bw_decode_bsync(bw_decoder *d)
{
    d->ins->x = BW_X_BSYNC;
    take_barrier(d);
    bw_no_more(d);
}

void bw_decode_brk(bw_decoder *d)
{
    d->ins->x = BW_X_BREAK;
    bw_take_pred_sources(d);
    take_barrier(d);
    bw_no_more(d);
    if (d->ins->in_count > 1)
        d->why = "its predicates are not understood";
}

/* mode 0: B to R, 1: to B. */
void bw_decode_bmov(bw_decoder *d)
{
    bw_ins *ins = d->ins;
    ins->x = BW_X_BMOV;
    const bw_operand *o = bw_stmt_peek(d);
    if (bw_has(d, "64") || !o)
        d->why = "its form is not understood";
    ins->mode = o && o->kind == BW_OPERAND_BARRIER;
    ins->extended = bw_has(d, "CLEAR");
    if (ins->mode) {
        take_barrier(d);
        bw_take_source(d, 0, 1, BW_BITS);
    } else {
        bw_take_result(d, 1);
        take_barrier(d);
    }
    bw_no_more(d);
}

/* mode 1: all lanes; 2: groups of one mask go on apart. */
void bw_decode_warpsync(bw_decoder *d)
{
    bw_ins *ins = d->ins;
    ins->x = BW_X_WARPSYNC;
    ins->mode = bw_has(d, "ALL") ? 1 : bw_has(d, "EXCLUSIVE") ? 2 : 0;
    if (ins->mode != 1)
        bw_take_source(d, 0, 1, BW_BITS);
    if (bw_has(d, "COLLECTIVE"))
        bw_next(d); /* where it goes on afterwards: the instruction after ENDCOLLECTIVE */
    bw_no_more(d);
}

/* BAR.SYNC id, count; mode 0 SYNC, 1 ARV, 2 RED (atom: which). */
void bw_decode_bar(bw_decoder *d)
{
    bw_ins *ins = d->ins;
    ins->x = BW_X_BAR;
    ins->mode = bw_has(d, "ARV") ? 1 : bw_has(d, "RED") ? 2 : 0;
    if (bw_has(d, "SYNCALL")) {
        ins->s[0] = bw_zero_slot(d);
        bw_no_more(d);
        return;
    }
    if (ins->mode == 0 && !bw_has(d, "SYNC"))
        d->why = "its form is not understood";
    ins->atom = bw_has(d, "POPC") ? BW_ATOM_POPC_INC : bw_has(d, "OR") ? BW_ATOM_OR : BW_ATOM_AND;
    bw_take_source(d, 0, 1, BW_BITS);
    if (bw_stmt_peek(d) && !bw_is_pred(bw_stmt_peek(d)))
        bw_take_source(d, 1, 1, BW_BITS);
    bw_take_pred_sources(d);
    bw_no_more(d);
    if ((ins->mode == 2) != (ins->in_count == 1))
        d->why = "its predicates are not understood";
}

/* B2R.RESULT d, p: what BAR.RED found. */
void bw_decode_b2r(bw_decoder *d)
{
    d->ins->x = BW_X_B2R;
    if (!bw_has(d, "RESULT"))
        d->why = "its form is not understood";
    bw_take_result(d, 1);
    bw_take_pred_results(d);
    bw_no_more(d);
}

void bw_decode_yield(bw_decoder *d)
{
    d->ins->x = BW_X_YIELD;
}
