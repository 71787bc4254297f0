/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "stmt.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool bw_word_is(bw_word word, const char *text)
{
    return strlen(text) == word.len && memcmp(word.text, text, word.len) == 0;
}

bool bw_stmt_has(const bw_stmt *stmt, const char *modifier)
{
    for (unsigned i = 0; i < stmt->modifier_count; i++)
        if (bw_word_is(stmt->modifiers[i], modifier))
            return true;
    return false;
}

static bool is_name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static const char *skip_space(const char *at)
{
    while (isspace((unsigned char)*at))
        at++;
    return at;
}

/* A decimal number below 1000, or BW_RZ for `zero` ('Z' of registers, 'T' of predicates). */
static bool read_number(const char **at, char zero, int *out)
{
    const char *p = *at;
    if (*p == zero && !is_name_char(p[1])) {
        *out = BW_RZ;
        *at = p + 1;
        return true;
    }
    int value = 0;
    for (; isdigit((unsigned char)*p) && value < 1000; p++)
        value = value * 10 + (*p - '0');
    if (p == *at || is_name_char(*p) || value >= 256)
        return false;
    *out = value;
    *at = p;
    return true;
}

static const struct {
    const char *name;
    uint32_t suffix;
} suffixes[] = {
    {"reuse", 0},
    {"64", BW_SUFFIX_64},
    {"U32", BW_SUFFIX_U32},
    {"H0", BW_SUFFIX_H0},
    {"H0_H0", BW_SUFFIX_H0},
    {"H1", BW_SUFFIX_H1},
    {"H1_H1", BW_SUFFIX_H1},
    {"H1_H0", BW_SUFFIX_H1H0},
    {"F32", BW_SUFFIX_F32},
    {"SIGN", BW_SUFFIX_SIGN},
    {"F32x2", BW_SUFFIX_F32X2},
    {"HI_LO", BW_SUFFIX_HI_LO},
    {"LO_HI", BW_SUFFIX_LO_HI},
    {"B0", BW_SUFFIX_B0},
    {"B1", BW_SUFFIX_B1},
    {"B2", BW_SUFFIX_B2},
    {"B3", BW_SUFFIX_B3},
};

/* Suffixes ".a.b" at *at; scales go to *scale. */
static uint32_t read_suffixes(const char **at, uint8_t *scale)
{
    uint32_t all = 0;
    while (**at == '.') {
        const char *from = ++*at;
        while (is_name_char(**at))
            (*at)++;
        bw_word word = {from, (uint32_t)(*at - from)};
        uint32_t found = BW_SUFFIX_OTHER;
        for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
            if (bw_word_is(word, suffixes[i].name))
                found = suffixes[i].suffix;
        if (word.len >= 2 && *from == 'X' && scale) {
            long x = strtol(from + 1, NULL, 10);
            if (x == 4 || x == 8 || x == 16)
                *scale = (uint8_t)x, found = 0;
        }
        all |= found;
    }
    return all;
}

/* R5, UR5, RZ with suffixes; false (nothing read) where it is none. */
static bool read_register(const char **at, bw_operand *o)
{
    const char *p = *at;
    bool uniform = *p == 'U' && p[1] == 'R';
    p += uniform;
    if (*p++ != 'R' || !read_number(&p, 'Z', &o->reg))
        return false;
    o->kind = uniform ? BW_OPERAND_UREG : BW_OPERAND_REG;
    o->suffix = read_suffixes(&p, NULL);
    *at = p;
    return true;
}

static bool read_predicate(const char **at, bw_operand *o)
{
    const char *p = *at;
    bool uniform = *p == 'U' && p[1] == 'P';
    p += uniform;
    if (*p++ != 'P' || !read_number(&p, 'T', &o->reg) || o->reg > 7)
        return false;
    o->kind = uniform ? BW_OPERAND_UPRED : BW_OPERAND_PRED;
    *at = p;
    return true;
}

