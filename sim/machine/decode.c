/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The frame of decoding: slots, operands, constants, and what becomes of what is not known.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "decode.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lanes.h"
#include "skip.h"

/* Registers after the highest that is named: a result may take several. */
#define SPARE_REGS 8
/* The accumulator of a wgmma takes up to 128. */
#define SPARE_REGS_MATRIX 130
#define WASTE 8

bool bw_has(const bw_decoder *d, const char *modifier)
{
    return bw_stmt_has(d->stmt, modifier);
}

const bw_operand *bw_stmt_peek(const bw_decoder *d)
{
    return d->at < d->stmt->operand_count ? &d->stmt->operands[d->at] : NULL;
}

const bw_operand *bw_next(bw_decoder *d)
{
    const bw_operand *operand = bw_stmt_peek(d);
    static const bw_operand none = {.kind = BW_OPERAND_OTHER, .reg = BW_RZ, .ureg = BW_RZ};
    if (!operand) {
        d->why = "an operand is missing";
        return &none;
    }
    d->at++;
    return operand;
}

bool bw_is_pred(const bw_operand *operand)
{
    return operand && (operand->kind == BW_OPERAND_PRED || operand->kind == BW_OPERAND_UPRED);
}

uint32_t bw_take_suffix(bw_decoder *d, uint32_t mask)
{
    if (d->at >= d->stmt->operand_count)
        return 0;
    bw_operand *o = &d->stmt->operands[d->at];
    uint32_t taken = o->suffix & mask;
    o->suffix &= ~mask;
    return taken;
}

void bw_no_more(bw_decoder *d)
{
    if (d->at < d->stmt->operand_count)
        d->why = "it has more operands than are known";
}

/* ---- slots ---- */

static bool is_register(const bw_operand *o)
{
    return o->kind == BW_OPERAND_REG || o->kind == BW_OPERAND_UREG;
}

static uint16_t register_slot(const bw_decoder *d, const bw_operand *o)
{
    return (uint16_t)(o->kind == BW_OPERAND_UREG ? bw_code_ureg(d->code, o->reg)
                                                 : (uint32_t)o->reg);
}

uint16_t bw_zero_slot(const bw_decoder *d)
{
    return (uint16_t)d->code->zero;
}

static bool same_entries(const bw_pool_entry *a, const bw_pool_entry *b, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (a[i].launch != b[i].launch || a[i].bank != b[i].bank || a[i].value != b[i].value)
            return false;
    return true;
}

/* The slots of `width` constants in a row. */
static uint16_t pool_slot(bw_decoder *d, const bw_pool_entry *entries, unsigned width)
{
    bw_code *code = d->code;
    uint32_t first = code->regs + code->uregs;
    for (size_t i = 0; i + width <= code->pool_count; i++)
        if (same_entries(&code->pool[i], entries, width))
            return (uint16_t)(first + i);
    if (first + code->pool_count + width + WASTE > UINT16_MAX) {
        d->why = "the kernel has too many constants";
        return (uint16_t)code->zero;
    }
    size_t at = code->pool_count;
    for (unsigned i = 0; i < width; i++) {
        BW_GROW(code->pool, code->pool_count, code->pool_capacity);
        code->pool[code->pool_count++] = entries[i];
    }
    return (uint16_t)(first + at);
}

uint16_t bw_constant_slot(bw_decoder *d, uint64_t value, unsigned width)
{
    bw_pool_entry entries[2] = {{.value = (uint32_t)value}, {.value = (uint32_t)(value >> 32)}};
    return pool_slot(d, entries, width);
}

static uint16_t launch_slot(bw_decoder *d, const bw_operand *o, unsigned width)
{
    bw_pool_entry entries[2];
    for (unsigned i = 0; i < 2; i++)
        entries[i] = (bw_pool_entry){
            .launch = true, .bank = (uint8_t)o->bank, .value = (uint32_t)o->offset + 4 * i};
    return pool_slot(d, entries, width);
}

/* ---- results ---- */

