/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <math.h>
#include <string.h>

#include "parse.h"

/* ---- nodes -------------------------------------------------------------------------------------
 */

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

bw_expr *bw_refuse(bw_parser *p, bw_message_id id, bw_span span, const char *message,
                   const char *note)
{
    bw_note(p->diags, bw_diagnose(p->diags, id, p->source, span, "%s", message), "%s", note);
    return bw_new_error(p, span);
}

bw_expr *bw_new_special(bw_parser *p, bw_special which, bw_span span)
{
    bw_expr *e = bw_new_expr(p, BW_EX_BUILTIN_VAR, &bw_ty_uint, span);
    e->special = which;
    return e;
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

bw_expr *bw_new_constant(bw_parser *p, const bw_symbol *s, bw_span span)
{
    bw_expr *e = bw_new_expr(p, BW_EX_CONST, s->type, span);
    *e = *s->value;
    e->span = span;
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
    bw_diagnostic *d = b ? bw_diagnose(p->diags, BW_MSG_OPERAND_TYPE, p->source, span,
                                       "%s does not take %s and %s", what,
                                       bw_type_name(p->arena, a), bw_type_name(p->arena, b))
                         : bw_diagnose(p->diags, BW_MSG_OPERAND_TYPE, p->source, span,
                                       "%s does not take %s", what, bw_type_name(p->arena, a));
    bw_note(p->diags, d,
            "operators take numbers and pointers; work on a vector's or struct's "
            "members one by one");
}

/* ---- conversions -------------------------------------------------------------------------------
 */

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
        return bw_new_integer(
            p, type, type->kind == BW_TY_BOOL ? e->real != 0 : real_to_integer(type, e->real),
            e->span);
    return bw_new_integer(p, type, e->integer, e->span);
}

static bw_expr *make_cast(bw_parser *p, bw_expr *e, const bw_type *type, bw_span span)
{
    if (bw_is_error(e) || bw_type_same(e->type, type))
        return e;
    if (bw_is_constant(e) && bw_type_is_arithmetic(e->type) && bw_type_is_arithmetic(type))
        return fold_cast(p, e, type);
    bw_expr *c = bw_new_expr(p, BW_EX_CAST, type, span);
    c->a = e;
    return c;
}

/* Values of 8-bit floats are not followed. */
static bw_expr *convert_fp8(bw_parser *p, bw_expr *e, const bw_type *type)
{
    bool from = bw_type_is_fp8(e->type), to = bw_type_is_fp8(type);
    const bw_type *other = from ? type : e->type;
    bool number = bw_type_is_arithmetic(other) ||
                  (other->kind == BW_TY_STRUCT && (other->is_vector || bw_type_is_fp8(other)));
    if ((!from && !to) || !number)
        return NULL;
    bw_expr **args = bw_arena_alloc(p->arena, sizeof *args);
    args[0] = e;
    return bw_new_intrinsic(p, BW_IN_UNKNOWN, 0, type, e->span, 1, args);
}

bw_expr *bw_convert(bw_parser *p, bw_expr *e, const bw_type *type)
{
    e = bw_value(p, e);
    if (e->type->kind == BW_TY_HANDLE && type == &bw_ty_group) {
        bw_expr *size = bw_new_expr(p, BW_EX_CAST, type, e->span);
        size->a = bw_group_size(p, e->type, e->span);
        return size;
    }
    if (bw_is_error(e) || type->kind == BW_TY_ERROR || bw_type_same(e->type, type))
        return e;
    bool both_numbers = bw_type_is_arithmetic(e->type) && bw_type_is_arithmetic(type);
    bool pointers = e->type->kind == BW_TY_POINTER && type->kind == BW_TY_POINTER;
    bool null = type->kind == BW_TY_POINTER && bw_is_constant(e) && bw_type_is_integer(e->type) &&
                e->integer == 0;
    bool truth = type->kind == BW_TY_BOOL && e->type->kind == BW_TY_POINTER;
    if (both_numbers || pointers || null || truth)
        return make_cast(p, e, type, e->span);
    bw_expr *user = convert_fp8(p, e, type);
    if (!user)
        user = p->cxx->convert(p, e, type);
    if (user)
        return user;
    bw_diagnostic *d =
        bw_diagnose(p->diags, BW_MSG_CANNOT_CONVERT, p->source, e->span, "cannot convert %s to %s",
                    bw_type_name(p->arena, e->type), bw_type_name(p->arena, type));
    bw_note(p->diags, d, "write the conversion that you mean, as a cast or a make_… function");
    return bw_new_error(p, e->span);
}

