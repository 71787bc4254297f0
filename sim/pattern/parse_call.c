/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <string.h>

#include "intrinsics.h"
#include "parse.h"

static bool is_error(const bw_expr *e)
{
    return e->type->kind == BW_TY_ERROR;
}

bw_expr *bw_new_intrinsic(bw_parser *p, bw_intrinsic what, int number, const bw_type *type,
                          bw_span span, uint32_t arg_count, bw_expr **args)
{
    bw_expr *e = bw_new_expr(p, BW_EX_INTRINSIC, type, span);
    e->intrinsic = what;
    e->number = number;
    e->args = args;
    e->arg_count = arg_count;
    return e;
}

/* "(a, b, …)": *args gets them in the arena. */
size_t bw_parse_arguments(bw_parser *p, bw_expr ***args)
{
    bw_expr *list[256];
    size_t count = 0;
    bool greater = p->no_greater;
    p->no_greater = false;
    bw_expect_token(p, "(", "before the arguments");
    while (!bw_at(p, ")")) {
        if (count == sizeof list / sizeof *list)
            bw_syntax_error(p, "split the call", "more than 256 arguments");
        list[count++] = bw_parse_assignment(p);
        if (!bw_accept(p, ","))
            break;
    }
    bw_expect_token(p, ")", "behind the arguments");
    p->no_greater = greater;
    *args = bw_arena_alloc(p->arena, (count + 4) * sizeof **args);
    if (count)
        memcpy(*args, list, count * sizeof *list);
    return count;
}

static bw_expr *integer(bw_parser *p, int64_t value, bw_span span)
{
    return bw_new_integer(p, &bw_ty_int, value, span);
}

static bw_expr *special(bw_parser *p, bw_special which, bw_span span)
{
    bw_expr *e = bw_new_expr(p, BW_EX_BUILTIN_VAR, &bw_ty_uint, span);
    e->special = which;
    return e;
}

static bw_expr *wrong_call(bw_parser *p, bw_span span, const char *message, const char *note)
{
    bw_note(p->diags, bw_error(p->diags, p->source, span, "%s", message), "%s", note);
    return bw_new_error(p, span);
}

/* ---- user functions ----------------------------------------------------------------------------
 */

/* Tokens [from, to) of a parameter of template `f`, and the type of its argument: "T *p" binds T to
 * what the argument points to, "T (&a)[N]" also N. */
static void deduce_one(bw_parser *p, const bw_function *f, size_t from, size_t to,
                       const bw_type *arg, bw_template_value *values, bw_span span)
{
    bool reference = false;
    const bw_type *type = arg;
    for (size_t k = from; k < to; k++)
        reference |= bw_token_is(&p->tokens[k], "&");
    for (size_t k = from; k < to; k++) {
        bool star = bw_token_is(&p->tokens[k], "*"), bracket = bw_token_is(&p->tokens[k], "[");
        if (!star && !bracket)
            continue;
        for (uint32_t t = 0; bracket && type->kind == BW_TY_ARRAY && t < f->template_count; t++)
            if (!f->templates[t].is_type && !values[t].value &&
                bw_token_is(&p->tokens[k + 1], f->templates[t].name))
                values[t].value = bw_new_integer(p, &bw_ty_long, type->count, span);
        if (type->kind == BW_TY_POINTER || type->kind == BW_TY_ARRAY)
            type = type->elem;
    }
    if (type == arg && type->kind == BW_TY_ARRAY && !reference)
        type = bw_type_pointer(p->arena, type->elem);
    for (size_t k = from; k < to; k++)
        for (uint32_t t = 0; t < f->template_count; t++)
            if (f->templates[t].is_type && !values[t].type &&
                bw_token_is(&p->tokens[k], f->templates[t].name))
                values[t].type = type;
}