void bw_take_result(bw_decoder *d, unsigned width)
{
    const bw_operand *o = bw_next(d);
    if (!is_register(o) || o->neg || o->inv || o->abs) {
        d->why = "its result is no register";
        return;
    }
    if (o->suffix & ~(uint32_t)BW_SUFFIX_64)
        d->why = "the suffix of its result is not known";
    d->ins->width = (uint8_t)width;
    d->ins->d = o->reg == BW_RZ ? UINT16_MAX : register_slot(d, o); /* waste is placed at the end */
}

static uint8_t pred_slot(const bw_operand *o)
{
    int base = o->kind == BW_OPERAND_UPRED ? 8 : 0;
    return (uint8_t)(base + (o->reg == BW_RZ ? 7 : o->reg));
}

void bw_take_pred_results(bw_decoder *d)
{
    while (bw_is_pred(bw_stmt_peek(d))) {
        const bw_operand *o = bw_next(d);
        if (d->ins->out_count == 2 || o->inv) {
            d->why = "its predicates are not understood";
            return;
        }
        d->ins->out[d->ins->out_count++] = pred_slot(o);
    }
}

void bw_take_pred_sources(bw_decoder *d)
{
    while (bw_is_pred(bw_stmt_peek(d))) {
        const bw_operand *o = bw_next(d);
        if (d->ins->in_count == 3) {
            d->why = "its predicates are not understood";
            return;
        }
        d->ins->in[d->ins->in_count] = pred_slot(o);
        d->ins->in_inv[d->ins->in_count++] = o->inv;
    }
}

/* ---- sources ---- */

static uint64_t float_value(const bw_operand *o, bw_number kind)
{
    if (kind == BW_FLOAT64) {
        uint64_t bits;
        memcpy(&bits, &o->number, sizeof bits);
        return bits;
    }
    float f = (float)o->number;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return o->nan ? 0x7fffffff : bits;
}

bool bw_immediate(bw_decoder *d, const bw_operand *o, uint64_t *value)
{
    if (o->kind == BW_OPERAND_IMM)
        *value = o->imm;
    else if (o->kind == BW_OPERAND_REG && o->reg == BW_RZ)
        *value = 0;
    else
        d->why = "an operand that should be a number is none";
    return d->why == NULL;
}

/* The masks that carry out minus, complement and absolute value. */
static void set_masks(bw_decoder *d, unsigned n, const bw_operand *o, bw_number kind)
{
    bw_ins *ins = d->ins;
    ins->and_mask[n] = UINT32_MAX;
    ins->xor_mask[n] = 0;
    if (kind == BW_FLOAT32 || kind == BW_FLOAT64) {
        ins->and_mask[n] = o->abs ? 0x7fffffff : UINT32_MAX;
        ins->xor_mask[n] = o->neg ? 0x80000000 : 0;
    } else if (kind == BW_HALVES) {
        ins->and_mask[n] = o->abs ? 0x7fff7fff : UINT32_MAX;
        ins->xor_mask[n] = o->neg ? 0x80008000 : 0;
    } else if (kind == BW_BITS) {
        ins->xor_mask[n] = o->inv ? UINT32_MAX : 0;
        if (o->neg || o->abs)
            d->why = "a minus that is not understood";
    } else {
        ins->xor_mask[n] = o->neg || o->inv ? UINT32_MAX : 0;
        if (o->abs)
            d->why = "an absolute value that is not understood";
        ins->add += o->neg ? 1 : 0;
    }
    if (o->inv && kind != BW_INTEGER && kind != BW_BITS)
        d->why = "a complement that is not understood";
}

/* Which suffixes a register may have as a source of this kind. */
static uint32_t allowed_suffixes(bw_number kind, unsigned width)
{
    uint32_t all = width == 2 ? BW_SUFFIX_64 : 0;
    if (kind == BW_HALVES)
        all |= BW_SUFFIX_H0 | BW_SUFFIX_H1 | BW_SUFFIX_H1H0;
    return all;
}

