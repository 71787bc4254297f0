/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "call_rules.h"

#include <string.h>

#include "parse.h"

typedef bw_builtin_call call; /* the functions below are all of its rules */

static bw_expr *intrinsic(bw_parser *p, const call *c, bw_intrinsic what, const bw_type *type)
{
    return bw_new_intrinsic(p, what, c->builtin->number, type, c->span, c->count, c->args);
}

static bw_expr *nothing(bw_parser *p, const call *c, bw_intrinsic what)
{
    return bw_new_intrinsic(p, what, 0, &bw_ty_void, c->span, 0, NULL);
}

/* ---- rules of many
 * ------------------------------------------------------------------------------- */

static bool is_group(const bw_expr *e)
{
    return e->type->kind == BW_TY_HANDLE;
}

static bw_expr *plain(bw_parser *p, const call *c)
{
    if (c->count == 1 && is_group(c->args[0])) /* cg::sync(block) */
        return nothing(p, c, c->args[0]->type->count == 0 ? BW_IN_SYNCTHREADS : BW_IN_FENCE);
    for (uint32_t i = 0; i < c->count; i++)
        c->args[i] = bw_value(p, c->args[i]);
    return intrinsic(p, c, c->builtin->what, c->builtin->result);
}

static bw_expr *fixed(bw_parser *p, const call *c)
{
    const bw_builtin *b = c->builtin;
    for (uint32_t i = 0; i < c->count; i++) {
        c->args[i] = bw_convert(p, c->args[i], b->argument);
        if (bw_is_error(c->args[i]))
            return c->args[i];
    }
    if (b->what == BW_IN_DRAW)
        p->tree->is_random = true;
    if (b->what == BW_IN_MATH && c->count == 1 && bw_is_constant(c->args[0])) {
        const bw_math *row = bw_math_row((bw_math_function)b->number);
        return bw_new_real(p, b->result, row->one(c->args[0]->real), c->span);
    }
    return intrinsic(p, c, b->what, b->result);
}

static bw_expr *fold_common(bw_parser *p, const call *c, const bw_type *type)
{
    int64_t x = c->args[0]->integer, y = c->args[1]->integer;
    bool less = type->is_signed ? x < y : (uint64_t)x < (uint64_t)y;
    return bw_new_integer(p, type, (c->builtin->what == BW_IN_MIN) == less ? x : y, c->span);
}

static bw_expr *of_common_type(bw_parser *p, const call *c, bool generic)
{
    const bw_type *type = c->args[0]->type;
    for (uint32_t i = 0; i < c->count; i++) {
        c->args[i] = bw_value(p, c->args[i]);
        if (!bw_type_is_arithmetic(c->args[i]->type))
            return bw_refuse(p, BW_MSG_OPERAND_TYPE, c->args[i]->span,
                             bw_arena_format(p->arena, "'%s' takes numbers", c->builtin->name),
                             "convert or take a member");
        type = bw_type_common(type, c->args[i]->type);
    }
    type = bw_type_promote(generic && !bw_type_is_float(type) ? &bw_ty_double : type);
    for (uint32_t i = 0; i < c->count; i++)
        c->args[i] = bw_convert(p, c->args[i], type);
    if (c->count == 2 && bw_is_constant(c->args[0]) && bw_is_constant(c->args[1]) &&
        bw_type_is_integer(type))
        return fold_common(p, c, type);
    return intrinsic(p, c, c->builtin->what, type);
}

static bw_expr *common(bw_parser *p, const call *c)
{
    return of_common_type(p, c, false);
}

static bw_expr *generic(bw_parser *p, const call *c)
{
    return of_common_type(p, c, true);
}

/* Shuffles and reductions: the mask is first. */
static bw_expr *second(bw_parser *p, const call *c)
{
    if (c->args[1]->type->kind == BW_TY_STRUCT)
        return bw_refuse(p, BW_MSG_OPERAND_TYPE, c->span, "this takes one number a lane",
                         "shuffle the members one by one");
    c->args[1] = bw_value(p, c->args[1]);
    const bw_type *type = bw_type_promote(c->args[1]->type);
    c->args[1] = bw_convert(p, c->args[1], type);
    for (uint32_t i = 2; i < c->count; i++)
        c->args[i] = bw_convert(p, c->args[i], &bw_ty_int);
    return intrinsic(p, c, c->builtin->what, type);
}

