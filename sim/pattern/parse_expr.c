/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "parse.h"

#include <math.h>
#include <string.h>

/* ---- nodes ------------------------------------------------------------------------------------- */

bw_expr *bw_new_expr(bw_parser *p, bw_expr_kind kind, const bw_type *type, bw_span span)
{
    bw_expr *e = bw_arena_alloc(p->arena, sizeof *e);
    e->kind = kind;
    e->type = type;
    e->span = span;
    return e;
}

bw_expr *bw_new_error(bw_parser *p, bw_span span)
{
    return bw_new_expr(p, BW_EX_CONST, &bw_ty_error, span);
}

static bool is_error(const bw_expr *e)
{
    return e->type->kind == BW_TY_ERROR;
}

/* The value as the type holds it. */
static int64_t wrap(const bw_type *type, int64_t v)
{
    if (type->kind == BW_TY_BOOL)
        return v != 0;
    switch (type->size) {
    case 1: return type->is_signed ? (int8_t)v : (uint8_t)v;
    case 2: return type->is_signed ? (int16_t)v : (uint16_t)v;
    case 4: return type->is_signed ? (int32_t)v : (int64_t)(uint32_t)v;
    default: return v;
    }
}

static double round_to(const bw_type *type, double v)
{
    switch (type->kind) {
    case BW_TY_HALF: return (double)bw_half_round((float)v);
    case BW_TY_BFLOAT: return (double)bw_bfloat_round((float)v);
    case BW_TY_FLOAT: return (double)(float)v;
    default: return v;
    }
}

bw_expr *bw_new_integer(bw_parser *p, const bw_type *type, int64_t value, bw_span span)
{
    bw_expr *e = bw_new_expr(p, BW_EX_CONST, type, span);
    e->integer = wrap(type, value);
    return e;
}

bw_expr *bw_new_real(bw_parser *p, const bw_type *type, double value, bw_span span)
{
    bw_expr *e = bw_new_expr(p, BW_EX_CONST, type, span);
    e->real = round_to(type, value);
    return e;
}

bw_expr *bw_new_symbol(bw_parser *p, bw_symbol *symbol, bw_span span)
{
    bw_expr *e = bw_new_expr(p, BW_EX_SYMBOL, symbol->type, span);
    e->symbol = symbol;
    e->lvalue = true;
    return e;
}

void bw_mark_address_taken(bw_expr *e)
{
    while (e->kind == BW_EX_MEMBER || (e->kind == BW_EX_INDEX && e->a->type->kind == BW_TY_ARRAY))
        e = e->a;
    if (e->kind == BW_EX_SYMBOL)
        e->symbol->address_taken = true;
}

/* Arrays become pointers to their first element. */
bw_expr *bw_value(bw_parser *p, bw_expr *e)
{
    if (e->type->kind != BW_TY_ARRAY)
        return e;
    bw_expr *d = bw_new_expr(p, BW_EX_DECAY, bw_type_pointer(p->arena, e->type->elem), e->span);
    bw_mark_address_taken(e);
    d->a = e;
    return d;
}

static void bad_types(bw_parser *p, bw_span span, const char *what, const bw_type *a,
                      const bw_type *b)
{
    bw_diagnostic *d =
        b ? bw_error(p->diags, p->source, span, "%s does not take %s and %s", what,
                     bw_type_name(p->arena, a), bw_type_name(p->arena, b))
          : bw_error(p->diags, p->source, span, "%s does not take %s", what,
                     bw_type_name(p->arena, a));
    bw_note(p->diags, d, "operators take numbers and pointers; work on a vector's or struct's "
                         "members one by one");
}

/* ---- conversions ------------------------------------------------------------------------------- */

static int64_t real_to_integer(const bw_type *type, double v)
{
    if (isnan(v))
        return 0;
    if (type->size == 8 && !type->is_signed)
        return v <= 0 ? 0 : v >= 18446744073709551615.0 ? -1 : (int64_t)(uint64_t)v;
    if (v >= 9223372036854775807.0)
        return INT64_MAX;
    if (v <= -9223372036854775808.0)
        return INT64_MIN;
    if (type->size <= 4 && type->is_signed) /* cvt.rzi saturates */
        return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : (int64_t)v;
    if (type->size == 4)
        return v < 0 ? 0 : v > UINT32_MAX ? UINT32_MAX : (int64_t)v;
    return (int64_t)v;
}

static double constant_real(const bw_expr *e)
{
    if (bw_type_is_float(e->type))
        return e->real;
    return e->type->size == 8 && !e->type->is_signed ? (double)(uint64_t)e->integer
                                                     : (double)e->integer;
}

static bw_expr *fold_cast(bw_parser *p, const bw_expr *e, const bw_type *type)
{
    if (bw_type_is_float(type))
        return bw_new_real(p, type, constant_real(e), e->span);
    if (bw_type_is_float(e->type))
        return bw_new_integer(p, type,
                              type->kind == BW_TY_BOOL ? e->real != 0
                                                       : real_to_integer(type, e->real),
                              e->span);
    return bw_new_integer(p, type, e->integer, e->span);
}

static bw_expr *make_cast(bw_parser *p, bw_expr *e, const bw_type *type, bw_span span)
{
    if (is_error(e) || bw_type_same(e->type, type))
        return e;
    if (bw_is_constant(e) && bw_type_is_arithmetic(e->type) && bw_type_is_arithmetic(type))
        return fold_cast(p, e, type);
    bw_expr *c = bw_new_expr(p, BW_EX_CAST, type, span);
    c->a = e;
    return c;
}

bw_expr *bw_convert(bw_parser *p, bw_expr *e, const bw_type *type)
{
    e = bw_value(p, e);
    if (is_error(e) || type->kind == BW_TY_ERROR || bw_type_same(e->type, type))
        return e;
    bool both_numbers = bw_type_is_arithmetic(e->type) && bw_type_is_arithmetic(type);
    bool pointers = e->type->kind == BW_TY_POINTER && type->kind == BW_TY_POINTER;
    bool null = type->kind == BW_TY_POINTER && bw_is_constant(e) && bw_type_is_integer(e->type) &&
                e->integer == 0;
    bool truth = type->kind == BW_TY_BOOL && e->type->kind == BW_TY_POINTER;
    if (both_numbers || pointers || null || truth)
        return make_cast(p, e, type, e->span);
    bw_diagnostic *d =
        bw_error(p->diags, p->source, e->span, "cannot convert %s to %s",
                 bw_type_name(p->arena, e->type), bw_type_name(p->arena, type));
    bw_note(p->diags, d, "write the conversion that you mean, as a cast or a make_… function");
    return bw_new_error(p, e->span);
}