void bw_take_source(bw_decoder *d, unsigned n, unsigned width, bw_number kind)
{
    const bw_operand *o = bw_next(d);
    bw_ins *ins = d->ins;
    ins->source_count = (uint8_t)(n + 1 > ins->source_count ? n + 1 : ins->source_count);
    ins->source_width[n] = (uint8_t)width;
    set_masks(d, n, o, kind);
    if (o->suffix & ~allowed_suffixes(kind, width))
        d->why = "the suffix of a source is not known";
    switch (o->kind) {
    case BW_OPERAND_REG:
    case BW_OPERAND_UREG:
        ins->s[n] = o->reg == BW_RZ ? bw_zero_slot(d) : register_slot(d, o);
        break;
    case BW_OPERAND_IMM:
        /* Of a double an immediate is the upper word. */
        ins->s[n] = bw_constant_slot(d, kind == BW_FLOAT64 ? o->imm << 32 : o->imm, width);
        break;
    case BW_OPERAND_FLOAT:
        if (kind == BW_HALVES || kind == BW_BITS)
            d->why = "a number that is not understood";
        else if (kind == BW_INTEGER && !(fabs(o->number) < 0x1p31 && o->number == trunc(o->number)))
            d->why = "a number that is no integer";
        else if (kind == BW_INTEGER)
            ins->s[n] = bw_constant_slot(d, (uint64_t)(int64_t)o->number, width);
        else
            ins->s[n] = bw_constant_slot(d, float_value(o, kind), width);
        break;
    case BW_OPERAND_CONST:
        if (o->has_reg || o->has_ureg || o->bank < 0)
            d->why = "a constant whose place registers tell";
        else
            ins->s[n] = launch_slot(d, o, width);
        break;
    case BW_OPERAND_LABEL:
    case BW_OPERAND_REL: {
        int32_t target = bw_target(d, o);
        uint64_t address = target < 0 ? 0 : d->code->base + (uint64_t)target * BW_INS_BYTES;
        ins->s[n] = bw_constant_slot(
            d, o->kind == BW_OPERAND_REL && o->inv ? address >> 32 : address, width);
        break;
    }
    default: d->why = "an operand that is not known"; break;
    }
}

void bw_alu(bw_decoder *d, int evaluator, bw_unknown_rule unknown, bw_affine_rule affine)
{
    d->ins->x = BW_X_ALU;
    d->ins->evaluator = (uint8_t)evaluator;
    d->ins->unknown = (uint8_t)unknown;
    d->ins->affine = (uint8_t)affine;
}

/* ---- labels ---- */

/* The last part of "f + .L_x_1@srel" and the like that is a label of this kernel. */
static int32_t label_target(const bw_decoder *d, bw_word text)
{
    const char *at = text.text, *end = at + text.len;
    long found = -1;
    while (at < end) {
        while (at < end && (*at == ' ' || *at == '+' || *at == '(' || *at == ')'))
            at++;
        const char *from = at;
        while (at < end && *at != ' ' && *at != '+' && *at != '@' && *at != ')')
            at++;
        long index = at > from ? bw_function_label(d->function, from, (size_t)(at - from)) : -1;
        found = index >= 0 ? index : found;
        while (at < end && *at != '+')
            at++;
    }
    if (found < 0) { /* the kernel's own name: its beginning */
        size_t len = strlen(d->function->shown.name);
        bool own = text.len >= len && memcmp(text.text, d->function->shown.name, len) == 0;
        found = own ? 0 : -1;
    }
    return found >= 0 && (size_t)found < d->function->count ? (int32_t)found : -1;
}

int32_t bw_target(bw_decoder *d, const bw_operand *o)
{
    int32_t target = -1;
    if (o->kind == BW_OPERAND_LABEL || o->kind == BW_OPERAND_REL) {
        target = label_target(d, o->text);
    } else if (o->kind == BW_OPERAND_IMM) {
        uint64_t off = o->imm - d->code->base;
        if (off % BW_INS_BYTES == 0 && off / BW_INS_BYTES < d->function->count)
            target = (int32_t)(off / BW_INS_BYTES);
    }
    if (target < 0)
        d->why = "the text does not hold what it goes to";
    return target;
}