static bw_expr *load(bw_parser *p, const call *c)
{
    return bw_new_deref(p, c->args[0], c->span);
}

static bw_expr *store(bw_parser *p, const call *c)
{
    return bw_new_assign(p, bw_new_deref(p, c->args[0], c->span), c->args[1], c->span);
}

/* Arithmetic on pairs: its value is not followed. */
static bw_expr *elements(bw_parser *p, const call *c)
{
    return intrinsic(p, c, BW_IN_UNKNOWN, c->args[0]->type);
}

/* cg::reduce(group, value, operation): not followed either. */
static bw_expr *reduce(bw_parser *p, const call *c)
{
    return intrinsic(p, c, BW_IN_UNKNOWN, c->args[1]->type);
}

/* assert: it is compiled out of what runs fast. */
static bw_expr *left_out(bw_parser *p, const call *c)
{
    return nothing(p, c, BW_IN_NOP);
}

/* std::move, and hints to the compiler. */
static bw_expr *first(bw_parser *p, const call *c)
{
    return bw_value(p, c->args[0]);
}

/* The low 24 bits, as the type's sign extends them: CUDA's __mul24 and __umul24. */
static bw_expr *low_24(bw_parser *p, bw_expr *e, const bw_type *type)
{
    bw_expr *eight = bw_new_integer(p, &bw_ty_int, 8, e->span);
    e = bw_convert(p, e, type);
    return bw_new_binary(p, BW_SHR, bw_new_binary(p, BW_SHL, e, eight, e->span), eight, e->span);
}

static bw_expr *product(bw_parser *p, const call *c)
{
    const bw_type *type = c->builtin->result;
    return bw_new_binary(p, BW_MUL, low_24(p, c->args[0], type), low_24(p, c->args[1], type),
                         c->span);
}

/* Equal bits, which floats here do not show. */
static bw_expr *match(bw_parser *p, const call *c)
{
    c->args[1] = bw_value(p, c->args[1]);
    const bw_type *type = c->args[1]->type;
    if (!bw_type_is_arithmetic(type))
        return bw_refuse(p, BW_MSG_OPERAND_TYPE, c->span, "this compares one number a lane",
                         "give a number");
    if (bw_type_is_float(type))
        return intrinsic(p, c, BW_IN_UNKNOWN, &bw_ty_uint);
    c->args[1] = bw_convert(p, c->args[1], bw_type_promote(type));
    return intrinsic(p, c, BW_IN_MATCH, &bw_ty_uint);
}

/* sincosf(x, &s, &c): two stores of values that are not followed. */
static bw_expr *sincos_of(bw_parser *p, const call *c)
{
    bw_expr *result = c->args[0];
    for (int k = 1; k < 3; k++) {
        bw_expr *target = bw_new_deref(p, c->args[k], c->span);
        if (bw_is_error(target))
            return target;
        bw_expr *value = bw_new_intrinsic(p, BW_IN_UNKNOWN, 0, target->type, c->span, 0, NULL);
        bw_expr *both = bw_new_expr(p, BW_EX_COMMA, target->type, c->span);
        both->a = result;
        both->binary.b = bw_new_assign(p, target, value, c->span);
        result = both;
    }
    return bw_cast(p, result, &bw_ty_void, c->span);
}

static const bw_type *half2(void)
{
    return bw_type_named("__half2", 7);
}

/* ---- memory
 * -------------------------------------------------------------------------------------- */

static bool atomic_takes(bw_atomic op, const bw_type *t)
{
    bool word = t->kind == BW_TY_INT && (t->size == 4 || t->size == 8);
    bool add = op == BW_AT_ADD, exch = op == BW_AT_EXCH;
    if (t->kind == BW_TY_FLOAT || t->kind == BW_TY_DOUBLE)
        return add || (exch && t->kind == BW_TY_FLOAT);
    if (t->kind == BW_TY_STRUCT)
        return add && t == half2();
    if (op == BW_AT_INC || op == BW_AT_DEC)
        return word && t->size == 4 && !t->is_signed;
    if (op == BW_AT_SUB)
        return word && t->size == 4;
    return word;
}