/* The value of a scalar alone: what is made of it refers to a copy. */
bw_expr *bw_without_place(bw_parser *p, bw_expr *e, bw_span span)
{
    if (!e->lvalue || !bw_type_is_scalar(e->type))
        return e;
    bw_expr *c = bw_new_expr(p, BW_EX_CAST, e->type, span);
    c->a = e;
    return c;
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
    if (made == e)
        return bw_without_place(p, e, span);
    if (made->kind == BW_EX_CAST || made->kind == BW_EX_CONST)
        made->span = span;
    return made;
}

/* ---- operators ---------------------------------------------------------------------------------
 */

static const char *const binary_text[] = {
    [BW_ADD] = "+",  [BW_SUB] = "-",  [BW_MUL] = "*", [BW_DIV] = "/",
    [BW_REM] = "%",  [BW_AND] = "&",  [BW_OR] = "|",  [BW_XOR] = "^",
    [BW_SHL] = "<<", [BW_SHR] = ">>", [BW_LT] = "<",  [BW_LE] = "<=",
    [BW_GT] = ">",   [BW_GE] = ">=",  [BW_EQ] = "==", [BW_NE] = "!=",
};
_Static_assert(sizeof binary_text / sizeof *binary_text == BW_BINARIES, "a sign for each");

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
        bw_note(p->diags,
                bw_diagnose(p->diags, BW_MSG_DIVISION_BY_ZERO, p->source, span, "division by zero"),
                "the divisor is the constant 0");
        return bw_new_error(p, span);
    }
    return bw_new_integer(p, result, fold_integer(op, work, a->integer, b->integer), span);
}

static bw_expr *pointer_arithmetic(bw_parser *p, bw_binary op, bw_expr *a, bw_expr *b, bw_span span)
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
    e->binary.op = op;
    e->a = a;
    e->binary.b = b;
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

/* Pairs of halves have operators of their own (cuda_fp16.hpp); their values are not followed. */
static bool is_pair(const bw_type *type)
{
    return type->kind == BW_TY_STRUCT && type->is_vector && type->member_count == 2 &&
           (type->members[0].type->kind == BW_TY_HALF ||
            type->members[0].type->kind == BW_TY_BFLOAT);
}

static bw_expr *pair_arithmetic(bw_parser *p, bw_binary op, bw_expr *a, bw_expr *b, bw_span span)
{
    bool fits = op <= BW_DIV && is_pair(a->type) && (!b || bw_type_same(a->type, b->type));
    if (!fits)
        return NULL;
    bw_expr **args = bw_arena_alloc(p->arena, 2 * sizeof *args);
    args[0] = a;
    args[1] = b;
    return bw_new_intrinsic(p, BW_IN_UNKNOWN, 0, a->type, span, b ? 2 : 1, args);
}

/* An operator on a struct: the file's own, or CUDA's. NULL: neither has a struct. */
static bw_expr *struct_operator(bw_parser *p, bw_binary op, bw_expr *a, bw_expr *b,
                                const char *suffix, bw_span span)
{
    if (a->type->kind != BW_TY_STRUCT && (!b || b->type->kind != BW_TY_STRUCT))
        return NULL;
    if (bw_is_error(a) || (b && bw_is_error(b)))
        return bw_new_error(p, span);
    const char *name = bw_arena_format(p->arena, "operator%s%s", binary_text[op], suffix);
    bw_expr *user = p->cxx->apply_operator(p, name, a, b, span);
    return user ? user : *suffix ? NULL : pair_arithmetic(p, op, a, b, span);
}

bw_expr *bw_new_binary(bw_parser *p, bw_binary op, bw_expr *a, bw_expr *b, bw_span span)
{
    bw_expr *user = struct_operator(p, op, a, b, "", span);
    if (user)
        return user;
    a = bw_value(p, a);
    b = bw_value(p, b);
    if (bw_is_error(a) || bw_is_error(b))
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
    e->binary.op = op;
    e->binary.work = work;
    e->a = a;
    e->binary.b = b;
    return e;
}

static bw_expr *truth(bw_parser *p, bw_expr *e)
{
    e = bw_value(p, e);
    if (bw_is_error(e) || e->type->kind == BW_TY_BOOL)
        return e;
    if (!bw_type_is_scalar(e->type)) {
        bad_types(p, e->span, "a condition", e->type, NULL);
        return bw_new_error(p, e->span);
    }
    return make_cast(p, e, &bw_ty_bool, e->span);
}