bw_expr *bw_cast(bw_parser *p, bw_expr *e, const bw_type *type, bw_span span)
{
    e = bw_value(p, e);
    bool from_pointer = e->type->kind == BW_TY_POINTER, to_pointer = type->kind == BW_TY_POINTER;
    if (type->kind == BW_TY_VOID) {
        bw_expr *c = bw_new_expr(p, BW_EX_CAST, type, span);
        c->a = e;
        return c;
    }
    if ((from_pointer && bw_type_is_integer(type)) || (to_pointer && bw_type_is_integer(e->type)))
        return make_cast(p, e, type, span);
    bw_expr *made = bw_convert(p, e, type);
    if (made->kind == BW_EX_CAST || made->kind == BW_EX_CONST)
        made->span = span;
    return made;
}

/* ---- operators --------------------------------------------------------------------------------- */

static const char *const binary_text[BW_BINARIES] = {"+",  "-",  "*", "/",  "%", "&",  "|",  "^",
                                                     "<<", ">>", "<", "<=", ">", ">=", "==", "!="};

static int64_t fold_integer(bw_binary op, const bw_type *t, int64_t a, int64_t b)
{
    uint64_t ua = (uint64_t)a, ub = (uint64_t)b;
    bool u = !t->is_signed;
    unsigned bits = t->size * 8, shift = ub >= bits ? bits : (unsigned)ub;
    switch (op) {
    case BW_ADD: return (int64_t)(ua + ub);
    case BW_SUB: return (int64_t)(ua - ub);
    case BW_MUL: return (int64_t)(ua * ub);
    case BW_DIV: return u ? (int64_t)(ua / ub) : b == -1 ? (int64_t)(0 - ua) : a / b;
    case BW_REM: return u ? (int64_t)(ua % ub) : b == -1 ? 0 : a % b;
    case BW_AND: return a & b;
    case BW_OR: return a | b;
    case BW_XOR: return a ^ b;
    case BW_SHL: return shift == bits ? 0 : (int64_t)(ua << shift);
    case BW_SHR:
        if (u)
            return shift == bits ? 0 : (int64_t)(ua >> shift);
        return a >> (shift == bits ? 63 : shift);
    case BW_LT: return u ? ua < ub : a < b;
    case BW_LE: return u ? ua <= ub : a <= b;
    case BW_GT: return u ? ua > ub : a > b;
    case BW_GE: return u ? ua >= ub : a >= b;
    case BW_EQ: return a == b;
    default: return a != b;
    }
}

static double fold_real(bw_binary op, double a, double b)
{
    switch (op) {
    case BW_ADD: return a + b;
    case BW_SUB: return a - b;
    case BW_MUL: return a * b;
    case BW_DIV: return a / b;
    case BW_LT: return a < b;
    case BW_LE: return a <= b;
    case BW_GT: return a > b;
    case BW_GE: return a >= b;
    case BW_EQ: return a == b;
    default: return a != b;
    }
}

static bw_expr *fold_binary(bw_parser *p, bw_binary op, const bw_expr *a, const bw_expr *b,
                            const bw_type *work, const bw_type *result, bw_span span)
{
    if (bw_type_is_float(work)) {
        double v = fold_real(op, a->real, b->real);
        return op >= BW_LT ? bw_new_integer(p, result, v != 0, span)
                           : bw_new_real(p, result, v, span);
    }
    if ((op == BW_DIV || op == BW_REM) && b->integer == 0) {
        bw_note(p->diags, bw_error(p->diags, p->source, span, "division by zero"),
                "the divisor is the constant 0");
        return bw_new_error(p, span);
    }
    return bw_new_integer(p, result, fold_integer(op, work, a->integer, b->integer), span);
}

static bw_expr *pointer_arithmetic(bw_parser *p, bw_binary op, bw_expr *a, bw_expr *b,
                                   bw_span span)
{
    bool pa = a->type->kind == BW_TY_POINTER, pb = b->type->kind == BW_TY_POINTER;
    const bw_type *type = NULL;
    if (op >= BW_LT) {
        if (pa && !pb)
            b = bw_convert(p, b, a->type);
        if (pb && !pa)
            a = bw_convert(p, a, b->type);
        type = &bw_ty_bool;
    } else if (op == BW_SUB && pa && pb) {
        type = &bw_ty_long;
    } else if ((op == BW_ADD || op == BW_SUB) && pa && bw_type_is_integer(b->type)) {
        type = a->type;
    } else if (op == BW_ADD && pb && bw_type_is_integer(a->type)) {
        bw_expr *swap = a;
        a = b;
        b = swap;
        type = a->type;
    }
    if (!type) {
        bad_types(p, span, bw_arena_format(p->arena, "'%s'", binary_text[op]), a->type, b->type);
        return bw_new_error(p, span);
    }
    bw_expr *e = bw_new_expr(p, BW_EX_BINARY, type, span);
    e->op = op;
    e->a = a;
    e->b = b;
    return e;
}

/* The type in which a op b is computed, or NULL where the operator does not take them. */
static const bw_type *work_type(bw_binary op, const bw_type *a, const bw_type *b)
{
    if (!bw_type_is_arithmetic(a) || !bw_type_is_arithmetic(b))
        return NULL;
    bool integers = bw_type_is_integer(a) && bw_type_is_integer(b);
    if ((op == BW_REM || (op >= BW_AND && op <= BW_SHR)) && !integers)
        return NULL;
    if (op == BW_SHL || op == BW_SHR)
        return bw_type_promote(a);
    return bw_type_common(a, b);
}