/* CUDA's own that this does not take: what they become is not recorded. */
static bool is_unmeasured(bw_atomic op, const bw_type *t)
{
    return op == BW_AT_ADD && (t->kind == BW_TY_HALF || t->kind == BW_TY_BFLOAT ||
                               t == bw_type_named("__nv_bfloat162", 14));
}

static bw_expr *atomic(bw_parser *p, const call *c)
{
    c->args[0] = bw_value(p, c->args[0]);
    const bw_type *t = c->args[0]->type->kind == BW_TY_POINTER ? c->args[0]->type->elem : NULL;
    if (!t)
        return bw_refuse(p, BW_MSG_CALL_ARGUMENT, c->span,
                         "an atomic needs the address of what it changes", "write &array[index]");
    if (is_unmeasured((bw_atomic)c->builtin->number, t))
        return bw_refuse(p, BW_MSG_CALL_ARGUMENT, c->span,
                         bw_arena_format(p->arena, "what '%s' costs for %s is not measured",
                                         c->builtin->name, bw_type_name(p->arena, t)),
                         "use __half2, or compile the kernel and give bankwise the machine code");
    if (!atomic_takes((bw_atomic)c->builtin->number, t))
        return bw_refuse(p, BW_MSG_CALL_ARGUMENT, c->span,
                         bw_arena_format(p->arena, "'%s' does not exist for %s", c->builtin->name,
                                         bw_type_name(p->arena, t)),
                         "CUDA has int, unsigned and unsigned long long for most of them; float, "
                         "double and __half2 for atomicAdd");
    for (uint32_t i = 1; i < c->count; i++) {
        c->args[i] = bw_convert(p, c->args[i], t);
        if (bw_is_error(c->args[i]))
            return c->args[i];
    }
    return intrinsic(p, c, BW_IN_ATOMIC, t);
}

static bool is_address(const bw_expr *e)
{
    return e->type->kind == BW_TY_POINTER || bw_type_is_integer(e->type);
}

static bw_expr *matrix(bw_parser *p, const call *c)
{
    const bw_op_info *info = bw_op_get((bw_op)c->builtin->number);
    c->args[0] = bw_value(p, c->args[0]);
    if (!is_address(c->args[0]))
        return bw_refuse(p, BW_MSG_CALL_ARGUMENT, c->span, "this needs the address of a row",
                         "each lane gives the address of a 16-byte row");
    const bw_type *type = info->writes          ? &bw_ty_void
                          : info->matrices == 1 ? &bw_ty_uint
                                                : bw_type_vector(&bw_ty_uint, info->matrices);
    return intrinsic(p, c, BW_IN_MATRIX, type);
}

static bw_expr *copy_by(bw_parser *p, const call *c, bw_op op)
{
    for (uint32_t i = 0; i < 2; i++) {
        c->args[i] = bw_value(p, c->args[i]);
        if (!is_address(c->args[i]))
            return bw_refuse(p, BW_MSG_CALL_ARGUMENT, c->span,
                             "an asynchronous copy needs two addresses",
                             "the first in shared memory, the second in global memory");
    }
    return bw_new_intrinsic(p, BW_IN_CP_ASYNC, (int)op, &bw_ty_void, c->span, c->count, c->args);
}

static bw_expr *copy(bw_parser *p, const call *c)
{
    return copy_by(p, c, (bw_op)c->builtin->number);
}

/* __pipeline_memcpy_async(dst, src, size, zfill) */
static bw_expr *pipeline_copy(bw_parser *p, const call *c)
{
    int64_t size = bw_is_constant(c->args[2]) ? c->args[2]->integer : 0;
    bw_op op = size < 4 || size > 16 ? BW_OP_COUNT : bw_op_copy((unsigned)size);
    if (op == BW_OP_COUNT)
        return bw_refuse(p, BW_MSG_CALL_ARGUMENT, c->span,
                         "an asynchronous copy moves 4, 8 or 16 bytes",
                         "give the size as a constant");
    return copy_by(p, c, op);
}

