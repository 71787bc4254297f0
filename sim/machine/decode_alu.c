/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decoding of moves, integers, predicates, and what works across the warp.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <string.h>

#include "decode.h"
#include "lanes.h"
#include "special.h"

void bw_decode_nop(bw_decoder *d)
{
    d->ins->x = BW_X_NOP;
}

void bw_decode_unmodelled(bw_decoder *d)
{
    d->why = "what it computes is not modelled";
}

void bw_decode_mov(bw_decoder *d)
{
    unsigned width = bw_has(d, "64") ? 2 : 1;
    bw_take_result(d, width);
    bw_take_source(d, 0, width, BW_INTEGER);
    const bw_operand *mask = bw_stmt_peek(d);
    uint64_t value;
    if (mask && bw_immediate(d, bw_next(d), &value) && value != 0xf)
        d->why = "a mask of bytes that is not understood";
    bw_no_more(d);
    if (width == 2 && d->ins->xor_mask[0])
        d->why = "a minus that is not understood";
    bw_alu(d, width == 2 ? BW_EV_mov64 : BW_EV_mov, BW_U_MOV, width == 2 ? BW_A_NONE : BW_A_MOV);
}

/* CS2R reads 64 bits (mode 1). */
void bw_decode_special(bw_decoder *d)
{
    unsigned width = d->ins->mode == 1 && !bw_has(d, "32") ? 2 : 1;
    bw_take_result(d, width);
    const bw_operand *name = bw_next(d);
    d->ins->x = BW_X_SPECIAL;
    d->ins->mode = (uint8_t)bw_special_find(name->text.text, name->text.len);
    bw_no_more(d);
}

/* A minus on a factor is one on the product. */
static void take_factors(bw_decoder *d, bw_number kind)
{
    bw_take_source(d, 0, 1, kind);
    bw_take_source(d, 1, 1, kind);
    bw_ins *ins = d->ins;
    if (d->why || d->at < 2)
        return;
    const bw_operand *o = &d->stmt->operands[d->at - 2];
    if (o[0].inv || o[1].inv)
        d->why = "a complement of a factor";
    ins->neg_product = o[0].neg != o[1].neg;
    ins->xor_mask[0] = ins->xor_mask[1] = 0;
    ins->add = 0;
}

void bw_decode_imad(bw_decoder *d)
{
    bw_ins *ins = d->ins;
    bool wide = bw_has(d, "WIDE"), high = bw_has(d, "HI"), extended = bw_has(d, "X");
    bw_take_result(d, wide ? 2 : 1);
    bw_take_pred_results(d);
    take_factors(d, BW_INTEGER);
    const bw_operand *addend = bw_stmt_peek(d);
    bw_take_source(d, 2, wide || high ? 2 : 1, BW_INTEGER);
    bw_take_pred_sources(d);
    bw_no_more(d);
    bool carry_in = ins->in_count > 0;
    if (carry_in != extended || ins->in_count > 1 || ins->out_count > 1)
        d->why = "its carries are not understood";
    ins->is_signed = !bw_has(d, "U32");
    bool plain = ins->out_count == 0 && !carry_in;
    ins->mode = addend && addend->neg; /* carries count the one of a minus apart */
    if (high) {
        bw_alu(d, BW_EV_imad_hi, BW_U_ALL, BW_A_NONE);
        return;
    }
    if (!(wide && !plain))
        ins->add += ins->neg_product;
    if (wide)
        bw_alu(d, plain ? BW_EV_imad_wide : BW_EV_imad_wide_carry, plain ? BW_U_WIDE : BW_U_ALL,
               plain ? BW_A_WIDE : BW_A_NONE);
    else
        bw_alu(d, plain ? BW_EV_imad : BW_EV_imad_carry, BW_U_MAD, plain ? BW_A_MAD : BW_A_NONE);
}