bw_expr *bw_new_logical(bw_parser *p, bw_expr_kind kind, bw_expr *a, bw_expr *b, bw_span span)
{
    a = truth(p, a);
    b = truth(p, b);
    if (bw_is_error(a) || bw_is_error(b))
        return bw_new_error(p, span);
    if (bw_is_constant(a)) {
        bool decided = kind == BW_EX_AND ? !a->integer : a->integer != 0;
        return decided ? bw_new_integer(p, &bw_ty_bool, a->integer, span) : b;
    }
    bw_expr *e = bw_new_expr(p, kind, &bw_ty_bool, span);
    e->a = a;
    e->binary.b = b;
    return e;
}

bw_expr *bw_new_unary(bw_parser *p, bw_expr_kind kind, bw_expr *a, bw_span span)
{
    bw_expr *user = kind == BW_EX_NEG ? struct_operator(p, BW_SUB, a, NULL, "", span) : NULL;
    if (user)
        return user;
    a = kind == BW_EX_NOT ? truth(p, a) : bw_value(p, a);
    if (bw_is_error(a))
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
    if (bw_is_error(a))
        return false;
    const bw_expr *root = a;
    while (root->kind == BW_EX_MEMBER || root->kind == BW_EX_INDEX)
        root = root->a;
    bool constant = root->kind == BW_EX_SYMBOL && root->symbol->is_const &&
                    root->symbol->type->kind != BW_TY_POINTER;
    if (a->lvalue && a->type->kind != BW_TY_ARRAY && !constant)
        return true;
    bw_diagnostic *d = bw_diagnose(p->diags, BW_MSG_NOT_ASSIGNABLE, p->source, span,
                                   constant ? "this is const and cannot be assigned to"
                                            : "this cannot be assigned to");
    bw_note(p->diags, d,
            constant ? "remove const from its declaration"
                     : "assign to a variable, an element, a member or *pointer");
    return false;
}

bw_expr *bw_new_assign(bw_parser *p, bw_expr *a, bw_expr *b, bw_span span)
{
    if (!check_assignable(p, a, span))
        return bw_new_error(p, span);
    b = bw_convert(p, b, a->type);
    if (bw_is_error(b))
        return b;
    bw_expr *e = bw_new_expr(p, BW_EX_ASSIGN, a->type, span);
    e->a = a;
    e->binary.b = b;
    return e;
}

bw_expr *bw_new_compound(bw_parser *p, bw_binary op, bw_expr *a, bw_expr *b, bw_span span)
{
    b = bw_value(p, b);
    bw_expr *user = struct_operator(p, op, a, b, "=", span);
    if (user)
        return user;
    if (!check_assignable(p, a, span) || bw_is_error(b))
        return bw_new_error(p, span);
    if (a->type->kind == BW_TY_STRUCT) {
        user = struct_operator(p, op, a, b, "", span); /* a = a + b */
        if (user)
            return bw_new_assign(p, a, user, span);
    }
    bool pointer = a->type->kind == BW_TY_POINTER;
    const bw_type *work = pointer ? a->type : work_type(op, a->type, b->type);
    if (!work || (pointer && ((op != BW_ADD && op != BW_SUB) || !bw_type_is_integer(b->type)))) {
        bad_types(p, span, bw_arena_format(p->arena, "'%s='", binary_text[op]), a->type, b->type);
        return bw_new_error(p, span);
    }
    bool shift = op == BW_SHL || op == BW_SHR;
    bw_expr *e = bw_new_expr(p, BW_EX_ASSIGN, a->type, span);
    e->a = a;
    e->binary.b = pointer ? b : make_cast(p, b, shift ? bw_type_promote(b->type) : work, b->span);
    e->binary.op = op;
    e->binary.has_op = true;
    e->binary.work = work;
    return e;
}

bw_expr *bw_new_step(bw_parser *p, bw_binary op, bool post, bw_expr *a, bw_span span)
{
    if (!check_assignable(p, a, span))
        return bw_new_error(p, span);
    if (!bw_type_is_scalar(a->type)) {
        bad_types(p, span, op == BW_ADD ? "'++'" : "'--'", a->type, NULL);
        return bw_new_error(p, span);
    }
    bw_expr *e = bw_new_expr(p, BW_EX_STEP, a->type, span);
    e->a = a;
    e->step.op = op;
    e->step.post = post;
    return e;
}

