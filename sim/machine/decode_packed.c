/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decoding of minima and maxima, of several small integers in a word, and of what is cut to a
 * range.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "decode.h"
#include "lanes.h"

/* Bit n of `add`: source n has a minus. */
static void note_minus(bw_decoder *d, unsigned first, unsigned count)
{
    d->ins->add = 0;
    for (unsigned n = 0; n < count && first + n < d->stmt->operand_count; n++)
        d->ins->add |= (d->stmt->operands[first + n].neg ? 1u : 0) << n;
}

/* From sm_100 on predicates stand between result and sources; only PT is understood there. */
static void skip_true_results(bw_decoder *d)
{
    while (bw_is_pred(bw_stmt_peek(d))) {
        const bw_operand *o = bw_next(d);
        if (o->reg != BW_RZ || o->inv)
            d->why = "its second result is not understood";
    }
}

/* The bits of each number, and whether they are signed. */
static void take_parts(bw_decoder *d)
{
    bool halves = bw_has(d, "U16x2") || bw_has(d, "S16x2") || bw_has(d, "16x2");
    bool bytes = bw_has(d, "U8x4") || bw_has(d, "S8x4") || bw_has(d, "8x4");
    d->ins->part = halves ? 16 : bytes ? 8 : 32;
    d->ins->is_signed = !bw_has(d, "U32") && !bw_has(d, "U16x2") && !bw_has(d, "U8x4");
}

static void take_sources(bw_decoder *d, unsigned sources)
{
    unsigned first = d->at;
    for (unsigned n = 0; n < sources; n++)
        bw_take_source(d, n, 1, BW_INTEGER);
    note_minus(d, first, sources);
}

static void take_minmax(bw_decoder *d, unsigned sources)
{
    take_parts(d);
    bw_take_result(d, 1);
    skip_true_results(d);
    take_sources(d, sources);
    bw_take_pred_sources(d);
    bw_no_more(d);
    d->ins->mode = bw_has(d, "RELU") ? BW_MNMX_RELU : 0;
    if (d->ins->in_count != 1)
        d->why = "its predicates are not understood";
    if (d->ins->mode && !d->ins->is_signed)
        d->why = "its form is not understood";
}

/* IMNMX.S64 PT, PT, d, a, b, p, !PT */
static void take_minmax64(bw_decoder *d)
{
    bw_ins *ins = d->ins;
    ins->is_signed = bw_has(d, "S64");
    skip_true_results(d);
    bw_take_result(d, 2);
    bw_take_source(d, 0, 2, BW_BITS);
    bw_take_source(d, 1, 2, BW_BITS);
    bw_take_pred_sources(d);
    bw_no_more(d);
    if (ins->in_count != 2 || ins->in[1] != BW_PT || !ins->in_inv[1])
        d->why = "its predicates are not understood";
    if (ins->xor_mask[0] | ins->xor_mask[1])
        d->why = "a complement that is not understood";
    ins->in_count = 1;
    bw_alu(d, BW_EV_imnmx64, BW_U_ALL, BW_A_NONE);
}

void bw_decode_minmax(bw_decoder *d)
{
    if (bw_has(d, "S64") || bw_has(d, "U64")) {
        take_minmax64(d);
        return;
    }
    take_minmax(d, 2);
    bool plain = d->ins->part == 32 && !d->ins->mode;
    bw_alu(d, plain ? BW_EV_imnmx : BW_EV_vmnmx, BW_U_ALL, BW_A_NONE);
}

void bw_decode_addminmax(bw_decoder *d)
{
    take_minmax(d, 3);
    d->ins->mode |= BW_MNMX_ADD;
    bw_alu(d, BW_EV_vmnmx, BW_U_ALL, BW_A_NONE);
}

void bw_decode_minmax3(bw_decoder *d)
{
    take_minmax(d, 3);
    bw_alu(d, BW_EV_vmnmx, BW_U_ALL, BW_A_NONE);
}