/* Binds template parameters from arguments; returns how many parameters the function has. */
static size_t deduce(bw_parser *p, const bw_function *f, bw_expr **args, size_t count,
                     bw_template_value *values, bw_span span)
{
    size_t at = f->header_at, index = 0;
    while (at < p->count && !bw_token_is(&p->tokens[at], "("))
        at++;
    size_t from = ++at;
    for (int depth = 0; at < p->count; at++) {
        const bw_token *token = &p->tokens[at];
        bool end = depth == 0 && bw_token_is(token, ")");
        depth += bw_token_is(token, "(") - bw_token_is(token, ")");
        if (!end && (depth > 0 || !bw_token_is(token, ",")))
            continue;
        if (index < count)
            deduce_one(p, f, from, at, args[index]->type, values, span);
        index += at > from;
        from = at + 1;
        if (end)
            break;
    }
    return index;
}

/* ---- overloads: the function of a name that takes the arguments with the least conversion ------
 */

#define NO_MATCH UINT32_MAX

static uint32_t conversion_cost(const bw_expr *arg, const bw_type *to)
{
    const bw_type *from = arg->type;
    bool array = from->kind == BW_TY_ARRAY && to->kind == BW_TY_POINTER;
    if (bw_type_same(from, to) || (array && bw_type_same(from->elem, to->elem)))
        return 0;
    if (bw_type_is_arithmetic(from) && bw_type_is_arithmetic(to)) {
        bool promotion = bw_type_same(bw_type_promote(from), to) ||
                         (from->kind == BW_TY_FLOAT && to->kind == BW_TY_DOUBLE);
        return promotion ? 1 : 16;
    }
    bool pointer = array || from->kind == BW_TY_POINTER;
    if (to->kind == BW_TY_POINTER && pointer && to->elem->kind == BW_TY_VOID)
        return 16;
    return NO_MATCH;
}

static uint32_t call_cost(bw_parser *p, const bw_function *f, bw_expr **args, size_t count,
                          bw_span span)
{
    if (f->is_template) { /* its parameters fit, where they can be found */
        bw_template_value values[16] = {{0}};
        if (deduce(p, f, args, count, values, span) < count)
            return NO_MATCH;
        for (uint32_t t = 0; t < f->template_count; t++)
            if (!values[t].type && !values[t].value && !f->templates[t].default_at)
                return NO_MATCH;
        return 1;
    }
    uint32_t sum = 0;
    if (count > f->param_count || (count < f->param_count && !f->defaults[count]))
        return NO_MATCH;
    for (size_t i = 0; i < count; i++) {
        uint32_t cost = conversion_cost(args[i], f->params[i]->type);
        if (cost == NO_MATCH)
            return NO_MATCH;
        sum += cost;
    }
    return sum;
}

static bw_function *choose_overload(bw_parser *p, bw_function *first, bw_expr **args, size_t count,
                                    bool templates, bw_span span)
{
    bw_function *best = NULL;
    uint32_t least = NO_MATCH;
    bool tie = false;
    if (!first->next_overload)
        return first;
    for (bw_function *f = first; f; f = f->next_overload) {
        if (templates && !f->is_template)
            continue;
        uint32_t cost = templates ? 1 : call_cost(p, f, args, count, span);
        tie = cost == least ? true : cost < least ? false : tie;
        best = cost < least ? f : best;
        least = cost < least ? cost : least;
    }
    if (best && !tie)
        return best;
    wrong_call(p, span,
               bw_arena_format(p->arena,
                               best ? "more than one '%s' takes these arguments"
                                    : "no '%s' takes these arguments",
                               first->name),
               "cast the arguments to the parameters' types");
    return NULL;
}