bw_expr *bw_new_binary(bw_parser *p, bw_binary op, bw_expr *a, bw_expr *b, bw_span span)
{
    a = bw_value(p, a);
    b = bw_value(p, b);
    if (is_error(a) || is_error(b))
        return bw_new_error(p, span);
    if (a->type->kind == BW_TY_POINTER || b->type->kind == BW_TY_POINTER)
        return pointer_arithmetic(p, op, a, b, span);
    const bw_type *work = work_type(op, a->type, b->type);
    if (!work) {
        bad_types(p, span, bw_arena_format(p->arena, "'%s'", binary_text[op]), a->type, b->type);
        return bw_new_error(p, span);
    }
    const bw_type *result = op >= BW_LT ? &bw_ty_bool : work;
    bool shift = op == BW_SHL || op == BW_SHR;
    a = make_cast(p, a, work, a->span);
    b = make_cast(p, b, shift ? bw_type_promote(b->type) : work, b->span);
    if (bw_is_constant(a) && bw_is_constant(b))
        return fold_binary(p, op, a, b, work, result, span);
    bw_expr *e = bw_new_expr(p, BW_EX_BINARY, result, span);
    e->op = op;
    e->work = work;
    e->a = a;
    e->b = b;
    return e;
}

static bw_expr *truth(bw_parser *p, bw_expr *e)
{
    e = bw_value(p, e);
    if (is_error(e) || e->type->kind == BW_TY_BOOL)
        return e;
    if (!bw_type_is_scalar(e->type)) {
        bad_types(p, e->span, "a condition", e->type, NULL);
        return bw_new_error(p, e->span);
    }
    return make_cast(p, e, &bw_ty_bool, e->span);
}

static bw_expr *new_logical(bw_parser *p, bw_expr_kind kind, bw_expr *a, bw_expr *b, bw_span span)
{
    a = truth(p, a);
    b = truth(p, b);
    if (is_error(a) || is_error(b))
        return bw_new_error(p, span);
    if (bw_is_constant(a)) {
        bool decided = kind == BW_EX_AND ? !a->integer : a->integer != 0;
        return decided ? bw_new_integer(p, &bw_ty_bool, a->integer, span) : b;
    }
    bw_expr *e = bw_new_expr(p, kind, &bw_ty_bool, span);
    e->a = a;
    e->b = b;
    return e;
}

static bw_expr *new_unary(bw_parser *p, bw_expr_kind kind, bw_expr *a, bw_span span)
{
    a = kind == BW_EX_NOT ? truth(p, a) : bw_value(p, a);
    if (is_error(a))
        return a;
    bool ok = kind == BW_EX_NOT ||
              (kind == BW_EX_NEG ? bw_type_is_arithmetic(a->type) : bw_type_is_integer(a->type));
    if (!ok) {
        bad_types(p, span, kind == BW_EX_NEG ? "'-'" : "'~'", a->type, NULL);
        return bw_new_error(p, span);
    }
    if (kind != BW_EX_NOT)
        a = make_cast(p, a, bw_type_promote(a->type), a->span);
    if (bw_is_constant(a)) {
        if (bw_type_is_float(a->type))
            return bw_new_real(p, a->type, -a->real, span);
        int64_t v = a->integer;
        return bw_new_integer(p, a->type,
                              kind == BW_EX_NOT   ? !v
                              : kind == BW_EX_NEG ? (int64_t)(0 - (uint64_t)v)
                                                  : ~v,
                              span);
    }
    bw_expr *e = bw_new_expr(p, kind, a->type, span);
    e->a = a;
    return e;
}

static bool check_assignable(bw_parser *p, const bw_expr *a, bw_span span)
{
    if (is_error(a))
        return false;
    const bw_expr *root = a;
    while (root->kind == BW_EX_MEMBER || root->kind == BW_EX_INDEX)
        root = root->a;
    bool constant = root->kind == BW_EX_SYMBOL && root->symbol->is_const &&
                    root->symbol->type->kind != BW_TY_POINTER;
    if (a->lvalue && a->type->kind != BW_TY_ARRAY && !constant)
        return true;
    bw_diagnostic *d = bw_error(p->diags, p->source, span,
                                constant ? "this is const and cannot be assigned to"
                                         : "this cannot be assigned to");
    bw_note(p->diags, d, constant ? "remove const from its declaration"
                                  : "assign to a variable, an element, a member or *pointer");
    return false;
}

bw_expr *bw_new_assign(bw_parser *p, bw_expr *a, bw_expr *b, bw_span span)
{
    if (!check_assignable(p, a, span))
        return bw_new_error(p, span);
    b = bw_convert(p, b, a->type);
    if (is_error(b))
        return b;
    bw_expr *e = bw_new_expr(p, BW_EX_ASSIGN, a->type, span);
    e->a = a;
    e->b = b;
    return e;
}

static bw_expr *new_compound(bw_parser *p, bw_binary op, bw_expr *a, bw_expr *b, bw_span span)
{
    b = bw_value(p, b);
    if (!check_assignable(p, a, span) || is_error(b))
        return bw_new_error(p, span);
    bool pointer = a->type->kind == BW_TY_POINTER;
    const bw_type *work = pointer ? a->type : work_type(op, a->type, b->type);
    if (!work || (pointer && ((op != BW_ADD && op != BW_SUB) || !bw_type_is_integer(b->type)))) {
        bad_types(p, span, bw_arena_format(p->arena, "'%s='", binary_text[op]), a->type, b->type);
        return bw_new_error(p, span);
    }
    bool shift = op == BW_SHL || op == BW_SHR;
    bw_expr *e = bw_new_expr(p, BW_EX_ASSIGN, a->type, span);
    e->a = a;
    e->b = pointer ? b : make_cast(p, b, shift ? bw_type_promote(b->type) : work, b->span);
    e->op = op;
    e->has_op = true;
    e->work = work;
    return e;
}

static bw_expr *new_step(bw_parser *p, bw_binary op, bool post, bw_expr *a, bw_span span)
{
    if (!check_assignable(p, a, span))
        return bw_new_error(p, span);
    if (!bw_type_is_scalar(a->type)) {
        bad_types(p, span, op == BW_ADD ? "'++'" : "'--'", a->type, NULL);
        return bw_new_error(p, span);
    }
    bw_expr *e = bw_new_expr(p, BW_EX_STEP, a->type, span);
    e->a = a;
    e->op = op;
    e->post = post;
    return e;
}