/* ---- what is not known ---- */

static bool has_modifier(const char *list, bw_word modifier)
{
    char name[24];
    if (modifier.len > sizeof name - 3)
        return false;
    name[0] = ' ';
    memcpy(name + 1, modifier.text, modifier.len);
    name[modifier.len + 1] = ' ';
    name[modifier.len + 2] = '\0';
    return strstr(list, name) != NULL;
}

static void check_modifiers(bw_decoder *d, const bw_opcode *opcode)
{
    if (opcode->flags & BW_OPCODE_ANY)
        return;
    for (unsigned i = 0; i < d->stmt->modifier_count; i++)
        if (!has_modifier(opcode->modifiers, d->stmt->modifiers[i]))
            d->why = bw_arena_format(d->arena, "its modifier .%.*s is not known",
                                     (int)d->stmt->modifiers[i].len, d->stmt->modifiers[i].text);
}

static bool name_ends(bw_word name, const char *end)
{
    size_t n = strlen(end);
    return name.len >= n && memcmp(name.text + name.len - n, end, n) == 0;
}

/* N of .64xNx16. */
static unsigned matrix_columns(const bw_stmt *s)
{
    for (unsigned i = 0; i < s->modifier_count; i++) {
        const char *x = memchr(s->modifiers[i].text, 'x', s->modifiers[i].len);
        if (x && s->modifiers[i].text[0] == '6')
            return (unsigned)strtoul(x + 1, NULL, 10);
    }
    return 256;
}

/* Registers of a result that is not modelled. */
static unsigned result_width(const bw_stmt *s)
{
    bw_word n = s->name;
    if (name_ends(n, "GMMA"))
        return matrix_columns(s) /
               (s->modifier_count > 1 && bw_word_is(s->modifiers[1], "F16") ? 4 : 2);
    if (bw_word_is(n, "HMMA"))
        return s->modifier_count && bw_word_is(s->modifiers[s->modifier_count - 1], "F16") ? 2 : 4;
    if (name_ends(n, "MMA") && n.len == 4)
        return 4;
    if (bw_word_is(n, "LDSM")) {
        bool four = bw_stmt_has(s, "4"), two = bw_stmt_has(s, "2");
        return four ? 4 : two ? 2 : 1;
    }
    if (bw_stmt_has(s, "256"))
        return 8;
    if (bw_stmt_has(s, "128"))
        return 4;
    bool wide = bw_stmt_has(s, "64") || bw_stmt_has(s, "WIDE") || bw_stmt_has(s, "F64") ||
                bw_stmt_has(s, "U64") || bw_stmt_has(s, "S64");
    if (bw_word_is(n, "CS2R"))
        return bw_stmt_has(s, "32") ? 1 : 2;
    wide = wide || (n.len > 3 && n.text[0] == 'D' && bw_opcode_find(n) && !name_ends(n, "SETP"));
    wide = wide || name_ends(n, "2") || bw_word_is(n, "LEPC") || bw_word_is(n, "GETLMEMBASE");
    return wide ? 2 : 1;
}

/* Keeps only what the instruction writes. */
static void make_unknown(bw_decoder *d, const bw_opcode *opcode)
{
    bw_ins *ins = d->ins;
    const char *why = d->why;
    bw_ins fresh = {.guard = ins->guard,
                    .guard_inv = ins->guard_inv,
                    .uniform = ins->uniform,
                    .x = BW_X_UNKNOWN,
                    .d = UINT16_MAX,
                    .target = -1,
                    .op = BW_OP_COUNT};
    *ins = fresh;
    ins->why = why;
    d->at = 0;
    d->why = NULL;
    bw_take_pred_results(d);
    if (!(opcode->flags & BW_OPCODE_PRED_ONLY) && bw_stmt_peek(d) && is_register(bw_stmt_peek(d)))
        bw_take_result(d, result_width(d->stmt));
    if (ins->out_count == 0 && ins->width == 0 && !(opcode->flags & BW_OPCODE_NO_RESULT))
        ins->x = BW_X_REFUSE; /* what it writes is not known either */
    d->why = NULL;
}