static bw_expr *call_function(bw_parser *p, bw_function *f, size_t start)
{
    bw_template_value values[16] = {{0}};
    bool angled = bw_at(p, "<");
    for (bw_function *o = f; angled && o; o = o->next_overload)
        if (o->is_template) {
            bw_parse_template_arguments(p, o, values);
            break;
        }
    bw_expr **args;
    size_t count = bw_parse_arguments(p, &args);
    bw_span span = bw_span_from(p, start);
    for (size_t i = 0; i < count; i++)
        if (is_error(args[i]))
            return bw_new_error(p, span);
    f = choose_overload(p, f, args, count, angled, span);
    if (!f)
        return bw_new_error(p, span);
    if (f->is_template) {
        deduce(p, f, args, count, values, span);
        f = bw_instantiate(p, f, values, span);
        if (!f)
            return bw_new_error(p, span);
    }
    if (f->is_kernel)
        return wrong_call(p, span, "a kernel cannot be called",
                          "launch it at top level: "
                          "name<<<grid, block>>>(arguments);");
    uint32_t least = 0;
    while (least < f->param_count && !f->defaults[least])
        least++;
    if (count > f->param_count || count < least)
        return wrong_call(p, span,
                          bw_arena_format(p->arena, "'%s' takes %u arguments, not %zu", f->name,
                                          f->param_count, count),
                          "give one argument for each parameter");
    bw_expr **all = bw_arena_alloc(p->arena, (f->param_count + 1) * sizeof *all);
    for (uint32_t i = 0; i < f->param_count; i++) {
        bw_symbol *param = f->params[i];
        bw_expr *arg = i < count ? args[i] : f->defaults[i];
        if (param->is_reference) {
            bool same = is_error(arg) || bw_type_same(arg->type, param->type);
            if (arg->lvalue && same)
                bw_mark_address_taken(arg);
            else if (param->is_const)
                arg = bw_convert(p, arg, param->type);
            else if (arg->lvalue)
                return wrong_call(p, arg->span,
                                  bw_arena_format(p->arena,
                                                  "a reference to %s cannot be bound to %s",
                                                  bw_type_name(p->arena, param->type),
                                                  bw_type_name(p->arena, arg->type)),
                                  "give both the same type");
            else
                return wrong_call(p, arg->span, "a reference needs something that has an address",
                                  "pass a variable or an element");
        } else {
            arg = bw_convert(p, arg, param->type);
        }
        if (is_error(arg))
            return arg;
        all[i] = arg;
    }
    bw_expr *folded = f->is_constexpr ? bw_fold_call(p, f, all, span) : NULL;
    if (folded)
        return folded;
    bw_expr *e = bw_new_expr(p, BW_EX_CALL, f->result, span);
    e->function = f;
    e->args = all;
    e->arg_count = f->param_count;
    return f->returns_reference ? bw_new_deref(p, e, span) : e;
}

/* ---- atomics -----------------------------------------------------------------------------------
 */

static bool atomic_takes(bw_atomic op, const bw_type *t)
{
    bool word = t->kind == BW_TY_INT && (t->size == 4 || t->size == 8);
    bool add = op == BW_AT_ADD, exch = op == BW_AT_EXCH;
    if (t->kind == BW_TY_FLOAT || t->kind == BW_TY_DOUBLE)
        return add || (exch && t->kind == BW_TY_FLOAT);
    if (t->kind == BW_TY_STRUCT)
        return add && t->size == 4 && t->is_vector && t->member_count == 2;
    if (op == BW_AT_INC || op == BW_AT_DEC)
        return word && t->size == 4 && !t->is_signed;
    if (op == BW_AT_SUB)
        return word && t->size == 4;
    return word;
}

static bw_expr *call_atomic(bw_parser *p, const bw_builtin *b, bw_span span, bw_expr **args,
                            uint32_t count)
{
    args[0] = bw_value(p, args[0]);
    const bw_type *t = args[0]->type->kind == BW_TY_POINTER ? args[0]->type->elem : NULL;
    if (!t)
        return wrong_call(p, span, "an atomic needs the address of what it changes",
                          "write &array[index]");
    if (!atomic_takes((bw_atomic)b->number, t))
        return wrong_call(p, span,
                          bw_arena_format(p->arena, "'%s' does not exist for %s", b->name,
                                          bw_type_name(p->arena, t)),
                          "CUDA has int, unsigned and unsigned long long for most of them; float, "
                          "double and __half2 for atomicAdd");
    for (uint32_t i = 1; i < count; i++) {
        args[i] = bw_convert(p, args[i], t);
        if (is_error(args[i]))
            return args[i];
    }
    return bw_new_intrinsic(p, BW_IN_ATOMIC, b->number, t, span, count, args);
}

