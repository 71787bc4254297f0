/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decoding of floats, doubles, halves and conversions.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "decode.h"
#include "lanes.h"

static void take_rounding(bw_decoder *d)
{
    d->ins->round = bw_has(d, "RM")   ? BW_RM
                    : bw_has(d, "RP") ? BW_RP
                    : bw_has(d, "RZ") ? BW_RZ_MODE
                                      : BW_RN;
    d->ins->ftz = bw_has(d, "FTZ");
    d->ins->sat = bw_has(d, "SAT");
}

/* To whole numbers: nearest unless it says otherwise. */
static void take_whole_rounding(bw_decoder *d)
{
    d->ins->round = bw_has(d, "FLOOR")   ? BW_RM
                    : bw_has(d, "CEIL")  ? BW_RP
                    : bw_has(d, "TRUNC") ? BW_RZ_MODE
                                         : BW_RN;
    d->ins->ftz = bw_has(d, "FTZ");
}

/* The mode of the opcode is the evaluator. */
void bw_decode_fadd(bw_decoder *d)
{
    int evaluator = d->ins->mode;
    bw_take_result(d, 1);
    bw_take_source(d, 0, 1, BW_FLOAT32);
    bw_take_source(d, 1, 1, BW_FLOAT32);
    bw_no_more(d);
    take_rounding(d);
    bw_alu(d, evaluator, BW_U_ALL, BW_A_NONE);
}

void bw_decode_ffma(bw_decoder *d)
{
    bw_take_result(d, 1);
    for (unsigned n = 0; n < 3; n++)
        bw_take_source(d, n, 1, BW_FLOAT32);
    bw_no_more(d);
    take_rounding(d);
    bw_alu(d, BW_EV_ffma, BW_U_ALL, BW_A_NONE);
}

/* mode 1: of three. */
void bw_decode_fminmax(bw_decoder *d)
{
    bool three = d->ins->mode == 1;
    bw_take_result(d, 1);
    for (unsigned n = 0; n < (three ? 3u : 2u); n++)
        bw_take_source(d, n, 1, BW_FLOAT32);
    bw_take_pred_sources(d);
    bw_no_more(d);
    take_rounding(d);
    d->ins->mode = bw_has(d, "NAN");
    if (d->ins->in_count != 1)
        d->why = "its predicates are not understood";
    bw_alu(d, three ? BW_EV_fmnmx3 : BW_EV_fmnmx, BW_U_ALL, BW_A_NONE);
}

/* FFMA2 d, a.F32x2.HI_LO, b.F32x2.LO_HI, c: pairs of registers; the mode is the operation. */
void bw_decode_f32x2(bw_decoder *d)
{
    bw_ins *ins = d->ins;
    const uint32_t pairs = BW_SUFFIX_F32X2 | BW_SUFFIX_HI_LO | BW_SUFFIX_LO_HI;
    bw_take_result(d, 2);
    for (unsigned n = 0; n < (ins->mode == BW_F32X2_FMA ? 3u : 2u); n++) {
        const bw_operand *o = bw_stmt_peek(d);
        bool is_register = o && (o->kind == BW_OPERAND_REG || o->kind == BW_OPERAND_UREG);
        uint32_t suffix = bw_take_suffix(d, pairs);
        bw_take_source(d, n, 2, BW_FLOAT32);
        if (!is_register || !(suffix & BW_SUFFIX_F32X2) ||
            !(suffix & (BW_SUFFIX_HI_LO | BW_SUFFIX_LO_HI)))
            d->why = "a source is not understood";
        ins->shift = (uint8_t)(ins->shift | (suffix & BW_SUFFIX_LO_HI ? 1u << n : 0));
    }
    bw_no_more(d);
    take_rounding(d);
    bw_alu(d, BW_EV_f32x2, BW_U_ALL, BW_A_NONE);
}

void bw_decode_fchk(bw_decoder *d)
{
    bw_take_pred_results(d);
    bw_take_source(d, 0, 1, BW_FLOAT32);
    bw_take_source(d, 1, 1, BW_FLOAT32);
    bw_no_more(d);
    if (d->ins->out_count != 1)
        d->why = "its predicates are not understood";
    bw_alu(d, BW_EV_fchk, BW_U_ALL, BW_A_NONE);
}