static bw_expr *to_shared(bw_parser *p, const call *c)
{
    c->args[0] = bw_value(p, c->args[0]);
    if (c->args[0]->type->kind != BW_TY_POINTER)
        return bw_refuse(p, BW_MSG_CALL_ARGUMENT, c->span, "this takes a pointer",
                         "give the address in shared memory");
    return intrinsic(p, c, BW_IN_TO_SHARED, c->builtin->result);
}

static bw_expr *memcpy_async(bw_parser *p, const call *c)
{
    return p->cxx->memcpy_async(p, c->args, c->count, c->span);
}

static bw_expr *swap(bw_parser *p, const call *c)
{
    return p->cxx->swap(p, c->args, c->span);
}

/* cuda::aligned_size_t<16>(bytes): the hint goes where memcpy_async finds it. */
static bw_expr *aligned_size(bw_parser *p, const call *c)
{
    bw_expr *e = bw_new_expr(p, BW_EX_CAST, &bw_ty_ulong, c->span);
    e->a = bw_value(p, c->args[0]);
    e->unit = c->number_count ? (uint32_t)c->numbers[0] : 1;
    return e;
}

/* ---- swizzles
 * ------------------------------------------------------------------------------------ */

/* CuTe's Swizzle<B, M, S>: bits [M, M+B) ^= bits [M+S, M+S+B). */
static bw_expr *swizzle_by(bw_parser *p, const call *c, int64_t b, int64_t m, int64_t s)
{
    bw_expr *e = bw_value(p, c->args[0]);
    if (!bw_type_is_integer(e->type))
        return bw_refuse(p, BW_MSG_CALL_ARGUMENT, c->span, "a swizzle takes an integer offset",
                         "give the element offset (swizzle) or byte offset (tma_swizzle_…)");
    int64_t distance = s < 0 ? -s : s;
    if (b < 0 || m < 0 || distance < b || b + m + distance > 31)
        return bw_refuse(p, BW_MSG_SWIZZLE_PARAMETERS, c->span, "this swizzle is not possible",
                         "swizzle<B, M, S> needs B, M >= 0, |S| >= B and B + M + |S| below 32");
    int64_t from = s >= 0 ? m + s : m, to = s >= 0 ? m : m - s;
    const bw_type *type = bw_type_promote(e->type);
    e = bw_convert(p, e, type);
    if (bw_is_constant(e)) {
        int64_t part = (e->integer >> from) & (((int64_t)1 << b) - 1);
        return bw_new_integer(p, type, e->integer ^ part << to, c->span);
    }
    bw_expr **args = bw_arena_alloc(p->arena, sizeof *args);
    args[0] = e;
    bw_swizzle_bits bits = {(uint8_t)to, (uint8_t)b, (uint8_t)from};
    return bw_new_intrinsic(p, BW_IN_SWIZZLE, bw_swizzle_pack(bits), type, c->span, 1, args);
}

static bw_expr *swizzle(bw_parser *p, const call *c)
{
    if (c->number_count != 3)
        return bw_refuse(p, BW_MSG_SWIZZLE_PARAMETERS, c->span, "swizzle needs three numbers",
                         "write swizzle<B, M, S>(offset)");
    return swizzle_by(p, c, c->numbers[0], c->numbers[1], c->numbers[2]);
}

/* The bulk copy engine's modes permute 16-byte chunks (2^4 bytes) within 128-byte lines (2^7):
 * CUDA driver API, CU_TENSOR_MAP_SWIZZLE_32B, _64B, _128B. The row's number: how many bits. */
static bw_expr *tma_swizzle(bw_parser *p, const call *c)
{
    return swizzle_by(p, c, c->builtin->number, 4, 3);
}

/* ---- pairs of 16-bit floats
 * ---------------------------------------------------------------------- */

static bool is_pair(const bw_expr *e)
{
    return e->type->kind == BW_TY_STRUCT && e->type->member_count == 2;
}