bw_expr *bw_new_deref(bw_parser *p, bw_expr *a, bw_span span)
{
    a = bw_value(p, a);
    if (is_error(a))
        return a;
    if (a->type->kind != BW_TY_POINTER || a->type->elem->kind == BW_TY_VOID) {
        bad_types(p, span, "'*'", a->type, NULL);
        return bw_new_error(p, span);
    }
    bw_expr *e = bw_new_expr(p, BW_EX_DEREF, a->type->elem, span);
    e->a = a;
    e->lvalue = true;
    return e;
}

static bw_expr *new_address(bw_parser *p, bw_expr *a, bw_span span)
{
    if (is_error(a))
        return a;
    if (!a->lvalue) {
        bw_note(p->diags, bw_error(p->diags, p->source, span, "this has no address"),
                "take the address of a variable, an element, a member or *pointer");
        return bw_new_error(p, span);
    }
    bw_mark_address_taken(a);
    bw_expr *e = bw_new_expr(p, BW_EX_ADDRESS, bw_type_pointer(p->arena, a->type), span);
    e->a = a;
    return e;
}

static bw_expr *new_index(bw_parser *p, bw_expr *a, bw_expr *b, bw_span span)
{
    b = bw_value(p, b);
    if (is_error(a) || is_error(b))
        return bw_new_error(p, span);
    bool array = a->type->kind == BW_TY_ARRAY;
    if ((!array && a->type->kind != BW_TY_POINTER) || !bw_type_is_integer(b->type)) {
        bad_types(p, span, "'[]'", a->type, b->type);
        return bw_new_error(p, span);
    }
    if (array)
        bw_mark_address_taken(a);
    bw_expr *e = bw_new_expr(p, BW_EX_INDEX, a->type->elem, span);
    e->a = a;
    e->b = b;
    e->lvalue = true;
    return e;
}

bw_expr *bw_new_member(bw_parser *p, bw_expr *a, const bw_member *member, bw_span span)
{
    bw_expr *e = bw_new_expr(p, BW_EX_MEMBER, member->type, span);
    e->a = a;
    e->member = member;
    e->lvalue = a->lvalue;
    return e;
}

/* ---- primary expressions ----------------------------------------------------------------------- */

static bw_expr *parse_number(bw_parser *p)
{
    const bw_token *token = bw_take(p);
    bool is_float = false;
    int64_t integer = 0;
    double real = 0;
    if (!bw_number(token->text, token->len, &is_float, &integer, &real)) {
        bw_note(p->diags,
                bw_error(p->diags, p->source, token->span, "'%.*s' is not a number",
                         (int)token->len, token->text),
                "write 12, 0x1f, 1.5f or 2e3");
        return bw_new_error(p, token->span);
    }
    char last = token->text[token->len - 1];
    if (is_float)
        return bw_new_real(p, last == 'f' || last == 'F' ? &bw_ty_float : &bw_ty_double, real,
                           token->span);
    bool hex = token->len > 1 && token->text[0] == '0';
    bool u = false, l = false;
    for (uint32_t i = token->len; i-- > 0 && strchr("uUlL", token->text[i]);) {
        u |= token->text[i] == 'u' || token->text[i] == 'U';
        l |= token->text[i] == 'l' || token->text[i] == 'L';
    }
    const bw_type *type;
    if (!l && integer >= 0 && integer <= INT32_MAX)
        type = u ? &bw_ty_uint : &bw_ty_int;
    else if (!l && integer >= 0 && integer <= UINT32_MAX && (u || hex))
        type = &bw_ty_uint;
    else
        type = u || integer < 0 ? &bw_ty_ullong : &bw_ty_llong;
    return bw_new_integer(p, type, integer, token->span);
}

static bw_expr *parse_character(bw_parser *p)
{
    static const char escapes[] = "n\nt\tr\r0\0\\\\''\"\"a\av\vf\fb\b";
    const bw_token *token = bw_take(p);
    int value = token->len > 2 ? (unsigned char)token->text[1] : 0;
    if (value == '\\' && token->len > 3)
        for (size_t i = 0; i + 1 < sizeof escapes; i += 2)
            if (escapes[i] == token->text[2])
                value = escapes[i + 1];
    return bw_new_integer(p, &bw_ty_char, value, token->span);
}

static size_t edit_distance(const char *a, size_t m, const char *b, size_t n)
{
    size_t row[65];
    if (m > 64 || n > 64)
        return 99;
    for (size_t j = 0; j <= n; j++)
        row[j] = j;
    for (size_t i = 1; i <= m; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t best = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            best = row[j] + 1 < best ? row[j] + 1 : best;
            row[j] = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
        }
    }
    return row[n];
}