static bool read_integer(const char **at, uint64_t *out)
{
    const char *p = *at;
    bool neg = *p == '-';
    p += neg || *p == '+';
    if (p[0] != '0' || p[1] != 'x' || !isxdigit((unsigned char)p[2]))
        return false;
    char *end;
    uint64_t value = strtoull(p + 2, &end, 16);
    if (is_name_char(*end) || *end == '.')
        return false;
    *out = neg ? 0 - value : value;
    *at = end;
    return true;
}

/* What is inside [ ]: registers and offsets joined by + or -. */
static bool read_address(const char **at, bw_operand *o)
{
    const char *p = skip_space(*at);
    while (*p && *p != ']') {
        bw_operand part = {.scale = 1};
        uint64_t value;
        const char *from = p;
        if (*p == '+' && !(p[1] == '0'))
            p = skip_space(p + 1);
        if (*p == 'R' || (*p == 'U' && p[1] == 'R')) {
            bool uniform = *p == 'U';
            p += uniform ? 2 : 1;
            if (!read_number(&p, 'Z', &part.reg))
                return false;
            uint8_t scale = 1;
            uint32_t suffix = read_suffixes(&p, &scale);
            if (uniform) {
                if (o->has_ureg || scale != 1)
                    return false;
                o->has_ureg = true, o->ureg = part.reg, o->usuffix = suffix;
            } else {
                if (o->has_reg)
                    return false;
                o->has_reg = true, o->reg = part.reg, o->suffix = suffix, o->scale = scale;
            }
        } else {
            if (*p == '+')
                p = skip_space(p + 1);
            if (!read_integer(&p, &value))
                return false;
            o->offset += (int64_t)value;
        }
        p = skip_space(p);
        if (p == from)
            return false;
    }
    if (*p != ']')
        return false;
    *at = p + 1;
    return true;
}

static bool read_memory(const char **at, bw_operand *o)
{
    const char *p = *at;
    o->reg = o->ureg = BW_RZ;
    o->scale = 1;
    o->kind = BW_OPERAND_MEMORY;
    bool group = strncmp(p, "gdesc[", 6) == 0;
    if (group || strncmp(p, "desc[", 5) == 0) {
        o->descriptor = true;
        o->group = group;
        bw_operand inner = {.scale = 1, .reg = BW_RZ, .ureg = BW_RZ};
        p += group ? 6 : 5;
        if (!read_address(&p, &inner))
            return false;
        p = skip_space(p);
        if (*p != '[') {
            o->ureg = inner.ureg;
            *at = p;
            return group;
        }
    }
    if (*p++ != '[' || !read_address(&p, o))
        return false;
    while (*p == '.') /* [R2].suffix is not known */
        o->suffix |= read_suffixes(&p, NULL) | BW_SUFFIX_OTHER;
    *at = p;
    return true;
}

/* c[0x0][0x160], c[0x0][R2+0x8], c[0x0][UR4], cx[UR4][0x8]. */
static bool read_constant(const char **at, bw_operand *o)
{
    const char *p = *at;
    if (*p++ != 'c')
        return false;
    p += *p == 'x';
    if (*p != '[')
        return false;
    p++;
    o->kind = BW_OPERAND_CONST;
    o->reg = o->ureg = BW_RZ;
    o->scale = 1;
    uint64_t bank;
    o->bank = -1;
    if (read_integer(&p, &bank)) {
        if (bank > 31 || *p++ != ']')
            return false;
        o->bank = (int)bank;
    } else {
        bw_operand inner = {.scale = 1, .reg = BW_RZ, .ureg = BW_RZ};
        if (!read_address(&p, &inner))
            return false;
    }
    p = skip_space(p);
    if (*p++ != '[' || !read_address(&p, o))
        return false;
    if (*p == '.') {
        uint32_t more = read_suffixes(&p, NULL);
        o->suffix |= more;
    }
    *at = p;
    return true;
}

