/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <string.h>

#include "hooks.h"
#include "intrinsics.h"

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

size_t bw_parse_list(bw_parser *p, bw_expr ***args, bw_token_kind open, bw_token_kind close)
{
    bw_expr *list[256];
    size_t count = 0;
    bool greater = p->no_greater;
    p->no_greater = false;
    bw_expect_token(p, open, "before the arguments");
    while (!bw_at(p, close)) {
        if (count == sizeof list / sizeof *list)
            bw_syntax_error(p, "split the call", "more than 256 arguments");
        list[count++] = bw_parse_assignment(p);
        if (!bw_accept(p, BW_TOK_COMMA))
            break;
    }
    bw_expect_token(p, close, "behind the arguments");
    p->no_greater = greater;
    *args = bw_arena_alloc(p->arena, (count + 4) * sizeof **args);
    if (count)
        memcpy(*args, list, count * sizeof *list);
    return count;
}

/* "(a, b, …)": *args gets them in the arena. */
size_t bw_parse_arguments(bw_parser *p, bw_expr ***args)
{
    return bw_parse_list(p, args, BW_TOK_LPAREN, BW_TOK_RPAREN);
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
        return bw_refuse(p, span, "an atomic needs the address of what it changes",
                         "write &array[index]");
    if (!atomic_takes((bw_atomic)b->number, t))
        return bw_refuse(p, span,
                         bw_arena_format(p->arena, "'%s' does not exist for %s", b->name,
                                         bw_type_name(p->arena, t)),
                         "CUDA has int, unsigned and unsigned long long for most of them; float, "
                         "double and __half2 for atomicAdd");
    for (uint32_t i = 1; i < count; i++) {
        args[i] = bw_convert(p, args[i], t);
        if (bw_is_error(args[i]))
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
        return bw_refuse(p, span, "this needs the address of a row",
                         "each lane gives the address of a 16-byte row");
    const bw_type *type = info->writes          ? &bw_ty_void
                          : info->matrices == 1 ? &bw_ty_uint
                                                : bw_type_vector(&bw_ty_uint, info->matrices);
    return bw_new_intrinsic(p, BW_IN_MATRIX, b->number, type, span, count, args);
}

static bw_expr *call_copy(bw_parser *p, const bw_builtin *b, bw_span span, bw_expr **args,
                          uint32_t count)
{
    int op = b->number;
    if (op < 0) { /* __pipeline_memcpy_async(dst, src, size, zfill) */
        int64_t size = bw_is_constant(args[2]) ? args[2]->integer : 0;
        op = size < 4 || size > 16 ? BW_OP_COUNT : bw_op_copy((unsigned)size);
        if (op == BW_OP_COUNT)
            return bw_refuse(p, span, "an asynchronous copy moves 4, 8 or 16 bytes",
                             "give the size as a constant");
    }
    for (uint32_t i = 0; i < 2; i++) {
        args[i] = bw_value(p, args[i]);
        if (args[i]->type->kind != BW_TY_POINTER && !bw_type_is_integer(args[i]->type))
            return bw_refuse(p, span, "an asynchronous copy needs two addresses",
                             "the first in shared memory, the second in global memory");
    }
    return bw_new_intrinsic(p, BW_IN_CP_ASYNC, op, &bw_ty_void, span, count, args);
}

/* CuTe's Swizzle<B, M, S>: bits [M, M+B) ^= bits [M+S, M+S+B). */
static bw_expr *call_swizzle(bw_parser *p, bw_expr *e, int64_t b, int64_t m, int64_t s,
                             bw_span span)
{
    e = bw_value(p, e);
    if (bw_is_error(e))
        return e;
    if (!bw_type_is_integer(e->type))
        return bw_refuse(p, span, "a swizzle takes an integer offset",
                         "give the element offset (swizzle) or byte offset (tma_swizzle_…)");
    int64_t distance = s < 0 ? -s : s;
    if (b < 0 || m < 0 || distance < b || b + m + distance > 31)
        return bw_refuse(p, span, "this swizzle is not possible",
                         "swizzle<B, M, S> needs B, M >= 0, |S| >= B and B + M + |S| below 32");
    int64_t from = s >= 0 ? m + s : m, to = s >= 0 ? m : m - s;
    const bw_type *type = bw_type_promote(e->type);
    e = bw_convert(p, e, type);
    if (bw_is_constant(e))
        return bw_new_integer(
            p, type, e->integer ^ (((e->integer >> from) & (((int64_t)1 << b) - 1)) << to), span);
    bw_expr **args = bw_arena_alloc(p->arena, sizeof *args);
    args[0] = e;
    bw_swizzle_bits bits = {(uint8_t)to, (uint8_t)b, (uint8_t)from};
    return bw_new_intrinsic(p, BW_IN_SWIZZLE, bw_swizzle_pack(bits), type, span, 1, args);
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
        return bw_refuse(p, span, "this takes a pair of values", "give a __half2 or float2");
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
        if (bw_is_error(target))
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
            return bw_refuse(p, span, "swizzle needs three numbers",
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
    case 37: return p->cxx->memcpy_async(p, args, count, span);
    case 40: return p->cxx->swap(p, args, span);
    case 38: { /* the hint goes where memcpy_async finds it */
        bw_expr *e = bw_new_expr(p, BW_EX_CAST, &bw_ty_ulong, span);
        e->a = bw_value(p, args[0]);
        e->number = number_count ? (int)numbers[0] : 1;
        return e;
    }
    case 39:
        if (args[0]->type->kind != BW_TY_HANDLE)
            return bw_refuse(p, span, "this waits for a group", "write cg::wait(block)");
        return bw_new_intrinsic(p, args[0]->type->count == 0 ? BW_IN_SYNCTHREADS : BW_IN_NOP, 0,
                                &bw_ty_void, span, 0, NULL);
    case 36: {
        args[1] = bw_value(p, args[1]);
        if (!bw_type_is_arithmetic(args[1]->type))
            return bw_refuse(p, span, "this compares one number a lane", "give a number");
        const bw_type *type =
            bw_type_is_float(args[1]->type) ? NULL : bw_type_promote(args[1]->type);
        if (!type) /* equal bits, which floats here do not show */
            return bw_new_intrinsic(p, BW_IN_UNKNOWN, 0, &bw_ty_uint, span, count, args);
        args[1] = bw_convert(p, args[1], type);
        return bw_new_intrinsic(p, BW_IN_MATCH, 0, &bw_ty_uint, span, count, args);
    }
    case 35: {
        args[0] = bw_new_intrinsic(p, BW_IN_VOTE, BW_VOTE_ACTIVE, &bw_ty_uint, span, 0, NULL);
        return bw_new_intrinsic(p, BW_IN_MAKE, 0, &bw_ty_coalesced, span, 1, args);
    }
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
        if (bw_is_error(args[i]))
            return args[i];
    }
    if (b->what == BW_IN_DRAW)
        *p->is_random = true;
    bool fold = b->what == BW_IN_MATH && bw_is_constant(args[0]) && count == 1;
    if (fold)
        return bw_new_real(p, b->result,
                           bw_math_row((bw_math_function)b->number)->one(args[0]->real), span);
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
            return bw_refuse(p, args[i]->span,
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
        return bw_refuse(p, span,
                         bw_arena_format(p->arena, "'%s' takes %s%u argument%s, not %u", b->name,
                                         b->least == b->most ? "" : "at least ", b->least,
                                         b->least == 1 ? "" : "s", count),
                         "see bankwise-pattern(5)");
    for (uint32_t i = 0; i < count; i++)
        if (bw_is_error(args[i]))
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
            return bw_refuse(p, span, "this takes one number a lane",
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
        return bw_refuse(p, span, "this takes a pointer", "give the address in shared memory");
    return bw_new_intrinsic(p, b->what, b->number, b->result, span, count, args);
}

/* make_float4(a, b, c, d) */
static bw_expr *call_make(bw_parser *p, const bw_token *name, bw_span span, bw_expr **args,
                          size_t count)
{
    const bw_type *type = bw_type_named(name->text + 5, name->len - 5);
    if (count != type->member_count)
        return bw_refuse(p, span,
                         bw_arena_format(p->arena, "%s has %u members, not %zu", type->name,
                                         type->member_count, count),
                         "give one value for each");
    for (size_t i = 0; i < count; i++) {
        args[i] = bw_convert(p, args[i], type->members[i].type);
        if (bw_is_error(args[i]))
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
    int64_t numbers[4] = {0};
    size_t number_count = 0;
    static const bw_token_kind numbered[] = {BW_TOK_SWIZZLE, BW_TOK_TILED_PARTITION,
                                             BW_TOK_ALIGNED_SIZE, BW_TOK_WAIT_PRIOR};
    bool angled = false;
    for (size_t i = 0; i < sizeof numbered / sizeof *numbered; i++)
        angled |= bw_token_is(name, numbered[i]);
    bool typed = bw_token_is(name, BW_TOK_MIN) || bw_token_is(name, BW_TOK_MAX);
    const bw_type *type = NULL;
    if (typed && bw_accept(p, BW_TOK_LESS)) { /* std::max<int>(a, b) */
        type = bw_parse_type_name(p);
        bw_close_angle(p, "behind the type");
    }
    if (angled && bw_accept(p, BW_TOK_LESS)) {
        do {
            numbers[number_count++] = bw_parse_integer(p, "a template argument", 0);
        } while (number_count < 4 && bw_accept(p, BW_TOK_COMMA));
        bw_expect_token(p, BW_TOK_GREATER, "behind the numbers");
    }
    if (bw_token_is(name, BW_TOK_REDUCE) && !bw_at(p, BW_TOK_LPAREN))
        bw_syntax_error(p, "declare it", "unknown identifier 'reduce'");
    bw_expr **args;
    size_t count = bw_parse_arguments(p, &args);
    bw_span span = bw_span_from(p, start);
    bw_builtin b;
    if (is_make(name)) {
        for (size_t i = 0; i < count; i++)
            if (bw_is_error(args[i]))
                return bw_new_error(p, span);
        return call_make(p, name, span, args, count);
    }
    bw_builtin_find(name->text, name->len, &b);
    for (size_t i = 0; type && i < count; i++)
        args[i] = bw_convert(p, args[i], type);
    return call_builtin(p, &b, numbers, number_count, span, args, (uint32_t)count);
}