static bw_expr *no_pair(bw_parser *p, const call *c)
{
    return bw_refuse(p, BW_MSG_OPERAND_TYPE, c->span, "this takes a pair of values",
                     "give a __half2 or float2");
}

/* The row's number: which one; as it is, or converted. */
static bw_expr *pair_member(bw_parser *p, const call *c)
{
    const bw_builtin *b = c->builtin;
    if (!is_pair(c->args[0]))
        return no_pair(p, c);
    bw_expr *e = bw_new_member(p, c->args[0], &c->args[0]->type->members[b->number], c->span);
    return b->result ? bw_convert(p, e, b->result) : e;
}

static bw_expr *to_float2(bw_parser *p, const call *c)
{
    return is_pair(c->args[0])
               ? bw_new_intrinsic(p, BW_IN_EACH, 0, bw_type_named("float2", 6), c->span, 1, c->args)
               : no_pair(p, c);
}

static bw_expr *to_half2(bw_parser *p, const call *c)
{
    return is_pair(c->args[0]) ? bw_new_intrinsic(p, BW_IN_EACH, 0, half2(), c->span, 1, c->args)
                               : no_pair(p, c);
}

/* Of two values, or of one for both. */
static bw_expr *make_half2(bw_parser *p, const call *c)
{
    for (uint32_t i = 0; i < c->count; i++)
        c->args[i] = bw_convert(p, c->args[i], half2()->members[i].type);
    return bw_new_intrinsic(p, BW_IN_MAKE, 0, half2(), c->span, c->count, c->args);
}

/* ---- cooperative groups
 * -------------------------------------------------------------------------- */

static bw_expr *group_of(bw_parser *p, const call *c, int64_t threads)
{
    return bw_new_expr(p, BW_EX_CONST, bw_type_handle(p->arena, threads), c->span);
}

/* The row's number: its threads; 0 for the block. */
static bw_expr *group(bw_parser *p, const call *c)
{
    return group_of(p, c, c->builtin->number);
}

static bw_expr *tile(bw_parser *p, const call *c)
{
    bool given = c->count > 1 && bw_is_constant(c->args[1]);
    return group_of(p, c, c->number_count ? c->numbers[0] : given ? c->args[1]->integer : BW_LANES);
}

static bw_expr *coalesced(bw_parser *p, const call *c)
{
    c->args[0] = bw_new_intrinsic(p, BW_IN_VOTE, BW_VOTE_ACTIVE, &bw_ty_uint, c->span, 0, NULL);
    return bw_new_intrinsic(p, BW_IN_MAKE, 0, &bw_ty_coalesced, c->span, 1, c->args);
}

static bw_expr *wait_for(bw_parser *p, const call *c)
{
    if (!is_group(c->args[0]))
        return bw_refuse(p, BW_MSG_CALL_ARGUMENT, c->span, "this waits for a group",
                         "write cg::wait(block)");
    return nothing(p, c, c->args[0]->type->count == 0 ? BW_IN_SYNCTHREADS : BW_IN_NOP);
}

/* ---- others
 * ---------------------------------------------------------------------------------- */

/* memcpy(&to, &from, sizeof to): bits move unchanged from one object to another. */
static bw_expr *copy_bits(bw_parser *p, const call *c)
{
    bw_expr *to = bw_value(p, c->args[0]), *from = bw_value(p, c->args[1]);
    bool pointers = to->type->kind == BW_TY_POINTER && from->type->kind == BW_TY_POINTER;
    const bw_type *type = pointers ? to->type->elem : NULL;
    if (type && type->kind == BW_TY_ARRAY)
        type = NULL;
    bool whole = type && bw_is_constant(c->args[2]) && c->args[2]->integer == type->size &&
                 from->type->elem->size == type->size &&
                 (bw_type_is_scalar(type) || type->kind == BW_TY_STRUCT);
    if (!whole)
        return bw_refuse(p, BW_MSG_CALL_ARGUMENT, c->span,
                         "memcpy is taken of one whole object: memcpy(&to, &from, sizeof to)",
                         "write the loop that nvcc makes of it, or compile the kernel and give "
                         "bankwise the machine code, with --nvcc");
    from = bw_cast(p, from, to->type, c->span);
    bw_expr *value = bw_new_deref(p, from, c->span);
    return bw_cast(p, bw_new_assign(p, bw_new_deref(p, to, c->span), value, c->span), &bw_ty_void,
                   c->span);
}