void bw_decode_mufu(bw_decoder *d)
{
    static const char *const names[] = {
        [BW_MUFU_RCP] = "RCP", [BW_MUFU_RSQ] = "RSQ",  [BW_MUFU_SQRT] = "SQRT",
        [BW_MUFU_LG2] = "LG2", [BW_MUFU_EX2] = "EX2",  [BW_MUFU_SIN] = "SIN",
        [BW_MUFU_COS] = "COS", [BW_MUFU_TANH] = "TANH"};
    _Static_assert(sizeof names / sizeof *names == BW_MUFU_MODES, "a name for each mode");
    bool reciprocal = bw_has(d, "RCP64H"), root = bw_has(d, "RSQ64H");
    bw_take_result(d, 1);
    bw_take_source(d, 0, 1, BW_FLOAT32);
    bw_no_more(d);
    d->ins->mode = UINT8_MAX;
    for (size_t m = 0; m < sizeof names / sizeof *names; m++)
        if (bw_has(d, names[m]))
            d->ins->mode = (uint8_t)m;
    if (d->ins->mode == UINT8_MAX && !reciprocal && !root)
        d->why = "its function is not understood";
    /* Integer division's fix-up hides the last bit of a reciprocal, and Newton's steps that of the
     * doubles'. */
    d->ins->approximate = d->ins->mode != BW_MUFU_RCP && !reciprocal && !root;
    bw_alu(d, reciprocal ? BW_EV_rcp64h : root ? BW_EV_rsq64h : BW_EV_mufu, BW_U_ALL, BW_A_NONE);
}

void bw_decode_frnd(bw_decoder *d)
{
    unsigned width = bw_has(d, "F64") ? 2 : 1;
    bool half = bw_has(d, "F16");
    bw_take_result(d, width);
    bw_take_source(d, 0, width, width == 2 ? BW_FLOAT64 : BW_FLOAT32);
    bw_no_more(d);
    take_whole_rounding(d);
    d->ins->wide64 = width == 2;
    if (half && d->ins->ftz)
        d->why = "its form is not understood";
    bw_alu(d, half ? BW_EV_frnd_half : BW_EV_frnd, BW_U_ALL, BW_A_NONE);
}

/* The part of a register that a suffix names, taken off so that the source can be read. */
static void take_part(bw_decoder *d)
{
    uint32_t suffix = bw_take_suffix(d, BW_SUFFIX_B0 | BW_SUFFIX_B1 | BW_SUFFIX_B2 | BW_SUFFIX_B3 |
                                            BW_SUFFIX_H0 | BW_SUFFIX_H1);
    d->ins->shift = suffix & BW_SUFFIX_B3                    ? 24
                    : suffix & (BW_SUFFIX_B2 | BW_SUFFIX_H1) ? 16
                    : suffix & BW_SUFFIX_B1                  ? 8
                                                             : 0;
}

static uint8_t part_bits(const bw_decoder *d)
{
    if (bw_has(d, "U8") || bw_has(d, "S8"))
        return 8;
    return bw_has(d, "U16") || bw_has(d, "S16") ? 16 : 0;
}

void bw_decode_i2f(bw_decoder *d)
{
    bool wide_source = bw_has(d, "U64") || bw_has(d, "S64"), wide_result = bw_has(d, "F64");
    bw_take_result(d, wide_result ? 2 : 1);
    take_part(d);
    bw_take_source(d, 0, wide_source ? 2 : 1, BW_INTEGER);
    bw_no_more(d);
    take_rounding(d);
    d->ins->mode = part_bits(d);
    d->ins->is_signed =
        !(bw_has(d, "U8") || bw_has(d, "U16") || bw_has(d, "U32") || bw_has(d, "U64"));
    if (d->ins->xor_mask[0] || (d->ins->shift && !d->ins->mode))
        d->why = "its source is not understood";
    bool half = bw_has(d, "F16");
    if (half && (wide_source || wide_result))
        d->why = "its types are not understood";
    bw_alu(d, half ? BW_EV_i2f_half : wide_result ? BW_EV_i2f64 : BW_EV_i2f, BW_U_ALL, BW_A_NONE);
}

void bw_decode_f2i(bw_decoder *d)
{
    bool wide_source = bw_has(d, "F64"), wide_result = bw_has(d, "U64") || bw_has(d, "S64");
    bw_take_result(d, wide_result ? 2 : 1);
    bw_take_source(d, 0, wide_source ? 2 : 1, wide_source ? BW_FLOAT64 : BW_FLOAT32);
    bw_no_more(d);
    take_whole_rounding(d);
    d->ins->mode = part_bits(d);
    d->ins->is_signed =
        !(bw_has(d, "U8") || bw_has(d, "U16") || bw_has(d, "U32") || bw_has(d, "U64"));
    bool half = bw_has(d, "F16");
    if (half && (wide_source || d->ins->ftz))
        d->why = "its types are not understood";
    bw_alu(d,
           half          ? (wide_result ? BW_EV_f2i_64_half : BW_EV_f2i_half)
           : wide_result ? BW_EV_f2i_64
                         : BW_EV_f2i,
           BW_U_ALL, BW_A_NONE);
}