/* ---- calls that are typed by their own code
 * ------------------------------------------------------ */

static bw_expr *call_matrix(bw_parser *p, const bw_builtin *b, bw_span span, bw_expr **args,
                            uint32_t count)
{
    const bw_op_info *info = bw_op_get((bw_op)b->number);
    args[0] = bw_value(p, args[0]);
    if (args[0]->type->kind != BW_TY_POINTER && !bw_type_is_integer(args[0]->type))
        return wrong_call(p, span, "this needs the address of a row",
                          "each lane gives the address of a 16-byte row");
    const bw_type *type = info->kind == BW_KIND_STMATRIX ? &bw_ty_void
                          : info->matrices == 1          ? &bw_ty_uint
                                                : bw_type_vector(&bw_ty_uint, info->matrices);
    return bw_new_intrinsic(p, BW_IN_MATRIX, b->number, type, span, count, args);
}

static bw_expr *call_copy(bw_parser *p, const bw_builtin *b, bw_span span, bw_expr **args,
                          uint32_t count)
{
    int op = b->number;
    if (op < 0) { /* __pipeline_memcpy_async(dst, src, size, zfill) */
        int64_t size = bw_is_constant(args[2]) ? args[2]->integer : 0;
        op = size == 4    ? BW_OP_CP_ASYNC_4
             : size == 8  ? BW_OP_CP_ASYNC_8
             : size == 16 ? BW_OP_CP_ASYNC_16
                          : -1;
        if (op < 0)
            return wrong_call(p, span, "an asynchronous copy moves 4, 8 or 16 bytes",
                              "give the size as a constant");
    }
    for (uint32_t i = 0; i < 2; i++) {
        args[i] = bw_value(p, args[i]);
        if (args[i]->type->kind != BW_TY_POINTER && !bw_type_is_integer(args[i]->type))
            return wrong_call(p, span, "an asynchronous copy needs two addresses",
                              "the first in shared memory, the second in global memory");
    }
    return bw_new_intrinsic(p, BW_IN_CP_ASYNC, op, &bw_ty_void, span, count, args);
}

/* CuTe's Swizzle<B, M, S>: bits [M, M+B) ^= bits [M+S, M+S+B). */
static bw_expr *call_swizzle(bw_parser *p, bw_expr *e, int64_t b, int64_t m, int64_t s,
                             bw_span span)
{
    e = bw_value(p, e);
    if (is_error(e))
        return e;
    if (!bw_type_is_integer(e->type))
        return wrong_call(p, span, "a swizzle takes an integer offset",
                          "give the element offset (swizzle) or byte offset (tma_swizzle_…)");
    int64_t distance = s < 0 ? -s : s;
    if (b < 0 || m < 0 || distance < b || b + m + distance > 31)
        return wrong_call(p, span, "this swizzle is not possible",
                          "swizzle<B, M, S> needs B, M >= 0, |S| >= B and B + M + |S| below 32");
    int64_t from = s >= 0 ? m + s : m, to = s >= 0 ? m : m - s;
    const bw_type *type = bw_type_promote(e->type);
    e = bw_convert(p, e, type);
    if (bw_is_constant(e))
        return bw_new_integer(
            p, type, e->integer ^ (((e->integer >> from) & (((int64_t)1 << b) - 1)) << to), span);
    bw_expr **args = bw_arena_alloc(p->arena, sizeof *args);
    args[0] = e;
    return bw_new_intrinsic(p, BW_IN_SWIZZLE, (int)(to | b << 8 | from << 16), type, span, 1, args);
}