static bool read_float(const char **at, bw_operand *o)
{
    static const char *const infinities[] = {"+INF", "INF", "-INF"};
    static const char *const nans[] = {"+QNAN", "QNAN", "-QNAN", "+SNAN", "SNAN",
                                       "-SNAN", "+NAN", "NAN",   "-NAN"};
    const char *p = *at;
    o->kind = BW_OPERAND_FLOAT;
    for (size_t i = 0; i < 3; i++)
        if (strncmp(p, infinities[i], strlen(infinities[i])) == 0) {
            o->number = *p == '-' ? -INFINITY : INFINITY;
            *at = p + strlen(infinities[i]);
            return true;
        }
    for (size_t i = 0; i < sizeof nans / sizeof *nans; i++)
        if (strncmp(p, nans[i], strlen(nans[i])) == 0) {
            o->nan = true;
            o->number = *p == '-' ? -NAN : NAN;
            *at = p + strlen(nans[i]);
            return true;
        }
    const char *digit = p + (*p == '-' || *p == '+');
    if (!isdigit((unsigned char)*digit) && *digit != '.')
        return false;
    char *end;
    o->number = strtod(p, &end);
    if (end == p || is_name_char(*end))
        return false;
    *at = end;
    return true;
}

/* `(.L_x_1), 32@lo((f + .L_x_1@srel)), fun@hi(...): the text in the parentheses. */
static bool read_label(const char **at, bw_operand *o)
{
    const char *p = *at;
    if (*p == '`' && p[1] == '(') {
        o->kind = BW_OPERAND_LABEL;
        p += 1;
    } else if (strncmp(p, "32@", 3) == 0) {
        o->kind = BW_OPERAND_REL;
        o->inv = strncmp(p + 3, "hi", 2) == 0; /* the upper half */
        p = strchr(p, '(');
        if (!p)
            return false;
    } else {
        return false;
    }
    const char *from = p;
    int depth = 0;
    for (; *p; p++) {
        depth += *p == '(';
        depth -= *p == ')';
        if (depth == 0)
            break;
    }
    if (*p != ')')
        return false;
    while (from < p && *from == '(')
        from++;
    const char *to = p;
    while (to > from && to[-1] == ')')
        to--;
    o->text = (bw_word){from, (uint32_t)(to - from)};
    *at = p + 1;
    return true;
}

static bool read_barrier(const char **at, bw_operand *o)
{
    const char *p = *at;
    if (*p++ != 'B' || !read_number(&p, 'Z', &o->reg) || o->reg > 15)
        return false;
    o->kind = BW_OPERAND_BARRIER;
    *at = p;
    return true;
}

/* Where the operand that begins at `at` ends: a comma outside parentheses and brackets. */
static const char *operand_end(const char *at)
{
    int depth = 0;
    for (; *at; at++) {
        depth += *at == '(' || *at == '[';
        depth -= *at == ')' || *at == ']';
        if (*at == ',' && depth <= 0)
            break;
    }
    return at;
}

static bool read_value(const char **at, bw_operand *o)
{
    const char *p = *at;
    bool ok = read_register(&p, o) || read_predicate(&p, o) || read_barrier(&p, o) ||
              read_constant(&p, o);
    if (!ok && (*p == '[' || strncmp(p, "desc[", 5) == 0 || strncmp(p, "gdesc[", 6) == 0))
        ok = read_memory(&p, o);
    if (!ok && read_integer(&p, &o->imm)) {
        o->kind = BW_OPERAND_IMM;
        ok = true;
    }
    ok = ok || read_label(&p, o) || read_float(&p, o);
    if (ok)
        *at = p;
    return ok;
}

static bool is_name(const char *from, const char *to)
{
    if (from == to || !isalpha((unsigned char)*from))
        return false;
    for (; from < to; from++)
        if (!is_name_char(*from) && *from != '.')
            return false;
    return true;
}