void bw_decode_iadd3(bw_decoder *d)
{
    bw_ins *ins = d->ins;
    unsigned width = bw_has(d, "64") ? 2 : 1;
    bw_take_result(d, width);
    bw_take_pred_results(d);
    for (unsigned n = 0; n < 3; n++)
        bw_take_source(d, n, width, BW_INTEGER);
    bw_take_pred_sources(d);
    bw_no_more(d);
    bool extended = bw_has(d, "X");
    if (ins->in_count > 2 || (ins->in_count && !extended))
        d->why = "its carries are not understood";
    if (width == 2) {
        if (ins->in_count || ins->out_count || extended)
            d->why = "its carries are not understood";
        bw_alu(d, BW_EV_iadd64, BW_U_ALL, BW_A_NONE);
    } else if (ins->in_count || ins->out_count) {
        bw_alu(d, BW_EV_iadd3_carry, BW_U_ADD, ins->in_count ? BW_A_NONE : BW_A_ADD);
    } else {
        bw_alu(d, BW_EV_iadd3, BW_U_ADD, BW_A_ADD);
    }
}

/* The sum of two. */
void bw_decode_viadd(bw_decoder *d)
{
    if (bw_has(d, "16x2") || bw_has(d, "U8x4") || bw_has(d, "ISAT")) {
        bw_decode_vadd(d);
        return;
    }
    unsigned width = bw_has(d, "64") ? 2 : 1;
    bw_take_result(d, width);
    bw_take_source(d, 0, width, BW_INTEGER);
    bw_take_source(d, 1, width, BW_INTEGER);
    bw_no_more(d);
    if (width == 2)
        bw_alu(d, BW_EV_iadd64, BW_U_ALL, BW_A_NONE);
    else
        bw_alu(d, BW_EV_iadd3, BW_U_ADD, BW_A_ADD);
}

/* LEA d, p, a, b, shift; .HI: d, p, a, b, c, shift, or without c and sign-extended: .SX32. */
void bw_decode_lea(bw_decoder *d)
{
    bw_ins *ins = d->ins;
    bool high = bw_has(d, "HI"), extend = bw_has(d, "SX32"), extended = bw_has(d, "X");
    uint64_t shift = 0;
    bw_take_result(d, 1);
    bw_take_pred_results(d);
    bw_take_source(d, 0, 1, BW_INTEGER);
    bw_take_source(d, 1, 1, BW_INTEGER);
    if (high && !extend)
        bw_take_source(d, 2, 1, BW_BITS);
    if (bw_stmt_peek(d) && !bw_is_pred(bw_stmt_peek(d)))
        bw_immediate(d, bw_next(d), &shift);
    bw_take_pred_sources(d);
    bw_no_more(d);
    if (high && ins->xor_mask[0])
        d->why = "a minus on the upper word";
    if (shift > 31 || ins->in_count > 1 || ins->out_count > 1 || (ins->in_count && !extended))
        d->why = "its operands are not understood";
    ins->shift = (uint8_t)shift;
    ins->mode = extend;
    bool plain = !ins->in_count && !ins->out_count;
    if (high)
        bw_alu(d, BW_EV_lea_hi, BW_U_ALL, BW_A_NONE);
    else
        bw_alu(d, plain ? BW_EV_lea : BW_EV_lea_carry, BW_U_LEA,
               ins->in_count ? BW_A_NONE : BW_A_LEA);
}

void bw_decode_lop3(bw_decoder *d)
{
    bw_ins *ins = d->ins;
    uint64_t table = 0;
    bw_take_pred_results(d);
    bw_take_result(d, 1);
    for (unsigned n = 0; n < 3; n++)
        bw_take_source(d, n, 1, BW_BITS);
    if (!d->why)
        bw_immediate(d, bw_next(d), &table);
    bw_take_pred_sources(d);
    bw_no_more(d);
    if (table > 255 || ins->in_count > 1 || ins->out_count > 1)
        d->why = "its operands are not understood";
    ins->lut = (uint8_t)table;
    ins->mode = bw_has(d, "PAND");
    if (ins->out_count == 0)
        ins->in_count = 0; /* it joins the predicate alone */
    bw_alu(d, ins->out_count ? BW_EV_lop3_pred : BW_EV_lop3, BW_U_LOP, BW_A_NONE);
}