static bw_expr *member(bw_parser *p, bw_expr *e, int index, bw_span span)
{
    return bw_new_member(p, e, &e->type->members[index], span);
}

static bw_expr *make(bw_parser *p, const bw_type *type, bw_expr **args, uint32_t count,
                     bw_span span)
{
    for (uint32_t i = 0; i < count; i++)
        args[i] = bw_convert(p, args[i], type->members[i].type);
    return bw_new_intrinsic(p, BW_IN_MAKE, 0, type, span, count, args);
}

static bw_expr *call_half(bw_parser *p, int number, bw_expr **args, bw_span span)
{
    const bw_type *half2 = bw_type_named("__half2", 7), *float2 = bw_type_named("float2", 6);
    bool pair = number >= 3 && number <= 8;
    if (pair && (args[0]->type->kind != BW_TY_STRUCT || args[0]->type->member_count != 2))
        return wrong_call(p, span, "this takes a pair of values", "give a __half2 or float2");
    switch (number) {
    case 3: return member(p, args[0], 0, span);
    case 4: return member(p, args[0], 1, span);
    case 5: return bw_convert(p, member(p, args[0], 0, span), &bw_ty_float);
    case 6: return bw_convert(p, member(p, args[0], 1, span), &bw_ty_float);
    case 7: return bw_new_intrinsic(p, BW_IN_EACH, 0, float2, span, 1, args);
    case 8: return bw_new_intrinsic(p, BW_IN_EACH, 0, half2, span, 1, args);
    case 9: return make(p, half2, args, 2, span);
    default: return make(p, half2, args, 1, span); /* one value for both */
    }
}

/* sincosf(x, &s, &c): two stores of values that are not followed. */
static bw_expr *call_sincos(bw_parser *p, bw_span span, bw_expr **args)
{
    bw_expr *result = args[0];
    for (int k = 1; k < 3; k++) {
        bw_expr *target = bw_new_deref(p, args[k], span);
        if (is_error(target))
            return target;
        bw_expr *value = bw_new_intrinsic(p, BW_IN_UNKNOWN, 0, target->type, span, 0, NULL);
        bw_expr *both = bw_new_expr(p, BW_EX_COMMA, target->type, span);
        both->a = result;
        both->b = bw_new_assign(p, target, value, span);
        result = both;
    }
    return bw_cast(p, result, &bw_ty_void, span);
}

static bw_expr *call_special(bw_parser *p, const bw_builtin *b, const int64_t *numbers,
                             size_t number_count, bw_span span, bw_expr **args, uint32_t count)
{
    if (b->what == BW_IN_MATRIX)
        return call_matrix(p, b, span, args, count);
    if (b->what == BW_IN_CP_ASYNC)
        return call_copy(p, b, span, args, count);
    switch (b->number) {
    case 11: return call_sincos(p, span, args);
    case 0: /* assert: it is compiled out of what runs fast */
        return bw_new_intrinsic(p, BW_IN_NOP, 0, &bw_ty_void, span, 0, NULL);
    case 1:
    case 2: {
        const bw_type *type = b->number == 1 ? &bw_ty_int : &bw_ty_uint;
        return bw_new_binary(p, BW_MUL, bw_convert(p, args[0], type), bw_convert(p, args[1], type),
                             span);
    }
    case 20:
        if (number_count != 3)
            return wrong_call(p, span, "swizzle needs three numbers",
                              "write swizzle<B, M, S>(offset)");
        return call_swizzle(p, args[0], numbers[0], numbers[1], numbers[2], span);
    /* The bulk copy engine's modes permute 16-byte chunks (2^4 bytes) within 128-byte lines (2^7):
     * CUDA driver API, CU_TENSOR_MAP_SWIZZLE_32B, _64B, _128B. */
    case 21: return call_swizzle(p, args[0], 1, 4, 3, span);
    case 22: return call_swizzle(p, args[0], 2, 4, 3, span);
    case 23: return call_swizzle(p, args[0], 3, 4, 3, span);
    case 30: return bw_new_expr(p, BW_EX_CONST, bw_type_handle(p->arena, 0), span);
    case 31:
        return bw_new_expr(p, BW_EX_CONST,
                           bw_type_handle(p->arena, number_count ? numbers[0]
                                                    : count > 1 && bw_is_constant(args[1])
                                                        ? args[1]->integer
                                                        : BW_LANES),
                           span);
    case 32: return bw_new_expr(p, BW_EX_CONST, bw_type_handle(p->arena, 1), span);
    case 34: return bw_value(p, args[0]); /* hints to the compiler */
    case 33: return bw_new_intrinsic(p, BW_IN_UNKNOWN, 0, args[1]->type, span, count, args);
    default: return call_half(p, b->number, args, span);
    }
}