static bw_expr *unknown_name(bw_parser *p, const bw_token *token)
{
    const char *best = NULL;
    size_t least = token->len > 3 ? 3 : 2;
    for (const bw_scope *scope = p->scope; scope; scope = scope->parent)
        for (const bw_symbol *s = scope->symbols; s; s = s->next) {
            size_t d = edit_distance(s->name, strlen(s->name), token->text, token->len);
            if (d < least) {
                least = d;
                best = s->name;
            }
        }
    static const char *const known[] = {"threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (edit_distance(known[i], strlen(known[i]), token->text, token->len) < least)
            best = known[i];
    bw_diagnostic *d = bw_error(p->diags, p->source, token->span, "unknown identifier '%.*s'",
                                (int)token->len, token->text);
    if (best)
        bw_note(p->diags, d, "did you mean '%s'?", best);
    else
        bw_note(p->diags, d, "declare it, or make it a parameter: const int %.*s = …;",
                (int)token->len, token->text);
    return bw_new_error(p, token->span);
}

/* threadIdx.x and its kin. */
static bw_expr *parse_special(bw_parser *p)
{
    static const char *const bases[] = {"threadIdx", "blockIdx", "blockDim", "gridDim"};
    size_t start = p->at;
    for (int i = 0; i < 4; i++) {
        if (!bw_at(p, bases[i]))
            continue;
        bw_take(p);
        const bw_token *member = bw_peek(p, 1);
        if (!bw_at(p, ".") || member->len != 1 || member->text[0] < 'x' || member->text[0] > 'z')
            bw_syntax_error(p, "write its .x, .y or .z", "'%s' is a triple", bases[i]);
        int axis = member->text[0] - 'x';
        bw_take(p);
        bw_take(p);
        bw_expr *e = bw_new_expr(p, BW_EX_BUILTIN_VAR, &bw_ty_uint, bw_span_from(p, start));
        e->special = (bw_special)(BW_THREAD_X + 3 * i + axis);
        return e;
    }
    return NULL;
}

static bw_expr *parse_sizeof(bw_parser *p, bool align)
{
    size_t start = p->at - 1;
    const bw_type *type;
    if (bw_at(p, "(") && (p->at++, bw_at_type(p))) {
        type = bw_parse_type_name(p);
        bw_expect_token(p, ")", "behind the type");
    } else {
        if (bw_token_is(&p->tokens[p->at - 1], "("))
            p->at--;
        bw_expr *e = bw_parse_assignment(p);
        type = e->type;
    }
    return bw_new_integer(p, &bw_ty_ulong, align ? type->align : type->size,
                          bw_span_from(p, start));
}

/* T(e), T{…} and dim3(…). */
static bw_expr *parse_construction(bw_parser *p)
{
    size_t start = p->at;
    const bw_type *type = bw_parse_specifiers(p).type;
    if (bw_at(p, "{"))
        return bw_parse_initializer(p, &type);
    bw_expect_token(p, "(", "behind the type");
    if (type->kind == BW_TY_STRUCT) {
        bw_expr **args;
        p->at--;
        uint32_t count = (uint32_t)bw_parse_arguments(p, &args);
        bw_expr **all = bw_arena_alloc(p->arena, sizeof *all * (type->member_count + 1));
        bw_span span = bw_span_from(p, start);
        if (count == 1 && bw_type_same(args[0]->type, type))
            return args[0];
        if (count > type->member_count) {
            bw_error(p->diags, p->source, span, "%s takes at most %u values",
                     bw_type_name(p->arena, type), type->member_count);
            return bw_new_error(p, span);
        }
        bool dim3 = type->name && strcmp(type->name, "dim3") == 0;
        for (uint32_t i = 0; i < type->member_count; i++)
            all[i] = i < count ? bw_convert(p, args[i], type->members[i].type)
                               : bw_convert(p, bw_new_integer(p, &bw_ty_int, dim3, span),
                                            type->members[i].type);
        return bw_new_intrinsic(p, BW_IN_MAKE, 0, type, span, type->member_count, all);
    }
    bw_expr *e = bw_at(p, ")") ? bw_new_integer(p, &bw_ty_int, 0, bw_peek(p, 0)->span)
                               : bw_parse_expression(p);
    bw_expect_token(p, ")", "behind the value");
    return bw_cast(p, e, type, bw_span_from(p, start));
}

/* static_cast<T>(e) and its kin. */
static bw_expr *parse_named_cast(bw_parser *p)
{
    size_t start = p->at;
    bw_take(p);
    bw_expect_token(p, "<", "behind the cast");
    size_t type_at = p->at;
    bw_specifiers s = bw_parse_specifiers(p);
    bw_declarator d = bw_parse_declarator(p, s.type);
    bw_expect_token(p, ">", "behind the cast's type");
    (void)type_at;
    bw_expect_token(p, "(", "behind the cast");
    bw_expr *e = bw_parse_expression(p);
    bw_expect_token(p, ")", "behind the cast's operand");
    bw_span span = bw_span_from(p, start);
    if (d.is_reference) { /* reinterpret_cast<T &>(lvalue) is *(T *)&lvalue */
        bw_expr *address = new_address(p, e, span);
        return is_error(address)
                   ? address
                   : bw_new_deref(p, bw_cast(p, address, bw_type_pointer(p->arena, d.type), span),
                                  span);
    }
    return bw_cast(p, e, d.type, span);
}

static bw_expr *parse_name(bw_parser *p)
{
    while (bw_peek(p, 0)->kind == BW_TOK_NAME && bw_token_is(bw_peek(p, 1), "::"))
        p->at += 2;
    bw_accept(p, "::");
    const bw_token *token = bw_peek(p, 0);
    bw_symbol *s = bw_lookup(p, token->text, token->len);
    if (bw_token_is(bw_peek(p, 1), "<<<"))
        bw_syntax_error(p, "move the launch to top level, below the kernel",
                        "a kernel is launched at top level only");
    if ((s && s->kind == BW_SY_FUNCTION) || (!s && bw_is_builtin(token))) {
        bw_take(p);
        return bw_parse_call(p, token);
    }
    bw_take(p);
    if (!s && bw_token_is(token, "warpSize"))
        return bw_new_integer(p, &bw_ty_int, BW_LANES, token->span);
    if (!s && (bw_token_is(token, "true") || bw_token_is(token, "false")))
        return bw_new_integer(p, &bw_ty_bool, token->text[0] == 't', token->span);
    if (!s && (bw_token_is(token, "nullptr") || bw_token_is(token, "NULL")))
        return bw_new_integer(p, &bw_ty_long, 0, token->span);
    static const struct {
        const char *name;
        double value;
    } limits[] = {{"INFINITY", INFINITY}, {"CUDART_INF_F", INFINITY}, {"M_PI", 3.14159265358979},
                  {"FLT_MAX", 3.40282346638528859812e38}, {"INT_MAX", INT32_MAX},
                  {"INT_MIN", INT32_MIN}, {"UINT_MAX", UINT32_MAX}, {"FLT_MIN", 1.17549435e-38}};
    for (size_t i = 0; !s && i < sizeof limits / sizeof *limits; i++)
        if (bw_token_is(token, limits[i].name)) {
            if (limits[i].name[0] == 'I' && limits[i].name[3] == '_')
                return bw_new_integer(p, &bw_ty_int, (int64_t)limits[i].value, token->span);
            if (limits[i].name[0] == 'U')
                return bw_new_integer(p, &bw_ty_uint, (int64_t)limits[i].value, token->span);
            return bw_new_real(p, limits[i].name[0] == 'M' ? &bw_ty_double : &bw_ty_float,
                               limits[i].value, token->span);
        }
    if (!s && bw_at(p, "(")) {
        bw_diagnostic *d = bw_error(p->diags, p->source, token->span, "unknown function '%.*s'",
                                    (int)token->len, token->text);
        bw_note(p->diags, d, "define it as a __device__ function above its use; "
                             "bankwise-pattern(5) lists the built-in ones");
        bw_expr **args;
        bw_parse_arguments(p, &args);
        return bw_new_error(p, token->span);
    }
    if (!s)
        return unknown_name(p, token);
    if (s->kind == BW_SY_CONSTANT) {
        bw_expr *e = bw_new_expr(p, BW_EX_CONST, s->type, token->span);
        *e = *s->value;
        e->span = token->span;
        return e;
    }
    if (s->kind == BW_SY_DIM3) { /* block.x of a host-side dim3 */
        bw_expect_token(p, ".", "behind a dim3");
        const bw_token *member = bw_take(p);
        int axis = member->len == 1 ? member->text[0] - 'x' : 3;
        if (axis < 0 || axis > 2)
            bw_syntax_error(p, "write .x, .y or .z", "a dim3 has no such member");
        return bw_new_integer(p, &bw_ty_uint, s->dims[axis], token->span);
    }
    return bw_new_symbol(p, s, token->span);
}

static bw_expr *parse_string(bw_parser *p)
{
    const bw_token *token = bw_take(p);
    while (bw_peek(p, 0)->kind == BW_TOK_STRING)
        bw_take(p);
    bw_expr *e = bw_new_expr(p, BW_EX_STRING, bw_type_pointer(p->arena, &bw_ty_char), token->span);
    return e;
}

static bw_expr *parse_parenthesized(bw_parser *p)
{
    size_t start = p->at;
    bool greater = p->no_greater;
    p->no_greater = false;
    bw_take(p);
    bw_expr *e = bw_parse_expression(p);
    bw_expect_token(p, ")", "behind the expression");
    p->no_greater = greater;
    if (!e->symbol && !e->lvalue)
        e->span = bw_span_from(p, start);
    return e;
}

static bw_expr *parse_primary(bw_parser *p)
{
    const bw_token *token = bw_peek(p, 0);
    if (token->kind == BW_TOK_NUMBER)
        return parse_number(p);
    if (token->kind == BW_TOK_CHAR)
        return parse_character(p);
    if (token->kind == BW_TOK_STRING)
        return parse_string(p);
    if (bw_at(p, "("))
        return parse_parenthesized(p);
    if (bw_at(p, "["))
        bw_syntax_error(p, "make it a __device__ function with parameters",
                        "lambdas are not in the language");
    if (token->kind == BW_TOK_NAME) {
        if (bw_at(p, "sizeof") || bw_at(p, "alignof") || bw_at(p, "_Alignof"))
            return parse_sizeof(p, bw_take(p)->text[0] != 's');
        if (bw_at(p, "static_cast") || bw_at(p, "reinterpret_cast") || bw_at(p, "const_cast"))
            return parse_named_cast(p);
        bw_expr *special = bw_lookup(p, token->text, token->len) ? NULL : parse_special(p);
        if (special)
            return special;
        if (bw_at_type(p))
            return parse_construction(p);
        return parse_name(p);
    }
    if (token->kind == BW_TOK_END)
        bw_syntax_error(p, "finish the statement", "expected an expression, found the end of the file");
    bw_syntax_error(p, NULL, "expected an expression, found '%.*s'", (int)token->len, token->text);
}

static bw_expr *parse_member_access(bw_parser *p, bw_expr *e, size_t start)
{
    bool arrow = bw_at(p, "->");
    bw_take(p);
    const bw_token *name = bw_take(p);
    if (name->kind != BW_TOK_NAME)
        bw_syntax_error(p, "write object.member", "expected a member's name");
    bw_span span = bw_span_from(p, start);
    if (e->type->kind == BW_TY_HANDLE)
        return bw_parse_method(p, e, name, span);
    if (arrow)
        e = bw_new_deref(p, e, span);
    if (is_error(e))
        return e;
    const bw_member *m =
        e->type->kind == BW_TY_STRUCT ? bw_type_member(e->type, name->text, name->len) : NULL;
    if (!m) {
        bw_diagnostic *d =
            bw_error(p->diags, p->source, name->span, "%s has no member '%.*s'",
                     bw_type_name(p->arena, e->type), (int)name->len, name->text);
        const char *list = "";
        for (uint32_t i = 0; i < e->type->member_count && i < 12; i++)
            list = bw_arena_format(p->arena, "%s %s", list, e->type->members[i].name);
        bw_note(p->diags, d, e->type->member_count ? "its members are:%s" : "it is no struct%s",
                list);
        return bw_new_error(p, span);
    }
    return bw_new_member(p, e, m, span);
}

static bw_expr *parse_postfix(bw_parser *p)
{
    size_t start = p->at;
    bw_expr *e = parse_primary(p);
    for (;;) {
        if (bw_accept(p, "[")) {
            bool greater = p->no_greater;
            p->no_greater = false;
            bw_expr *index = bw_parse_expression(p);
            bw_expect_token(p, "]", "behind the index");
            p->no_greater = greater;
            e = new_index(p, e, index, bw_span_from(p, start));
        } else if (bw_at(p, ".") || bw_at(p, "->")) {
            e = parse_member_access(p, e, start);
        } else if (bw_at(p, "++") || bw_at(p, "--")) {
            bw_binary op = bw_take(p)->text[0] == '+' ? BW_ADD : BW_SUB;
            e = new_step(p, op, true, e, bw_span_from(p, start));
        } else {
            return e;
        }
    }
}

/* "(" begins a cast if a type follows and it is no T(…) inside parentheses. */
static bool at_cast(const bw_parser *p)
{
    if (!bw_at(p, "("))
        return false;
    bw_parser ahead = *p;
    ahead.at++;
    if (!bw_at_type(&ahead))
        return false;
    while (bw_peek(&ahead, 0)->kind == BW_TOK_NAME || bw_at(&ahead, "::"))
        ahead.at++;
    return bw_at(&ahead, ")") || bw_at(&ahead, "*") || bw_at(&ahead, "&") || bw_at(&ahead, "<");
}

static bw_expr *parse_unary(bw_parser *p)
{
    size_t start = p->at;
    bw_expr *e;
    bw_enter(p);
    if (at_cast(p)) {
        bw_take(p);
        const bw_type *type = bw_parse_type_name(p);
        bw_expect_token(p, ")", "behind the cast's type");
        e = bw_at(p, "{") ? bw_parse_initializer(p, &type) : parse_unary(p);
        e = bw_cast(p, e, type, bw_span_from(p, start));
    } else if (bw_at(p, "++") || bw_at(p, "--")) {
        bw_binary op = bw_take(p)->text[0] == '+' ? BW_ADD : BW_SUB;
        bw_expr *operand = parse_unary(p);
        e = new_step(p, op, false, operand, bw_span_from(p, start));
    } else if (bw_accept(p, "+")) {
        e = bw_value(p, parse_unary(p));
        if (bw_type_is_arithmetic(e->type))
            e = make_cast(p, e, bw_type_promote(e->type), e->span);
    } else if (bw_at(p, "-") || bw_at(p, "~") || bw_at(p, "!")) {
        char c = bw_take(p)->text[0];
        bw_expr *operand = parse_unary(p);
        e = new_unary(p, c == '-' ? BW_EX_NEG : c == '~' ? BW_EX_INVERT : BW_EX_NOT, operand,
                      bw_span_from(p, start));
    } else if (bw_accept(p, "*")) {
        bw_expr *operand = parse_unary(p);
        e = bw_new_deref(p, operand, bw_span_from(p, start));
    } else if (bw_accept(p, "&")) {
        bw_expr *operand = parse_unary(p);
        e = new_address(p, operand, bw_span_from(p, start));
    } else {
        e = parse_postfix(p);
    }
    bw_leave(p);
    return e;
}

/* ---- binary, conditional, assignment ----------------------------------------------------------- */

static const struct {
    const char *text;
    int level;
    int op; /* bw_binary, or -1 for &&, -2 for || */
} operators[] = {
    {"||", 1, -2},     {"&&", 2, -1},     {"|", 3, BW_OR},   {"^", 4, BW_XOR},  {"&", 5, BW_AND},
    {"==", 6, BW_EQ},  {"!=", 6, BW_NE},  {"<", 7, BW_LT},   {">", 7, BW_GT},   {"<=", 7, BW_LE},
    {">=", 7, BW_GE},  {"<<", 8, BW_SHL}, {">>", 8, BW_SHR}, {"+", 9, BW_ADD},  {"-", 9, BW_SUB},
    {"*", 10, BW_MUL}, {"/", 10, BW_DIV}, {"%", 10, BW_REM},
};

static int operator_at(const bw_parser *p)
{
    const bw_token *token = bw_peek(p, 0);
    if (token->kind != BW_TOK_PUNCT || (p->no_greater && token->text[0] == '>'))
        return -1;
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (bw_token_is(token, operators[i].text))
            return (int)i;
    return -1;
}

static bw_expr *parse_binary(bw_parser *p, int level)
{
    size_t start = p->at;
    bw_expr *a = parse_unary(p);
    for (int i; (i = operator_at(p)) >= 0 && operators[i].level > level;) {
        bw_take(p);
        bw_expr *b = parse_binary(p, operators[i].level);
        bw_span span = bw_span_from(p, start);
        a = operators[i].op >= 0
                ? bw_new_binary(p, (bw_binary)operators[i].op, a, b, span)
                : new_logical(p, operators[i].op == -1 ? BW_EX_AND : BW_EX_OR, a, b, span);
    }
    return a;
}

static bw_expr *new_conditional(bw_parser *p, bw_expr *c, bw_expr *a, bw_expr *b, bw_span span)
{
    c = truth(p, c);
    a = bw_value(p, a);
    b = bw_value(p, b);
    if (is_error(c) || is_error(a) || is_error(b))
        return bw_new_error(p, span);
    const bw_type *type = a->type;
    if (bw_type_is_arithmetic(a->type) && bw_type_is_arithmetic(b->type))
        type = bw_type_common(a->type, b->type);
    else if (b->type->kind == BW_TY_POINTER && a->type->kind != BW_TY_POINTER)
        type = b->type;
    if (type->kind != BW_TY_VOID) {
        a = bw_convert(p, a, type);
        b = bw_convert(p, b, type);
    }
    if (is_error(a) || is_error(b))
        return bw_new_error(p, span);
    if (bw_is_constant(c))
        return c->integer ? a : b;
    bw_expr *e = bw_new_expr(p, BW_EX_COND, type, span);
    e->a = c;
    e->b = a;
    e->c = b;
    e->lvalue = false;
    return e;
}

bw_expr *bw_parse_conditional(bw_parser *p)
{
    size_t start = p->at;
    bw_enter(p);
    bw_expr *e = parse_binary(p, 0);
    if (bw_accept(p, "?")) {
        bool greater = p->no_greater;
        p->no_greater = false;
        bw_expr *a = bw_parse_expression(p);
        p->no_greater = greater;
        bw_expect_token(p, ":", "between the two values of '?'");
        bw_expr *b = bw_parse_assignment(p);
        e = new_conditional(p, e, a, b, bw_span_from(p, start));
    }
    bw_leave(p);
    return e;
}

bw_expr *bw_parse_assignment(bw_parser *p)
{
    static const struct {
        const char *text;
        bw_binary op;
    } compound[] = {{"+=", BW_ADD}, {"-=", BW_SUB}, {"*=", BW_MUL},  {"/=", BW_DIV},
                    {"%=", BW_REM}, {"&=", BW_AND}, {"|=", BW_OR},   {"^=", BW_XOR},
                    {"<<=", BW_SHL}, {">>=", BW_SHR}};
    size_t start = p->at;
    bw_expr *a = bw_parse_conditional(p);
    if (bw_accept(p, "=")) {
        const bw_type *type = a->type;
        bw_expr *b = bw_at(p, "{") ? bw_parse_initializer(p, &type) : bw_parse_assignment(p);
        return bw_new_assign(p, a, b, bw_span_from(p, start));
    }
    for (size_t i = 0; i < sizeof compound / sizeof *compound; i++)
        if (bw_accept(p, compound[i].text)) {
            bw_expr *b = bw_parse_assignment(p);
            return new_compound(p, compound[i].op, a, b, bw_span_from(p, start));
        }
    return a;
}

bw_expr *bw_parse_expression(bw_parser *p)
{
    size_t start = p->at;
    bw_expr *a = bw_parse_assignment(p);
    while (bw_accept(p, ",")) {
        bw_expr *b = bw_value(p, bw_parse_assignment(p));
        bw_expr *e = bw_new_expr(p, BW_EX_COMMA, b->type, bw_span_from(p, start));
        e->a = a;
        e->b = b;
        a = e;
    }
    return a;
}

int64_t bw_parse_integer(bw_parser *p, const char *what, int64_t fallback)
{
    bool greater = p->no_greater;
    if (p->at && bw_token_is(&p->tokens[p->at - 1], "<"))
        p->no_greater = true;
    else if (p->at && strstr(what, "template argument"))
        p->no_greater = true;
    bw_expr *e = bw_parse_conditional(p);
    p->no_greater = greater;
    if (is_error(e))
        return fallback;
    if (bw_is_constant(e) && bw_type_is_integer(e->type))
        return e->integer;
    bw_note(p->diags,
            bw_error(p->diags, p->source, e->span, "%s must be an integer constant", what),
            "use numbers, const or constexpr values, #define and enum names");
    return fallback;
}

/* ---- initializers ------------------------------------------------------------------------------ */

typedef struct leaves {
    bw_expr **items;
    uint32_t count, capacity;
} leaves;

/* Scalars in a type, in order; arrays of unknown count have none. */
static uint32_t leaf_count(const bw_type *type)
{
    if (type->kind == BW_TY_ARRAY)
        return type->count < 0 ? 0 : (uint32_t)type->count * leaf_count(type->elem);
    if (type->kind != BW_TY_STRUCT)
        return 1;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < type->member_count; i++)
        sum += leaf_count(type->members[i].type);
    return sum;
}