/* A shift by a constant of one word has an evaluator of its own. */
static bool simple_shift(bw_decoder *d, const bw_operand *count, bool right, bool upper, bool wide)
{
    bw_ins *ins = d->ins;
    uint16_t zero = bw_zero_slot(d);
    if (count->kind != BW_OPERAND_IMM || count->imm > 31)
        return false;
    ins->shift = (uint8_t)count->imm;
    if (!right && !upper) { /* the lower word alone */
        bw_alu(d, BW_EV_shl, BW_U_SHIFT, BW_A_SHL);
        return true;
    }
    if (!right || !upper || (wide && !ins->is_signed && ins->s[0] != zero))
        return false;
    ins->s[0] = ins->s[2];
    bw_alu(d, ins->is_signed ? BW_EV_sar : BW_EV_shr, BW_U_SHIFT, BW_A_NONE);
    return true;
}

/* SHF d, low, count, high. */
void bw_decode_shf(bw_decoder *d)
{
    bw_ins *ins = d->ins;
    bool right = bw_has(d, "R"), upper = bw_has(d, "HI");
    bool wide = bw_has(d, "U64") || bw_has(d, "S64");
    if (right == bw_has(d, "L"))
        d->why = "its direction is not understood";
    bw_take_result(d, 1);
    bw_take_source(d, 0, 1, BW_BITS);
    const bw_operand *count = bw_stmt_peek(d);
    bw_take_source(d, 1, 1, BW_BITS);
    bw_take_source(d, 2, 1, BW_BITS);
    bw_no_more(d);
    if (ins->xor_mask[0] | ins->xor_mask[1] | ins->xor_mask[2])
        d->why = "a complement that is not understood";
    ins->is_signed = bw_has(d, "S32") || bw_has(d, "S64");
    ins->wide64 = wide;
    ins->mode = (uint8_t)((right ? 1 : 0) | (bw_has(d, "W") ? 2 : 0) | (upper ? 4 : 0));
    if (!d->why && simple_shift(d, count, right, upper, wide))
        return;
    bw_alu(d, BW_EV_shf, BW_U_SHIFT, BW_A_NONE);
}

bool bw_take_compare(bw_decoder *d)
{
    static const struct {
        const char *name;
        bw_compare compare;
        bool unordered;
    } names[] = {
        {"LT", BW_LT, false},   {"EQ", BW_EQ, false},   {"LE", BW_LE, false},
        {"GT", BW_GT, false},   {"NE", BW_NE, false},   {"GE", BW_GE, false},
        {"LTU", BW_LT, true},   {"EQU", BW_EQ, true},   {"LEU", BW_LE, true},
        {"GTU", BW_GT, true},   {"NEU", BW_NE, true},   {"GEU", BW_GE, true},
        {"NUM", BW_NUM, false}, {"NAN", BW_NAN, false}, {"T", BW_TRUE, false},
        {"F", BW_FALSE, false},
    };
    bw_word first = d->stmt->modifier_count ? d->stmt->modifiers[0] : (bw_word){"", 0};
    d->ins->mode = 0;
    d->ins->combine = bw_has(d, "OR") ? BW_OR : bw_has(d, "XOR") ? BW_XOR : BW_AND;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (bw_word_is(first, names[i].name)) {
            d->ins->compare = (uint8_t)names[i].compare;
            d->ins->mode = names[i].unordered ? 8 : 0;
            return true;
        }
    for (unsigned k = 0; k < d->stmt->modifier_count; k++) /* FSET.BF.GT.AND */
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (bw_word_is(d->stmt->modifiers[k], names[i].name)) {
                d->ins->compare = (uint8_t)names[i].compare;
                d->ins->mode = names[i].unordered ? 8 : 0;
                return true;
            }
    d->why = "its comparison is not understood";
    return false;
}