static void read_operand(const char *from, const char *to, bw_operand *o)
{
    while (to > from && isspace((unsigned char)to[-1]))
        to--;
    const char *p = from;
    *o = (bw_operand){.reg = BW_RZ, .ureg = BW_RZ, .scale = 1};
    bool neg = false, inv = false, abs = false;
    /* A minus may belong to a number; both readings come to the same. */
    for (; *p == '-' || *p == '~' || *p == '!' || *p == '|'; p++) {
        if (*p == '-' && (isdigit((unsigned char)p[1]) || strchr("IQNS.", p[1])))
            break;
        neg ^= *p == '-';
        inv ^= *p == '~' || *p == '!';
        abs |= *p == '|';
    }
    if (read_value(&p, o)) {
        if (abs && *p == '|')
            p++;
        if (*p == '.') { /* |R2|.H0_H0, -c[0x0][0x10].reuse */
            o->suffix |= read_suffixes(&p, NULL);
        }
        p = skip_space(p);
        /* A branch says whose targets it knows: R2 -0x10 (*"BRANCH_TARGETS ..."*). */
        if (p < to && o->kind == BW_OPERAND_REG && (*p == '-' || *p == '+' || *p == '0')) {
            uint64_t value;
            if (read_integer(&p, &value))
                o->offset = (int64_t)value, o->has_reg = true;
            p = skip_space(p);
        }
        if (p >= to || *p == '(' || (*p == '`' && o->kind == BW_OPERAND_REG)) {
            o->neg = neg, o->inv ^= inv, o->abs = abs;
            if (o->kind != BW_OPERAND_LABEL && o->kind != BW_OPERAND_REL)
                o->text = (bw_word){from, (uint32_t)(to - from)};
            return;
        }
    }
    *o = (bw_operand){.kind = is_name(from, to) ? BW_OPERAND_NAME : BW_OPERAND_OTHER,
                      .reg = BW_RZ,
                      .ureg = BW_RZ,
                      .scale = 1,
                      .text = {from, (uint32_t)(to - from)}};
}

static bool read_guard(const char **at, bw_stmt *stmt)
{
    const char *p = *at;
    if (*p != '@')
        return true;
    p++;
    stmt->guard_inv = *p == '!';
    p += stmt->guard_inv;
    bw_operand o = {0};
    if (!read_predicate(&p, &o))
        return false;
    stmt->guarded = true;
    stmt->guard = o.reg;
    stmt->guard_uniform = o.kind == BW_OPERAND_UPRED;
    *at = skip_space(p);
    return true;
}

static bool read_opcode(const char **at, bw_stmt *stmt)
{
    const char *p = *at;
    while (is_name_char(*p))
        p++;
    stmt->name = (bw_word){*at, (uint32_t)(p - *at)};
    if (stmt->name.len == 0 || !isupper((unsigned char)**at))
        return false;
    while (*p == '.') {
        const char *from = ++p;
        while (is_name_char(*p))
            p++;
        if (stmt->modifier_count == BW_MAX_MODIFIERS || p == from)
            return false;
        stmt->modifiers[stmt->modifier_count++] = (bw_word){from, (uint32_t)(p - from)};
    }
    *at = p;
    return *p == '\0' || isspace((unsigned char)*p);
}

bool bw_stmt_parse(const char *text, bw_stmt *stmt, const char **bad)
{
    *stmt = (bw_stmt){.guard = BW_RZ};
    const char *at = skip_space(text);
    *bad = at;
    if (!read_guard(&at, stmt) || !read_opcode(&at, stmt))
        return false;
    at = skip_space(at);
    while (*at) {
        *bad = at;
        if (stmt->operand_count == BW_MAX_OPERANDS)
            return false;
        const char *end = operand_end(at);
        read_operand(at, end, &stmt->operands[stmt->operand_count++]);
        at = *end ? skip_space(end + 1) : end;
    }
    return true;
}