/* random(n): an int, but for an n that int does not reach: random(4294967296) is unsigned. */
static bw_expr *random_below(bw_parser *p, const call *c)
{
    bw_expr *n = bw_value(p, c->args[0]);
    bool large = bw_is_constant(n) && bw_type_is_integer(n->type) && n->integer > INT32_MAX;
    if (large && n->integer > (int64_t)UINT32_MAX + 1)
        return bw_refuse(p, BW_MSG_CALL_ARGUMENT, c->span, "random(n) draws 32 bits at most",
                         "give an n of at most 4294967296");
    p->tree->is_random = true;
    c->args[0] = bw_convert(p, n, large ? &bw_ty_llong : &bw_ty_int);
    if (bw_is_error(c->args[0]))
        return c->args[0];
    return intrinsic(p, c, BW_IN_DRAW, large ? &bw_ty_uint : &bw_ty_int);
}

static bw_expr *unmasked(bw_parser *p, const call *c)
{
    bw_builtin masked;
    const char *name = bw_arena_format(p->arena, "%s_sync", c->builtin->name);
    bw_expr **args = bw_arena_alloc(p->arena, (c->count + 1) * sizeof *args);
    args[0] = bw_new_integer(p, &bw_ty_uint, -1, c->span);
    for (uint32_t i = 0; i < c->count; i++)
        args[i + 1] = c->args[i];
    bw_builtin_find(name, strlen(name), &masked);
    call full = *c;
    full.builtin = &masked;
    full.args = args;
    full.count++;
    return bw_apply_rule(p, &full);
}

/* ---- all
 * ----------------------------------------------------------------------------------------- */

static bw_expr *(*const rules[])(bw_parser *p, const call *c) = {
    [BW_RULE_PLAIN] = plain,
    [BW_RULE_FIXED] = fixed,
    [BW_RULE_COMMON] = common,
    [BW_RULE_GENERIC] = generic,
    [BW_RULE_SECOND] = second,
    [BW_RULE_LOAD] = load,
    [BW_RULE_STORE] = store,
    [BW_RULE_ELEMENTS] = elements,
    [BW_RULE_REDUCE] = reduce,
    [BW_RULE_LEFT_OUT] = left_out,
    [BW_RULE_FIRST] = first,
    [BW_RULE_PRODUCT] = product,
    [BW_RULE_MATCH] = match,
    [BW_RULE_SINCOS] = sincos_of,
    [BW_RULE_ATOMIC] = atomic,
    [BW_RULE_MATRIX] = matrix,
    [BW_RULE_COPY] = copy,
    [BW_RULE_PIPELINE_COPY] = pipeline_copy,
    [BW_RULE_TO_SHARED] = to_shared,
    [BW_RULE_MEMCPY_ASYNC] = memcpy_async,
    [BW_RULE_SWAP] = swap,
    [BW_RULE_ALIGNED_SIZE] = aligned_size,
    [BW_RULE_SWIZZLE] = swizzle,
    [BW_RULE_TMA_SWIZZLE] = tma_swizzle,
    [BW_RULE_PAIR_MEMBER] = pair_member,
    [BW_RULE_TO_FLOAT2] = to_float2,
    [BW_RULE_TO_HALF2] = to_half2,
    [BW_RULE_MAKE_HALF2] = make_half2,
    [BW_RULE_GROUP] = group,
    [BW_RULE_TILE] = tile,
    [BW_RULE_COALESCED] = coalesced,
    [BW_RULE_WAIT] = wait_for,
    [BW_RULE_MEMCPY] = copy_bits,
    [BW_RULE_RANDOM] = random_below,
    [BW_RULE_UNMASKED] = unmasked,
};
_Static_assert(sizeof rules / sizeof *rules == BW_RULES, "a function for each rule");

bw_expr *bw_apply_rule(bw_parser *p, const bw_builtin_call *c)
{
    return rules[c->builtin->rule](p, c);
}