static void take_set_predicate(bw_decoder *d, unsigned width, bw_number kind, unsigned most_in)
{
    bw_take_compare(d);
    bw_take_pred_results(d);
    bw_take_source(d, 0, width, kind);
    bw_take_source(d, 1, width, kind);
    bw_take_pred_sources(d);
    bw_no_more(d);
    if (d->ins->out_count == 0 || d->ins->in_count == 0 || d->ins->in_count > most_in)
        d->why = "its predicates are not understood";
}

void bw_decode_isetp(bw_decoder *d)
{
    bool wide = bw_has(d, "U64") || bw_has(d, "S64");
    take_set_predicate(d, wide ? 2 : 1, BW_INTEGER, 2);
    bw_ins *ins = d->ins;
    ins->is_signed = !bw_has(d, "U32") && !bw_has(d, "U64");
    ins->extended = bw_has(d, "EX");
    if (ins->extended != (ins->in_count == 2) || (wide && ins->extended) || (wide && ins->add))
        d->why = "its predicates are not understood";
    const bw_operand *o = &d->stmt->operands[ins->out_count];
    ins->add = (o[0].neg ? 1u : 0) | (o[1].neg ? 2u : 0);
    bw_alu(d, wide ? BW_EV_isetp64 : BW_EV_isetp, wide || ins->extended ? BW_U_ALL : BW_U_COMPARE,
           wide || ins->extended ? BW_A_NONE : BW_A_COMPARE);
}

void bw_decode_fsetp(bw_decoder *d)
{
    take_set_predicate(d, 1, BW_FLOAT32, 1);
    d->ins->ftz = bw_has(d, "FTZ");
    bw_alu(d, BW_EV_fsetp, BW_U_ALL, BW_A_NONE);
}

void bw_decode_fset(bw_decoder *d)
{
    bw_take_compare(d);
    bool one = bw_has(d, "BF");
    bw_take_result(d, 1);
    bw_take_source(d, 0, 1, BW_FLOAT32);
    bw_take_source(d, 1, 1, BW_FLOAT32);
    bw_take_pred_sources(d);
    bw_no_more(d);
    d->ins->mode = (uint8_t)(d->ins->mode | (one ? 1 : 0));
    d->ins->ftz = bw_has(d, "FTZ");
    if (d->ins->in_count != 1)
        d->why = "its predicates are not understood";
    bw_alu(d, BW_EV_fset, BW_U_ALL, BW_A_NONE);
}

void bw_decode_dsetp(bw_decoder *d)
{
    bool least = bw_has(d, "MIN");
    if (least || bw_has(d, "MAX")) { /* which of the two, and whether both are no numbers */
        bw_take_pred_results(d);
        bw_take_source(d, 0, 2, BW_FLOAT64);
        bw_take_source(d, 1, 2, BW_FLOAT64);
        bw_take_pred_sources(d);
        bw_no_more(d);
        if (d->ins->in_count != 1 || d->ins->in[0] != BW_PT || d->ins->in_inv[0] ||
            !bw_has(d, "AND"))
            d->why = "its predicates are not understood";
        d->ins->mode = least;
        bw_alu(d, BW_EV_dsetp_mnmx, BW_U_ALL, BW_A_NONE);
        return;
    }
    take_set_predicate(d, 2, BW_FLOAT64, 1);
    bw_alu(d, BW_EV_dsetp, BW_U_ALL, BW_A_NONE);
}

void bw_decode_sel(bw_decoder *d)
{
    unsigned width = bw_has(d, "64") ? 2 : 1;
    bw_take_result(d, width);
    bw_take_source(d, 0, width, BW_BITS);
    bw_take_source(d, 1, width, BW_BITS);
    bw_take_pred_sources(d);
    bw_no_more(d);
    if (d->ins->in_count != 1 || (width == 2 && (d->ins->xor_mask[0] | d->ins->xor_mask[1])))
        d->why = "its predicates are not understood";
    bw_alu(d, width == 2 ? BW_EV_sel64 : BW_EV_sel, width == 2 ? BW_U_ALL : BW_U_SEL, BW_A_NONE);
}