bw_expr *bw_new_deref(bw_parser *p, bw_expr *a, bw_span span)
{
    a = bw_value(p, a);
    if (bw_is_error(a))
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

bw_expr *bw_new_address(bw_parser *p, bw_expr *a, bw_span span)
{
    if (bw_is_error(a))
        return a;
    if (!a->lvalue) {
        bw_note(p->diags,
                bw_diagnose(p->diags, BW_MSG_NO_ADDRESS, p->source, span, "this has no address"),
                "take the address of a variable, an element, a member or *pointer");
        return bw_new_error(p, span);
    }
    bw_mark_address_taken(a);
    bw_expr *e = bw_new_expr(p, BW_EX_ADDRESS, bw_type_pointer(p->arena, a->type), span);
    e->a = a;
    return e;
}

bool bw_is_of_thread(const bw_expr *e)
{
    switch (e->kind) {
    case BW_EX_BUILTIN_VAR:
        return e->special == BW_THREAD_X || e->special == BW_LANE || e->special == BW_RANK;
    case BW_EX_SYMBOL: return e->symbol->of_thread;
    case BW_EX_CAST: return bw_is_of_thread(e->a);
    case BW_EX_BINARY:
        return (e->binary.op == BW_ADD || e->binary.op == BW_SUB || e->binary.op == BW_MUL) &&
               (bw_is_of_thread(e->a) || bw_is_of_thread(e->binary.b));
    default: return false;
    }
}

/* "float s[64]" of its symbol, for a note. */
static const char *declaration(bw_parser *p, const bw_symbol *s)
{
    const char *dims = "";
    const bw_type *t = s->type;
    for (; t->kind == BW_TY_ARRAY; t = t->elem)
        dims = bw_arena_format(p->arena, "%s[%lld]", dims, (long long)t->count);
    return bw_arena_format(p->arena, "%s %s%s", bw_type_name(p->arena, t), s->name, dims);
}

/* No card gives a block more: 227 KiB. */
#define MOST_SHARED (227u * 1024)

/* An array of each thread's own that is as large as a warp, and indexed by the thread: nobody needs
 * that, and __shared__ is easily forgotten. */
static void hint_of_shared(bw_parser *p, const bw_expr *a, const bw_expr *index)
{
    bool variable = a->kind == BW_EX_SYMBOL && a->symbol->kind == BW_SY_VARIABLE;
    if (!variable || a->symbol->storage != BW_ST_LOCAL || a->symbol->hinted ||
        a->symbol->is_reference || a->type->count < BW_LANES || a->type->size > MOST_SHARED ||
        !bw_is_of_thread(index))
        return;
    a->symbol->hinted = true;
    bw_note(p->diags,
            bw_diagnose(p->diags, BW_MSG_LOCAL_ARRAY, p->source, a->symbol->span,
                        "'%s' is not in shared memory: each thread has an array of its own",
                        a->symbol->name),
            "for one array of the block, write '__shared__ %s;'", declaration(p, a->symbol));
}

bw_expr *bw_new_index(bw_parser *p, bw_expr *a, bw_expr *b, bw_span span)
{
    b = bw_value(p, b);
    if (bw_is_error(a) || bw_is_error(b))
        return bw_new_error(p, span);
    bool array = a->type->kind == BW_TY_ARRAY;
    if ((!array && a->type->kind != BW_TY_POINTER) || !bw_type_is_integer(b->type)) {
        bad_types(p, span, "'[]'", a->type, b->type);
        return bw_new_error(p, span);
    }
    if (array)
        bw_mark_address_taken(a);
    if (array)
        hint_of_shared(p, a, b);
    bw_expr *e = bw_new_expr(p, BW_EX_INDEX, a->type->elem, span);
    e->a = a;
    e->binary.b = b;
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

bw_expr *bw_new_conditional(bw_parser *p, bw_expr *c, bw_expr *a, bw_expr *b, bw_span span)
{
    c = truth(p, c);
    a = bw_value(p, a);
    b = bw_value(p, b);
    if (bw_is_error(c) || bw_is_error(a) || bw_is_error(b))
        return bw_new_error(p, span);
    const bw_type *type = a->type;
    bool same = bw_type_same(a->type, b->type);
    if (same && a->type->size == 1 && bw_type_is_integer(a->type))
        same = strcmp(a->type->name, b->type->name) == 0; /* char and signed char are two types */
    if (same && a->type->names != b->type->names)
        same = false; /* an enum and the type it is stored as */
    if (same)
        type = a->type; /* C++ does not promote here, as C does */
    else if (bw_type_is_arithmetic(a->type) && bw_type_is_arithmetic(b->type))
        type = bw_type_common(a->type, b->type);
    else if (b->type->kind == BW_TY_POINTER && a->type->kind != BW_TY_POINTER)
        type = b->type;
    if (type->kind != BW_TY_VOID) {
        a = bw_convert(p, a, type);
        b = bw_convert(p, b, type);
    }
    if (bw_is_error(a) || bw_is_error(b))
        return bw_new_error(p, span);
    if (bw_is_constant(c))
        return c->integer ? a : b;
    bw_expr *e = bw_new_expr(p, BW_EX_COND, type, span);
    e->a = c;
    e->cond.yes = a;
    e->cond.no = b;
    e->lvalue = false;
    return e;
}