static void refuse(bw_decoder *d, const char *why)
{
    bw_ins *ins = d->ins;
    *ins = (bw_ins){.guard = ins->guard,
                    .guard_inv = ins->guard_inv,
                    .x = BW_X_REFUSE,
                    .d = UINT16_MAX,
                    .target = -1,
                    .op = BW_OP_COUNT,
                    .why = why};
}

static void decode_guard(bw_decoder *d)
{
    const bw_stmt *s = d->stmt;
    int base = s->guard_uniform ? 8 : 0;
    d->ins->guard = (uint8_t)(base + (s->guard == BW_RZ ? 7 : s->guard));
    d->ins->guard_inv = s->guard_inv;
}

static void decode_one(bw_decoder *d)
{
    *d->ins = (bw_ins){.x = BW_X_NOP,
                       .d = UINT16_MAX,
                       .target = -1,
                       .op = BW_OP_COUNT,
                       .and_mask = {UINT32_MAX, UINT32_MAX, UINT32_MAX}};
    for (int n = 0; n < 3; n++)
        d->ins->s[n] = bw_zero_slot(d), d->ins->source_width[n] = 1;
    decode_guard(d);
    const bw_opcode *opcode = bw_opcode_find(d->stmt->name);
    if (!opcode) {
        refuse(d, "this opcode is not known");
        return;
    }
    d->ins->uniform = opcode->flags & BW_OPCODE_UNIFORM;
    d->ins->mode = opcode->mode;
    d->at = 0;
    d->why = NULL;
    check_modifiers(d, opcode);
    if (!d->why)
        opcode->decode(d);
    if (!d->why)
        return;
    if (opcode->flags & (BW_OPCODE_CONTROL | BW_OPCODE_SHARED))
        refuse(d, d->why);
    else
        make_unknown(d, opcode);
}

/* ---- the whole kernel ---- */

static void count_register(bw_code *code, int reg, bool uniform)
{
    uint32_t *count = uniform ? &code->uregs : &code->regs;
    if (reg != BW_RZ && (uint32_t)reg + 1 > *count)
        *count = (uint32_t)reg + 1;
}

static bool bad_statement(bw_decoder *d, const bw_sass_ins *shown, const char *bad, bw_diags *diags)
{
    bw_diagnose(diags, BW_MSG_MACHINE_TEXT, d->source, shown->span,
                "this is no instruction: \"%.20s\"", bad);
    return false;
}

/* How many registers there are: every one that is named, and some that results reach into. */
static bool count_registers(bw_decoder *d, bw_diags *diags)
{
    bw_stmt stmt;
    bool matrix = false;
    for (size_t i = 0; i < d->function->count; i++) {
        const char *bad;
        const bw_sass_ins *shown = &d->function->ins[i];
        if (!bw_stmt_parse(shown->text, &stmt, &bad))
            return bad_statement(d, shown, bad, diags);
        matrix = matrix || name_ends(stmt.name, "GMMA");
        for (unsigned k = 0; k < stmt.operand_count; k++) {
            const bw_operand *o = &stmt.operands[k];
            if (is_register(o))
                count_register(d->code, o->reg, o->kind == BW_OPERAND_UREG);
            if (o->kind == BW_OPERAND_MEMORY || o->kind == BW_OPERAND_CONST) {
                count_register(d->code, o->reg, false);
                count_register(d->code, o->ureg, true);
            }
        }
    }
    d->code->regs += matrix ? SPARE_REGS_MATRIX : SPARE_REGS;
    d->code->uregs += SPARE_REGS;
    d->code->zero = d->code->regs + d->code->uregs;
    for (unsigned i = 0; i < 4; i++) {
        BW_GROW(d->code->pool, d->code->pool_count, d->code->pool_capacity);
        d->code->pool[d->code->pool_count++] = (bw_pool_entry){0};
    }
    return true;
}