void bw_decode_fsel(bw_decoder *d)
{
    bw_take_result(d, 1);
    bw_take_source(d, 0, 1, BW_FLOAT32);
    bw_take_source(d, 1, 1, BW_FLOAT32);
    bw_take_pred_sources(d);
    bw_no_more(d);
    d->ins->ftz = bw_has(d, "FTZ");
    if (d->ins->in_count != 1)
        d->why = "its predicates are not understood";
    bw_alu(d, BW_EV_fsel, BW_U_ALL, BW_A_NONE);
}

void bw_decode_prmt(bw_decoder *d)
{
    static const char *const modes[] = {
        [BW_PRMT_F4E] = "F4E", [BW_PRMT_B4E] = "B4E", [BW_PRMT_RC8] = "RC8",
        [BW_PRMT_ECL] = "ECL", [BW_PRMT_ECR] = "ECR", [BW_PRMT_RC16] = "RC16"};
    _Static_assert(sizeof modes / sizeof *modes == BW_PRMT_MODES, "a name for each mode");
    bw_take_result(d, 1);
    for (unsigned n = 0; n < 3; n++)
        bw_take_source(d, n, 1, BW_BITS);
    bw_no_more(d);
    if (d->ins->xor_mask[0] | d->ins->xor_mask[1] | d->ins->xor_mask[2])
        d->why = "a complement that is not understood";
    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++)
        if (bw_has(d, modes[m])) {
            d->ins->mode = (uint8_t)m;
            bw_alu(d, BW_EV_prmt_mode, BW_U_PRMT, BW_A_NONE);
            return;
        }
    bw_alu(d, BW_EV_prmt, BW_U_PRMT, BW_A_NONE);
}

/* The mode of the opcode is the evaluator. */
void bw_decode_unary(bw_decoder *d)
{
    int evaluator = d->ins->mode;
    bw_take_result(d, 1);
    bw_take_source(d, 0, 1, BW_BITS);
    bw_no_more(d);
    if (evaluator == BW_EV_iabs && d->ins->xor_mask[0])
        d->why = "a complement that is not understood";
    bw_alu(d, evaluator, BW_U_ALL, BW_A_NONE);
}

void bw_decode_flo(bw_decoder *d)
{
    bw_take_result(d, 1);
    bw_take_pred_results(d);
    bw_take_source(d, 0, 1, BW_BITS);
    bw_no_more(d);
    d->ins->is_signed = !bw_has(d, "U32");
    d->ins->mode = bw_has(d, "SH");
    bw_alu(d, BW_EV_flo, BW_U_ALL, BW_A_NONE);
}

static void take_pair(bw_decoder *d)
{
    bw_take_result(d, 1);
    bw_take_source(d, 0, 1, BW_BITS);
    bw_take_source(d, 1, 1, BW_BITS);
    bw_no_more(d);
    if (d->ins->xor_mask[0] | d->ins->xor_mask[1])
        d->why = "a complement that is not understood";
}

void bw_decode_bmsk(bw_decoder *d)
{
    take_pair(d);
    d->ins->mode = bw_has(d, "W");
    bw_alu(d, BW_EV_bmsk, BW_U_ALL, BW_A_NONE);
}

void bw_decode_sgxt(bw_decoder *d)
{
    take_pair(d);
    d->ins->is_signed = !bw_has(d, "U32");
    d->ins->mode = bw_has(d, "W");
    bw_alu(d, BW_EV_sgxt, BW_U_ALL, BW_A_NONE);
}

/* ---- predicates ---- */

static uint8_t pred_slot(const bw_operand *o)
{
    return (uint8_t)((o->kind == BW_OPERAND_UPRED ? 8 : 0) + (o->reg == BW_RZ ? 7 : o->reg));
}

/* A source of a PLOP3: a predicate, or the sign of a register (bit n of mode). */
static void take_plop3_source(bw_decoder *d, unsigned n)
{
    bw_ins *ins = d->ins;
    const bw_operand *o = bw_stmt_peek(d);
    if (bw_is_pred(o)) {
        bw_next(d);
        ins->in[n] = pred_slot(o);
        ins->in_inv[n] = o->inv;
    } else if (bw_take_suffix(d, BW_SUFFIX_SIGN)) {
        ins->in[n] = BW_PT;
        ins->mode |= (uint8_t)(1u << n);
        bw_take_source(d, n, 1, BW_BITS);
    } else {
        d->why = "its operands are not understood";
    }
}