/* ---- the rest
 * ------------------------------------------------------------------------------------ */

static bw_expr *call_fixed(bw_parser *p, const bw_builtin *b, bw_span span, bw_expr **args,
                           uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        args[i] = bw_convert(p, args[i], b->argument);
        if (is_error(args[i]))
            return args[i];
    }
    if (b->what == BW_IN_DRAW)
        p->is_random = true;
    bool fold = b->what == BW_IN_MATH && bw_is_constant(args[0]) && count == 1;
    if (fold)
        return bw_new_real(p, b->result, bw_math_row(b->number)->one(args[0]->real), span);
    return bw_new_intrinsic(p, b->what, b->number, b->result, span, count, args);
}

/* min, max, abs, and the math functions that C++ overloads. */
static bw_expr *call_common(bw_parser *p, const bw_builtin *b, bw_span span, bw_expr **args,
                            uint32_t count)
{
    const bw_type *type = args[0]->type;
    for (uint32_t i = 0; i < count; i++) {
        args[i] = bw_value(p, args[i]);
        if (!bw_type_is_arithmetic(args[i]->type))
            return wrong_call(p, args[i]->span,
                              bw_arena_format(p->arena, "'%s' takes numbers", b->name),
                              "convert or take a member");
        type = bw_type_common(type, args[i]->type);
    }
    if (b->signature == BW_SG_GENERIC && !bw_type_is_float(type))
        type = &bw_ty_double;
    type = bw_type_promote(type);
    for (uint32_t i = 0; i < count; i++)
        args[i] = bw_convert(p, args[i], type);
    bool constant = count == 2 && bw_is_constant(args[0]) && bw_is_constant(args[1]);
    if (constant && bw_type_is_integer(type)) {
        int64_t x = args[0]->integer, y = args[1]->integer;
        bool less = type->is_signed ? x < y : (uint64_t)x < (uint64_t)y;
        return bw_new_integer(p, type, (b->what == BW_IN_MIN) == less ? x : y, span);
    }
    return bw_new_intrinsic(p, b->what, b->number, type, span, count, args);
}