/* VIADD with parts, or cut to a range. */
void bw_decode_vadd(bw_decoder *d)
{
    bool cut = bw_has(d, "ISAT");
    take_parts(d);
    bw_take_result(d, 1);
    take_sources(d, 2);
    bw_no_more(d);
    if (cut && (d->ins->part != 32 || !d->ins->is_signed))
        d->why = "its form is not understood";
    bw_alu(d, cut ? BW_EV_iadd_sat : BW_EV_vadd, BW_U_ALL, BW_A_NONE);
}

static void take_plain(bw_decoder *d, unsigned sources)
{
    bw_take_result(d, 1);
    for (unsigned n = 0; n < sources; n++) {
        bw_take_source(d, n, 1, BW_BITS);
        if (d->ins->xor_mask[n])
            d->why = "a complement that is not understood";
    }
    bw_no_more(d);
}

void bw_decode_absdiff(bw_decoder *d)
{
    take_plain(d, 3);
    d->ins->is_signed = !bw_has(d, "U32");
    bw_alu(d, BW_EV_vabsdiff, BW_U_ALL, BW_A_NONE);
}

/* Without .ACC only c = RZ is understood. */
void bw_decode_absdiff4(bw_decoder *d)
{
    take_plain(d, 3);
    d->ins->mode = bw_has(d, "ACC");
    if (!bw_has(d, "U8") || (!d->ins->mode && d->ins->s[2] != bw_zero_slot(d)))
        d->why = "its form is not understood";
    bw_alu(d, BW_EV_vabsdiff4, BW_U_ALL, BW_A_NONE);
}

/* IDP.4A.S8.U8, IDP.2A.LO.S16.U8: the types of a and b, in this order. */
void bw_decode_idp(bw_decoder *d)
{
    const bw_stmt *s = d->stmt;
    bool two = bw_has(d, "2A"), upper = bw_has(d, "HI");
    if (s->modifier_count != (two ? 4 : 3) || !bw_word_is(s->modifiers[0], two ? "2A" : "4A") ||
        (two && upper == bw_has(d, "LO")))
        d->why = "its form is not understood";
    bw_take_result(d, 1);
    for (unsigned n = 0; n < 3; n++)
        bw_take_source(d, n, 1, BW_BITS);
    bw_no_more(d);
    if (!d->why) {
        bw_word a = s->modifiers[s->modifier_count - 2], b = s->modifiers[s->modifier_count - 1];
        bool wide = bw_word_is(a, "S16") || bw_word_is(a, "U16");
        d->ins->mode =
            (uint8_t)((a.text[0] == 'S' ? 1 : 0) | (bw_word_is(b, "S8") ? 2 : 0) | (upper ? 4 : 0));
        if (wide != two)
            d->why = "its form is not understood";
    }
    bw_alu(d, two ? BW_EV_idp2a : BW_EV_idp4a, BW_U_ALL, BW_A_NONE);
}

/* The type that a signed word is cut to. */
static void take_cut(bw_decoder *d)
{
    bw_word to = d->stmt->modifier_count ? d->stmt->modifiers[0] : (bw_word){"", 0};
    d->ins->is_signed = to.len && to.text[0] == 'S';
    d->ins->part = bw_word_is(to, "S8") || bw_word_is(to, "U8") ? 8 : 16;
    if (d->stmt->modifier_count != 3 || !bw_word_is(d->stmt->modifiers[1], "S32") ||
        !bw_has(d, "SAT"))
        d->why = "its form is not understood";
}

void bw_decode_i2i(bw_decoder *d)
{
    take_cut(d);
    take_plain(d, 1);
    bw_alu(d, BW_EV_i2i_sat, BW_U_ALL, BW_A_NONE);
}

void bw_decode_i2ip(bw_decoder *d)
{
    take_cut(d);
    take_plain(d, 3);
    bw_alu(d, BW_EV_i2ip_sat, BW_U_ALL, BW_A_NONE);
}