/* PLOP3.LUT p, q, a, b, c, table of p, table of q. */
void bw_decode_plop3(bw_decoder *d)
{
    bw_ins *ins = d->ins;
    uint64_t tables[2] = {0, 0};
    ins->x = BW_X_PLOP3;
    ins->mode = 0;
    for (unsigned k = 0; k < 2; k++) {
        const bw_operand *o = bw_next(d);
        if (!bw_is_pred(o) || o->inv)
            d->why = "its operands are not understood";
        else
            ins->out[k] = pred_slot(o);
    }
    for (unsigned n = 0; n < 3; n++)
        take_plop3_source(d, n);
    for (unsigned k = 0; k < 2; k++)
        if (!d->why)
            bw_immediate(d, bw_next(d), &tables[k]);
    bw_no_more(d);
    ins->out_count = 2;
    ins->in_count = 3;
    ins->lut = (uint8_t)tables[0];
    ins->lut2 = (uint8_t)tables[1];
}

static uint8_t byte_shift(const bw_decoder *d)
{
    return bw_has(d, "B3") ? 24 : bw_has(d, "B2") ? 16 : bw_has(d, "B1") ? 8 : 0;
}

/* P2R d, PR, a, mask: predicates of the mask to bits, the others from a. */
void bw_decode_p2r(bw_decoder *d)
{
    bool uniform = d->ins->mode == 1;
    uint64_t mask = 0;
    bw_take_result(d, 1);
    if (!bw_word_is(bw_next(d)->text, uniform ? "UPR" : "PR"))
        d->why = "its operands are not understood";
    bw_take_source(d, 0, 1, BW_BITS);
    if (!d->why)
        bw_immediate(d, bw_next(d), &mask);
    bw_no_more(d);
    d->ins->x = BW_X_P2R;
    d->ins->lut = (uint8_t)(mask & 0x7f);
    d->ins->shift = byte_shift(d);
    if (mask > 0x7f)
        d->why = "its mask is not understood";
}

/* R2P PR, a, mask: bits of the mask to predicates. */
void bw_decode_r2p(bw_decoder *d)
{
    bool uniform = d->ins->mode == 1;
    uint64_t mask = 0;
    if (!bw_word_is(bw_next(d)->text, uniform ? "UPR" : "PR"))
        d->why = "its operands are not understood";
    uint32_t suffix = bw_take_suffix(d, BW_SUFFIX_B0 | BW_SUFFIX_B1 | BW_SUFFIX_B2 | BW_SUFFIX_B3);
    bw_take_source(d, 0, 1, BW_BITS);
    if (!d->why)
        bw_immediate(d, bw_next(d), &mask);
    bw_no_more(d);
    d->ins->x = BW_X_R2P;
    d->ins->lut = (uint8_t)(mask & 0x7f);
    d->ins->shift = suffix & BW_SUFFIX_B3   ? 24
                    : suffix & BW_SUFFIX_B2 ? 16
                    : suffix & BW_SUFFIX_B1 ? 8
                                            : byte_shift(d);
    if (mask > 0x7f)
        d->why = "its mask is not understood";
}

/* ---- across the warp ---- */

void bw_decode_shfl(bw_decoder *d)
{
    static const char *const modes[] = {[BW_SHFL_IDX] = "IDX",
                                        [BW_SHFL_UP] = "UP",
                                        [BW_SHFL_DOWN] = "DOWN",
                                        [BW_SHFL_BFLY] = "BFLY"};
    _Static_assert(sizeof modes / sizeof *modes == BW_SHFL_MODES, "a name for each mode");
    bw_take_pred_results(d);
    bw_take_result(d, 1);
    for (unsigned n = 0; n < 3; n++)
        bw_take_source(d, n, 1, BW_BITS);
    bw_no_more(d);
    d->ins->x = BW_X_SHFL;
    for (size_t m = 0; m < BW_SHFL_MODES; m++)
        if (bw_has(d, modes[m]))
            d->ins->mode = (uint8_t)m;
    if (d->stmt->modifier_count != 1)
        d->why = "its form is not understood";
}