/* F2IP.U8.F32 d, RZ, a, RZ: the one form that is understood is a conversion of a alone. */
void bw_decode_f2ip(bw_decoder *d)
{
    bw_ins *ins = d->ins;
    bw_take_result(d, 1);
    for (unsigned n = 0; n < 3; n++)
        bw_take_source(d, n, 1, BW_FLOAT32);
    bw_no_more(d);
    take_whole_rounding(d);
    ins->mode = part_bits(d);
    ins->is_signed = bw_has(d, "S8");
    if (ins->mode != 8 || ins->is_signed || ins->s[0] != bw_zero_slot(d) ||
        ins->s[2] != bw_zero_slot(d))
        d->why = "its form is not understood";
    ins->s[0] = ins->s[1];
    ins->and_mask[0] = ins->and_mask[1];
    ins->xor_mask[0] = ins->xor_mask[1];
    ins->source_count = 1;
    bw_alu(d, BW_EV_f2i, BW_U_ALL, BW_A_NONE);
}

/* F2F.to.from. */
void bw_decode_f2f(bw_decoder *d)
{
    const bw_stmt *s = d->stmt;
    unsigned at = 0;
    while (at < s->modifier_count && !bw_word_is(s->modifiers[at], "F64") &&
           !bw_word_is(s->modifiers[at], "F32") && !bw_word_is(s->modifiers[at], "F16") &&
           !bw_word_is(s->modifiers[at], "BF16"))
        at++;
    if (at + 1 >= s->modifier_count) {
        d->why = "its types are not understood";
        return;
    }
    bw_word to = s->modifiers[at], from = s->modifiers[at + 1];
    bool widen = bw_word_is(to, "F64") && bw_word_is(from, "F32");
    bool narrow = bw_word_is(to, "F32") && bw_word_is(from, "F64");
    bool half = (bw_word_is(to, "F16") || bw_word_is(to, "BF16")) && bw_word_is(from, "F32");
    bool half64 = bw_word_is(to, "F16") && bw_word_is(from, "F64");
    if (!widen && !narrow && !half && !half64)
        d->why = "its types are not understood";
    narrow = narrow || half64;
    bw_take_result(d, widen ? 2 : 1);
    bw_take_source(d, 0, narrow ? 2 : 1, narrow ? BW_FLOAT64 : BW_FLOAT32);
    bw_no_more(d);
    take_rounding(d);
    d->ins->mode = bw_word_is(to, "BF16");
    bool odd = d->ins->mode && d->ins->round != BW_RN && d->ins->round != BW_RZ_MODE;
    if ((half || half64) && (odd || d->ins->ftz))
        d->why = "its rounding is not modelled";
    bw_alu(d,
           widen    ? BW_EV_f2f_widen
           : half64 ? BW_EV_f2f_half64
           : narrow ? BW_EV_f2f_narrow
                    : BW_EV_f2f_half,
           BW_U_ALL, BW_A_NONE);
}

/* To halves where it does not say to what. */
void bw_decode_f2fp(bw_decoder *d)
{
    if (!bw_has(d, "PACK_AB") || (bw_has(d, "F16") && bw_has(d, "BF16")))
        d->why = "its form is not understood";
    bw_take_result(d, 1);
    bw_take_source(d, 0, 1, BW_FLOAT32);
    bw_take_source(d, 1, 1, BW_FLOAT32);
    bw_no_more(d);
    d->ins->mode = bw_has(d, "BF16");
    bw_alu(d, BW_EV_f2fp, BW_U_ALL, BW_A_NONE);
}

void bw_decode_dadd(bw_decoder *d)
{
    int evaluator = d->ins->mode;
    bw_take_result(d, 2);
    bw_take_source(d, 0, 2, BW_FLOAT64);
    bw_take_source(d, 1, 2, BW_FLOAT64);
    bw_no_more(d);
    take_rounding(d);
    bw_alu(d, evaluator, BW_U_ALL, BW_A_NONE);
}

void bw_decode_dfma(bw_decoder *d)
{
    bw_take_result(d, 2);
    for (unsigned n = 0; n < 3; n++)
        bw_take_source(d, n, 2, BW_FLOAT64);
    bw_no_more(d);
    take_rounding(d);
    bw_alu(d, BW_EV_dfma, BW_U_ALL, BW_A_NONE);
}

/* ---- halves ---- */