static bw_expr *call_builtin(bw_parser *p, const bw_builtin *b, const int64_t *numbers,
                             size_t number_count, bw_span span, bw_expr **args, uint32_t count)
{
    if (count < b->least || count > b->most)
        return wrong_call(p, span,
                          bw_arena_format(p->arena, "'%s' takes %s%u argument%s, not %u", b->name,
                                          b->least == b->most ? "" : "at least ", b->least,
                                          b->least == 1 ? "" : "s", count),
                          "see bankwise-pattern(5)");
    for (uint32_t i = 0; i < count; i++)
        if (is_error(args[i]))
            return bw_new_error(p, span);
    switch (b->signature) {
    case BW_SG_FIXED: return call_fixed(p, b, span, args, count);
    case BW_SG_COMMON:
    case BW_SG_GENERIC: return call_common(p, b, span, args, count);
    case BW_SG_ATOMIC: return call_atomic(p, b, span, args, count);
    case BW_SG_SPECIAL: return call_special(p, b, numbers, number_count, span, args, count);
    case BW_SG_LOAD: return bw_new_deref(p, args[0], span);
    case BW_SG_STORE: return bw_new_assign(p, bw_new_deref(p, args[0], span), args[1], span);
    case BW_SG_SECOND: {
        if (args[1]->type->kind == BW_TY_STRUCT)
            return wrong_call(p, span, "this takes one number a lane",
                              "shuffle the members one by one");
        args[1] = bw_value(p, args[1]);
        const bw_type *type = bw_type_promote(args[1]->type);
        args[1] = bw_convert(p, args[1], type);
        for (uint32_t i = 2; i < count; i++)
            args[i] = bw_convert(p, args[i], &bw_ty_int);
        return bw_new_intrinsic(p, b->what, b->number, type, span, count, args);
    }
    case BW_SG_ELEMENTS: /* arithmetic on pairs: its value is not followed */
        return bw_new_intrinsic(p, BW_IN_UNKNOWN, 0, args[0]->type, span, count, args);
    default: break;
    }
    if (count == 1 && args[0]->type->kind == BW_TY_HANDLE) /* cg::sync(block) */
        return bw_new_intrinsic(p, args[0]->type->count == 0 ? BW_IN_SYNCTHREADS : BW_IN_FENCE, 0,
                                &bw_ty_void, span, 0, NULL);
    for (uint32_t i = 0; i < count; i++)
        args[i] = bw_value(p, args[i]);
    if (b->what == BW_IN_TO_SHARED && args[0]->type->kind != BW_TY_POINTER)
        return wrong_call(p, span, "this takes a pointer", "give the address in shared memory");
    return bw_new_intrinsic(p, b->what, b->number, b->result, span, count, args);
}

/* make_float4(a, b, c, d) */
static bw_expr *call_make(bw_parser *p, const bw_token *name, bw_span span, bw_expr **args,
                          size_t count)
{
    const bw_type *type = bw_type_named(name->text + 5, name->len - 5);
    if (count != type->member_count)
        return wrong_call(p, span,
                          bw_arena_format(p->arena, "%s has %u members, not %zu", type->name,
                                          type->member_count, count),
                          "give one value for each");
    for (size_t i = 0; i < count; i++) {
        args[i] = bw_convert(p, args[i], type->members[i].type);
        if (is_error(args[i]))
            return args[i];
    }
    return bw_new_intrinsic(p, BW_IN_MAKE, 0, type, span, (uint32_t)count, args);
}

static bool is_make(const bw_token *name)
{
    return name->len > 5 && memcmp(name->text, "make_", 5) == 0 &&
           bw_type_named(name->text + 5, name->len - 5) != NULL &&
           bw_type_named(name->text + 5, name->len - 5)->member_count > 0;
}

bool bw_is_builtin(const bw_token *name)
{
    bw_builtin b;
    return is_make(name) || bw_builtin_find(name->text, name->len, &b);
}

bw_expr *bw_parse_call(bw_parser *p, const bw_token *name)
{
    size_t start = p->at - 1;
    bw_symbol *s = bw_lookup(p, name->text, name->len);
    if (s && s->kind == BW_SY_FUNCTION)
        return call_function(p, s->function, start);
    int64_t numbers[4] = {0};
    size_t number_count = 0;
    bool angled = bw_token_is(name, "swizzle") || bw_token_is(name, "tiled_partition");
    bool typed = bw_token_is(name, "min") || bw_token_is(name, "max");
    const bw_type *type = NULL;
    if (typed && bw_accept(p, "<")) { /* std::max<int>(a, b) */
        type = bw_parse_type_name(p);
        bw_expect_token(p, ">", "behind the type");
    }
    if (angled && bw_accept(p, "<")) {
        do {
            numbers[number_count++] = bw_parse_integer(p, "a template argument", 0);
        } while (number_count < 4 && bw_accept(p, ","));
        bw_expect_token(p, ">", "behind the numbers");
    }
    if (bw_token_is(name, "reduce") && !bw_at(p, "("))
        bw_syntax_error(p, "declare it", "unknown identifier 'reduce'");
    bw_expr **args;
    size_t count = bw_parse_arguments(p, &args);
    bw_span span = bw_span_from(p, start);
    bw_builtin b;
    if (is_make(name)) {
        for (size_t i = 0; i < count; i++)
            if (is_error(args[i]))
                return bw_new_error(p, span);
        return call_make(p, name, span, args, count);
    }
    bw_builtin_find(name->text, name->len, &b);
    for (size_t i = 0; type && i < count; i++)
        args[i] = bw_convert(p, args[i], type);
    return call_builtin(p, &b, numbers, number_count, span, args, (uint32_t)count);
}