/* VOTE.ANY d, p, q: d the mask of lanes, p the answer; either may be missing. */
void bw_decode_vote(bw_decoder *d)
{
    bw_ins *ins = d->ins;
    const bw_operand *o = bw_stmt_peek(d);
    ins->x = BW_X_VOTE;
    ins->mode = bw_has(d, "ALL") ? 1 : bw_has(d, "EQ") ? 2 : 0;
    if (o && (o->kind == BW_OPERAND_REG || o->kind == BW_OPERAND_UREG))
        bw_take_result(d, 1);
    unsigned preds = d->stmt->operand_count - d->at;
    if (preds == 2) {
        const bw_operand *result = bw_next(d);
        if (!bw_is_pred(result) || result->inv)
            d->why = "its operands are not understood";
        else
            ins->out[ins->out_count++] = (uint8_t)((result->kind == BW_OPERAND_UPRED ? 8 : 0) +
                                                   (result->reg == BW_RZ ? 7 : result->reg));
    }
    bw_take_pred_sources(d);
    bw_no_more(d);
    if (ins->in_count != 1)
        d->why = "its operands are not understood";
}

void bw_decode_match(bw_decoder *d)
{
    bw_take_pred_results(d);
    bw_take_result(d, 1);
    bw_take_source(d, 0, bw_has(d, "U64") ? 2 : 1, BW_BITS);
    bw_no_more(d);
    d->ins->x = BW_X_MATCH;
    d->ins->mode = bw_has(d, "ALL");
}

void bw_decode_redux(bw_decoder *d)
{
    static const struct {
        const char *name;
        bw_atom atom;
    } names[] = {{"SUM", BW_ATOM_ADD}, {"AND", BW_ATOM_AND}, {"OR", BW_ATOM_OR},
                 {"XOR", BW_ATOM_XOR}, {"MIN", BW_ATOM_MIN}, {"MAX", BW_ATOM_MAX}};
    bw_ins *ins = d->ins;
    bw_take_result(d, 1);
    bw_take_source(d, 0, 1, BW_BITS);
    bw_no_more(d);
    ins->x = BW_X_REDUX;
    ins->atom = BW_ATOM_AND; /* REDUX without a name is .AND */
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (bw_has(d, names[i].name))
            ins->atom = (uint8_t)names[i].atom;
    ins->is_signed = bw_has(d, "S32");
}

void bw_decode_r2ur(bw_decoder *d)
{
    bw_take_pred_results(d);
    bw_take_result(d, 1);
    bw_take_source(d, 0, 1, BW_BITS);
    bw_no_more(d);
    d->ins->x = BW_X_R2UR;
}

/* ELECT p, d: the first active lane. */
void bw_decode_elect(bw_decoder *d)
{
    bw_ins *ins = d->ins;
    bw_take_pred_results(d);
    const bw_operand *o = bw_stmt_peek(d);
    if (o && (o->kind == BW_OPERAND_REG || o->kind == BW_OPERAND_UREG))
        bw_take_result(d, 1);
    bw_take_pred_sources(d);
    bw_no_more(d);
    ins->x = BW_X_ELECT;
    if (ins->in_count && (ins->in[0] != BW_PT || ins->in_inv[0]))
        d->why = "its predicates are not understood";
    ins->in_count = 0;
}

/* MOVM.16.MT88 d, a: a matrix of eight by eight halves is turned. */
void bw_decode_movm(bw_decoder *d)
{
    bw_take_result(d, 1);
    bw_take_source(d, 0, 1, BW_BITS);
    bw_no_more(d);
    d->ins->x = BW_X_MOVM;
    if (!bw_has(d, "16") || !bw_has(d, "MT88") || d->ins->xor_mask[0])
        d->why = "its form is not understood";
}