/* An initializer list's leaves may be no more than this: each is a node. */
#define MAX_LEAVES ((uint32_t)1 << 20)

static void put_leaf(bw_parser *p, leaves *l, uint32_t at, bw_expr *e)
{
    if (at >= MAX_LEAVES)
        bw_syntax_error(p, "give it its values in a loop", "this list is too long");
    if (at >= l->capacity) {
        uint32_t capacity = l->capacity ? l->capacity : 16;
        while (capacity <= at)
            capacity *= 2;
        bw_expr **items = bw_arena_alloc(p->arena, capacity * sizeof *items);
        if (l->count)
            memcpy(items, l->items, l->count * sizeof *items);
        l->items = items;
        l->capacity = capacity;
    }
    l->items[at] = e;
    if (at >= l->count)
        l->count = at + 1;
}

static void parse_list(bw_parser *p, const bw_type *type, leaves *l, uint32_t base);

/* One element of a list, for an object of `type`. Braces may be left out, as in C. */
static void parse_element(bw_parser *p, const bw_type *type, leaves *l, uint32_t base)
{
    if (bw_at(p, "{")) {
        parse_list(p, type, l, base);
    } else if (type->kind == BW_TY_ARRAY) {
        for (int64_t i = 0; i < type->count && !bw_at(p, "}"); i++) {
            parse_element(p, type->elem, l, base + (uint32_t)i * leaf_count(type->elem));
            if (i + 1 == type->count || !bw_token_is(bw_peek(p, 0), ",") ||
                bw_token_is(bw_peek(p, 1), "}"))
                break;
            bw_take(p);
        }
    } else {
        bw_expr *e = bw_parse_assignment(p);
        put_leaf(p, l, base,
                 type->kind == BW_TY_STRUCT ? bw_convert(p, e, type) : bw_convert(p, e, type));
    }
}