/* A number below 2^16 that a half holds exactly, as nvdisasm prints it; false where it is none. */
static bool half_number(const bw_operand *o, uint32_t *bits)
{
    if (o->kind == BW_OPERAND_IMM && o->imm <= 0xffff) {
        *bits = (uint32_t)o->imm;
        return true;
    }
    if (o->kind == BW_OPERAND_REG && o->reg == BW_RZ) {
        *bits = 0;
        return true;
    }
    if (o->kind != BW_OPERAND_FLOAT)
        return false;
    if (o->nan) {
        *bits = 0x7fff;
        return true;
    }
    double x = o->number < 0 ? -o->number : o->number;
    uint32_t sign = o->number < 0 || (o->number == 0 && o->text.text[0] == '-') ? 0x8000 : 0;
    if (x > 65504) {
        *bits = sign | 0x7c00;
        return true;
    }
    uint32_t exponent = 0, scaled;
    double unit = 0x1p-24; /* of halves below the normal ones, and of the first normal exponent */
    for (exponent = 0; x >= 2048 * unit && exponent < 30; exponent++)
        unit *= 2;
    scaled = (uint32_t)(x / unit);
    if ((double)scaled * unit != x)
        return false;
    *bits = sign | (scaled < 1024 ? scaled : ((exponent + 1) << 10) + scaled - 1024);
    return true;
}

static void take_half_source(bw_decoder *d, unsigned n)
{
    const bw_operand *o = bw_stmt_peek(d);
    unsigned selector = 0;
    uint32_t high, low;
    if (o && d->at + 1 < d->stmt->operand_count &&
        (o->kind == BW_OPERAND_FLOAT || o->kind == BW_OPERAND_IMM)) {
        /* Two numbers make one source, the upper half first. */
        if (!half_number(bw_next(d), &high) || !half_number(bw_next(d), &low)) {
            d->why = "a number that is no half";
            return;
        }
        d->ins->source_count = (uint8_t)(n + 1);
        d->ins->s[n] = bw_constant_slot(d, high << 16 | low, 1);
        return;
    }
    if (o && o->suffix & BW_SUFFIX_H0)
        selector = 1;
    if (o && o->suffix & BW_SUFFIX_H1)
        selector = 2;
    bw_take_source(d, n, 1, BW_HALVES);
    d->ins->shift = (uint8_t)(d->ins->shift | selector << (2 * n));
}

/* The mode of the opcode is the evaluator. -RZ, RZ and two numbers: a constant. */
void bw_decode_half(bw_decoder *d)
{
    int evaluator = d->ins->mode;
    unsigned sources = evaluator == BW_EV_hfma2 ? 3 : 2;
    bool to_float = bw_has(d, "F32");
    bw_take_result(d, 1);
    for (unsigned n = 0; n < sources; n++)
        take_half_source(d, n);
    bw_no_more(d);
    take_rounding(d);
    if (to_float && evaluator != BW_EV_hadd2)
        d->why = "its form is not understood";
    bw_ins *ins = d->ins;
    uint16_t zero = bw_zero_slot(d);
    if (evaluator == BW_EV_hfma2 && ins->s[0] == zero && ins->s[1] == zero && !ins->xor_mask[2] &&
        !ins->ftz && !ins->sat) {
        ins->s[0] = ins->s[2];
        ins->xor_mask[0] = 0;
        ins->source_count = 1;
        bw_alu(d, BW_EV_mov, BW_U_MOV, BW_A_MOV);
        return;
    }
    bw_alu(d, to_float ? BW_EV_hadd2_f32 : evaluator, BW_U_ALL, BW_A_NONE);
}

static void take_half_pair(bw_decoder *d)
{
    take_half_source(d, 0);
    take_half_source(d, 1);
    bw_take_pred_sources(d);
    bw_no_more(d);
    d->ins->ftz = bw_has(d, "FTZ");
    if (d->ins->in_count != 1)
        d->why = "its predicates are not understood";
}

void bw_decode_hsetp(bw_decoder *d)
{
    bw_take_compare(d);
    bw_take_pred_results(d);
    take_half_pair(d);
    bw_alu(d, BW_EV_hsetp2, BW_U_ALL, BW_A_NONE);
}

void bw_decode_hset(bw_decoder *d)
{
    bw_take_compare(d);
    bw_take_result(d, 1);
    take_half_pair(d);
    d->ins->mode = (uint8_t)(d->ins->mode | (bw_has(d, "BF") ? 1 : 0));
    bw_alu(d, BW_EV_hset2, BW_U_ALL, BW_A_NONE);
}

void bw_decode_hminmax(bw_decoder *d)
{
    bw_take_result(d, 1);
    take_half_pair(d);
    d->ins->mode = bw_has(d, "NAN");
    bw_alu(d, BW_EV_hmnmx2, BW_U_ALL, BW_A_NONE);
}