/* ---- cooperative groups
 * -------------------------------------------------------------------------- */

/* block.sync(), tile.thread_rank(), tile.shfl_down(v, 4) … */
bw_expr *bw_parse_method(bw_parser *p, bw_expr *handle, const bw_token *name, bw_span span)
{
    int64_t threads = handle->type->count;
    bw_expr **args = NULL;
    size_t count = bw_parse_arguments(p, &args);
    bw_expr *size = integer(p, threads, span);
    static const char *const shuffles[] = {"shfl", "shfl_up", "shfl_down", "shfl_xor"};
    static const char *const votes[] = {"ballot", "any", "all"};
    if (bw_token_is(name, "sync"))
        return bw_new_intrinsic(p, threads == 0 ? BW_IN_SYNCTHREADS : BW_IN_FENCE, 0, &bw_ty_void,
                                span, 0, NULL);
    if (bw_token_is(name, "thread_rank")) {
        bw_expr *rank = special(p, BW_RANK, span);
        return threads == 0 ? rank : bw_new_binary(p, BW_REM, rank, size, span);
    }
    if (bw_token_is(name, "size") || bw_token_is(name, "num_threads")) {
        if (threads)
            return bw_new_integer(p, &bw_ty_uint, threads, span);
        bw_expr *xy = bw_new_binary(p, BW_MUL, special(p, BW_BLOCKDIM_X, span),
                                    special(p, BW_BLOCKDIM_Y, span), span);
        return bw_new_binary(p, BW_MUL, xy, special(p, BW_BLOCKDIM_Z, span), span);
    }
    if (threads && bw_token_is(name, "meta_group_rank"))
        return bw_new_binary(p, BW_DIV, special(p, BW_RANK, span), size, span);
    for (int i = 0; threads && i < 4; i++)
        if (bw_token_is(name, shuffles[i]) && count == 2) {
            bw_expr **full = bw_arena_alloc(p->arena, 4 * sizeof *full);
            full[0] = bw_new_integer(p, &bw_ty_uint, -1, span);
            full[1] = bw_value(p, args[0]);
            full[2] = bw_convert(p, args[1], &bw_ty_int);
            full[3] = size;
            full[1] = bw_convert(p, full[1], bw_type_promote(full[1]->type));
            return bw_new_intrinsic(p, BW_IN_SHFL, i, full[1]->type, span, 4, full);
        }
    for (int i = 0; threads == BW_LANES && i < 3; i++)
        if (bw_token_is(name, votes[i]) && count == 1) {
            bw_expr **full = bw_arena_alloc(p->arena, 2 * sizeof *full);
            full[0] = bw_new_integer(p, &bw_ty_uint, -1, span);
            full[1] = bw_convert(p, args[0], &bw_ty_bool);
            return bw_new_intrinsic(p, BW_IN_VOTE, i, i ? &bw_ty_int : &bw_ty_uint, span, 2, full);
        }
    return wrong_call(
        p, span,
        bw_arena_format(p->arena, "this group has no function '%.*s'", (int)name->len, name->text),
        "known: sync, thread_rank, size, num_threads, meta_group_rank, shfl, shfl_up, "
        "shfl_down, shfl_xor, ballot, any, all");
}