static void parse_list(bw_parser *p, const bw_type *type, leaves *l, uint32_t base)
{
    bw_enter(p);
    bw_expect_token(p, "{", "before the values");
    uint32_t members = type->kind == BW_TY_STRUCT ? type->member_count : 1;
    uint32_t at = base;
    for (uint32_t i = 0; !bw_at(p, "}"); i++) {
        const bw_type *elem = type->kind == BW_TY_ARRAY ? type->elem
                              : type->kind == BW_TY_STRUCT && i < members ? type->members[i].type
                                                                          : type;
        bool full = type->kind == BW_TY_ARRAY ? type->count >= 0 && i >= type->count : i >= members;
        if (full)
            bw_syntax_error(p, "remove what is too much", "more values than %s holds",
                            bw_type_name(p->arena, type));
        parse_element(p, elem, l, at);
        at += leaf_count(elem);
        if (!bw_accept(p, ","))
            break;
    }
    bw_expect_token(p, "}", "behind the values");
    bw_leave(p);
}

bw_expr *bw_parse_initializer(bw_parser *p, const bw_type **type)
{
    size_t start = p->at;
    const bw_type *t = *type;
    if (!bw_at(p, "{")) {
        if (t->kind == BW_TY_ARRAY)
            bw_syntax_error(p, "write { value, value, … }", "an array is initialized by a list");
        return bw_parse_assignment(p);
    }
    if (t->kind == BW_TY_AUTO)
        bw_syntax_error(p, "name the type", "auto cannot take a list");
    if (t->kind != BW_TY_ARRAY && t->kind != BW_TY_STRUCT) { /* int x{4} */
        bw_take(p);
        bw_expr *e = bw_at(p, "}") ? bw_new_integer(p, &bw_ty_int, 0, bw_peek(p, 0)->span)
                                   : bw_parse_assignment(p);
        bw_expect_token(p, "}", "behind the value");
        return bw_convert(p, e, t);
    }
    leaves l = {0};
    parse_list(p, t, &l, 0);
    if (t->kind == BW_TY_ARRAY && t->count < 0) {
        uint32_t each = leaf_count(t->elem);
        t = *type = bw_type_array(p->arena, t->elem, (l.count + each - 1) / (each ? each : 1));
    }
    uint32_t total = leaf_count(t);
    if (total > MAX_LEAVES)
        bw_syntax_error(p, "give it its values in a loop", "this object is too large for a list");
    bw_expr *e = bw_new_expr(p, BW_EX_LIST, t, bw_span_from(p, start));
    e->args = bw_arena_alloc(p->arena, (total + 1) * sizeof *e->args);
    for (uint32_t i = 0; i < l.count && i < total; i++)
        e->args[i] = l.items[i];
    e->arg_count = total;
    return e;
}