static bool is_end(const bw_ins *ins)
{
    bool always = ins->guard == BW_PT && !ins->guard_inv;
    return ins->x == BW_X_REFUSE || ins->x == BW_X_NOP ||
           (always && (ins->x == BW_X_BRA || ins->x == BW_X_EXIT || ins->x == BW_X_RET ||
                       ins->x == BW_X_BRX || ins->x == BW_X_CALL));
}

bool bw_decode(const bw_source *source, const bw_function *function, bw_code *code, bw_arena *arena,
               unsigned cc, bw_diags *diags)
{
    *code = (bw_code){.count = function->count, .base = function->base, .cc = cc};
    bw_stmt stmt;
    bw_decoder d = {
        .source = source, .arena = arena, .function = function, .code = code, .stmt = &stmt};
    code->ins = bw_calloc(function->count + 1, sizeof *code->ins);
    if (!count_registers(&d, diags))
        return false;
    const bw_evaluator *lanes = bw_lanes();
    for (size_t i = 0; i < function->count; i++) {
        const char *bad;
        bw_stmt_parse(function->ins[i].text, &stmt, &bad);
        d.ins = &code->ins[i];
        decode_one(&d);
        if (d.ins->x == BW_X_ALU)
            d.ins->fn = lanes[d.ins->evaluator];
        for (unsigned n = 0; n < d.ins->source_count; n++)
            d.ins->wide_sources |= d.ins->source_width[n] > 1;
    }
    if (!is_end(&code->ins[function->count - 1])) {
        bw_diagnostic *e =
            bw_diagnose(diags, BW_MSG_MACHINE_TEXT, source, function->ins[function->count - 1].span,
                        "%s goes on after its last instruction", function->shown.name);
        bw_note(diags, e, "the text is cut");
        return false;
    }
    code->ins[function->count] =
        (bw_ins){.x = BW_X_REFUSE, .guard = BW_PT, .why = "the kernel's end is passed"};
    code->waste = code->regs + code->uregs + (uint32_t)code->pool_count;
    code->slots = code->waste + WASTE;
    for (size_t i = 0; i < function->count; i++)
        if (code->ins[i].d == UINT16_MAX)
            code->ins[i].d = (uint16_t)code->waste;
    return true;
}

static void describe(bw_sass *sass, bw_sass_ins *shown, const bw_ins *ins)
{
    bw_stmt stmt;
    const char *bad;
    bw_stmt_parse(shown->text, &stmt, &bad);
    bw_word last = stmt.modifier_count ? stmt.modifiers[stmt.modifier_count - 1] : stmt.name;
    size_t len = (size_t)(last.text + last.len - stmt.name.text);
    const bw_opcode *opcode = bw_opcode_find(stmt.name);
    shown->name = bw_arena_copy(&sass->arena, stmt.name.text, len);
    shown->unmodelled = ins->x == BW_X_UNKNOWN || ins->x == BW_X_REFUSE ? ins->why : NULL;
    shown->copies = ins->x == BW_X_LDGSTS;
    shown->shared = opcode && opcode->flags & (BW_OPCODE_SHARED | BW_OPCODE_VIA_SHARED);
}

bool bw_describe(bw_sass *sass, bw_function *function, bw_diags *diags)
{
    bw_code code;
    bool ok = bw_decode(sass->source, function, &code, &sass->arena, 90, diags);
    for (size_t i = 0; ok && i < function->count; i++)
        describe(sass, &function->ins[i], &code.ins[i]);
    bw_sass_code_finish(&code);
    return ok;
}

void bw_sass_code_finish(bw_code *code)
{
    free(code->ins);
    free(code->pool);
    bw_skips_finish(code);
    *code = (bw_code){0};
}
