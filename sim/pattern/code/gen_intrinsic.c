/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "gen.h"

/* ---- intrinsics
 * -------------------------------------------------------------------------------------------- */

static bw_value_type value_type_of(const bw_type *t)
{
    if (t->kind == BW_TY_STRUCT)
        return BW_VALUE_F16X2;
    if (t->kind == BW_TY_FLOAT)
        return BW_VALUE_F32;
    if (t->kind == BW_TY_DOUBLE)
        return BW_VALUE_F64;
    if (t->size == 8)
        return t->is_signed ? BW_VALUE_S64 : BW_VALUE_U64;
    return t->is_signed ? BW_VALUE_S32 : BW_VALUE_U32;
}

static bw_op atomic_op(const bw_type *t, bw_atomic atomic, bool used, const bw_expr *value)
{
    bw_value_type type = value_type_of(t);
    bool word = type == BW_VALUE_S32 || type == BW_VALUE_U32;
    /* nvcc turns an unused atomicAdd(p, 1) into a count of lanes: ATOMS.POPC.INC */
    if (atomic == BW_AT_ADD && word && !used && bw_is_constant(value) && value->integer == 1)
        return bw_op_sized(BW_KIND_COUNT, t->size);
    return bw_op_atomic(atomic, type, used);
}

static uint32_t touch(bw_gen *g, const bw_expr *e, bw_op op, uint32_t address, bool writes)
{
    uint32_t site = bw_site_of(g, e->span, bw_shown_of(g, e->intrinsic.args[0], e->span), op);
    uint32_t origin = bw_origin_of(g, e->span, "a value that is not followed here", NULL);
    bw_ins *i = bw_emit(g, BW_I_TOUCH, e->span);
    i->a = address;
    i->site = site;
    i->number = writes;
    i->origin = origin;
    return BW_NO_REG;
}

static uint32_t gen_atomic(bw_gen *g, const bw_expr *e, bool used)
{
    const bw_type *t = e->intrinsic.args[0]->type->elem;
    bw_op op = atomic_op(t, (bw_atomic)e->intrinsic.number, used, e->intrinsic.args[1]);
    uint32_t address = bw_gen_value(g, e->intrinsic.args[0]);
    if (t->kind == BW_TY_STRUCT) {
        bw_gen_aggregate(g, e->intrinsic.args[1]);
        return touch(g, e, op, address, true);
    }
    uint32_t b = bw_gen_value(g, e->intrinsic.args[1]);
    uint32_t c = e->intrinsic.count > 2 ? bw_gen_value(g, e->intrinsic.args[2]) : BW_NO_REG;
    uint32_t dst =
        bw_gen_op2(g, BW_I_ATOMIC, bw_type_class(t), e->intrinsic.number, address, b, e->span);
    uint32_t site = bw_site_of(g, e->span, bw_shown_of(g, e->intrinsic.args[0], e->span), op),
             origin = bw_load_origin(g, e->span);
    bw_ins *i = &g->code->items[g->code->count - 1];
    i->c = c;
    i->memory = (uint8_t)bw_type_memory(t);
    i->site = site;
    i->origin = origin;
    return dst;
}

static uint32_t shared_address(bw_gen *g, const bw_expr *e)
{
    uint32_t v = bw_gen_value(g, e);
    if (e->type->kind == BW_TY_POINTER)
        return v;
    if (bw_type_class(e->type) != BW_U64)
        v = bw_gen_op1(g, BW_I_CONVERT, bw_type_class(e->type), BW_U64, v, e->span);
    return bw_gen_op1(g, BW_I_FROM_SHARED, BW_U64, 0, v, e->span);
}

static uint32_t gen_swizzle(bw_gen *g, const bw_expr *e)
{
    bw_class cls = bw_type_class(e->type);
    bw_swizzle_bits s = bw_swizzle_unpack(e->intrinsic.number);
    uint32_t v = bw_gen_value(g, e->intrinsic.args[0]);
    uint32_t part =
        bw_gen_op2(g, BW_I_BINARY, cls, BW_SHR, v, bw_gen_integer(g, cls, s.from), e->span);
    part = bw_gen_op2(g, BW_I_BINARY, cls, BW_AND, part,
                      bw_gen_integer(g, cls, ((int64_t)1 << s.bits) - 1), e->span);
    part = bw_gen_op2(g, BW_I_BINARY, cls, BW_SHL, part, bw_gen_integer(g, cls, s.to), e->span);
    return bw_gen_op2(g, BW_I_BINARY, cls, BW_XOR, v, part, e->span);
}

/* A value computed from all its arguments by one instruction. */
static uint32_t gen_function(bw_gen *g, const bw_expr *e)
{
    static const bw_opcode map[BW_INTRINSICS] = {
        [BW_IN_MIN] = BW_I_MINMAX,      [BW_IN_MAX] = BW_I_MINMAX,  [BW_IN_ABS] = BW_I_ABS,
        [BW_IN_POPC] = BW_I_POPC,       [BW_IN_CLZ] = BW_I_CLZ,     [BW_IN_FFS] = BW_I_FFS,
        [BW_IN_BREV] = BW_I_BREV,       [BW_IN_MULHI] = BW_I_MULHI, [BW_IN_MATH] = BW_I_MATH,
        [BW_IN_ROUND_INT] = BW_I_ROUND, [BW_IN_SHFL] = BW_I_SHFL,   [BW_IN_VOTE] = BW_I_VOTE,
        [BW_IN_REDUCE] = BW_I_REDUCE,   [BW_IN_DRAW] = BW_I_DRAW,   [BW_IN_NTH] = BW_I_NTH,
        [BW_IN_MATCH] = BW_I_MATCH,
    };
    uint32_t regs[4] = {BW_NO_REG, BW_NO_REG, BW_NO_REG, BW_NO_REG};
    for (uint32_t k = 0; k < e->intrinsic.count && k < 4; k++)
        regs[k] = bw_gen_value(g, e->intrinsic.args[k]);
    bool masked = e->intrinsic.what == BW_IN_SHFL || e->intrinsic.what == BW_IN_VOTE ||
                  e->intrinsic.what == BW_IN_REDUCE ||
                  e->intrinsic.what == BW_IN_MATCH; /* the first argument is the lane mask */
    const bw_type *operand =
        e->intrinsic.count ? e->intrinsic.args[masked && e->intrinsic.count > 1]->type : e->type;
    int number = e->intrinsic.what == BW_IN_MAX   ? 1
                 : e->intrinsic.what == BW_IN_MIN ? 0
                                                  : e->intrinsic.number;
    uint32_t dst = bw_gen_op1(g, map[e->intrinsic.what], bw_type_class(operand), number,
                              masked ? regs[1] : regs[0], e->span);
    uint32_t origin = bw_origin_of(g, e->span, "a lane that takes no part", NULL);
    bw_ins *i = &g->code->items[g->code->count - 1];
    i->b = masked ? regs[2] : regs[1];
    i->c = masked ? regs[3] : regs[2];
    i->imm = (int64_t)bw_type_class(e->type);
    i->origin = origin;
    if (e->intrinsic.what == BW_IN_MATH &&
        (e->type->kind == BW_TY_HALF || e->type->kind == BW_TY_BFLOAT))
        dst = bw_gen_op1(g, BW_I_TRUNCATE, BW_F32, (int)bw_type_memory(e->type), dst, e->span);
    return dst;
}

static uint32_t result_unknown(bw_gen *g, const bw_expr *e)
{
    return e->type->kind == BW_TY_VOID || e->type->kind == BW_TY_STRUCT
               ? BW_NO_REG
               : bw_gen_unknown(g, e->span, "a value that is not followed here", NULL);
}

static void emit_fence(bw_gen *g, const bw_expr *e)
{
    uint32_t origin = bw_origin_of(
        g, e->span, "shared memory that is written in a way that is not followed", NULL);
    bw_ins *i = bw_emit(g, BW_I_FENCE, e->span);
    i->number = e->intrinsic.number;
    i->origin = origin;
}

uint32_t bw_gen_intrinsic(bw_gen *g, const bw_expr *e, bool used)
{
    switch (e->intrinsic.what) {
    case BW_IN_SYNCTHREADS:
        for (uint32_t k = 0; k < e->intrinsic.count; k++)
            bw_gen_discard(g, e->intrinsic.args[k]);
        bw_emit(g, BW_I_BARRIER, e->span);
        return result_unknown(g, e);
    case BW_IN_FENCE:
        for (uint32_t k = 0; k < e->intrinsic.count; k++)
            bw_gen_discard(g, e->intrinsic.args[k]);
        emit_fence(g, e);
        return result_unknown(g, e);
    case BW_IN_NOP:
    case BW_IN_UNKNOWN:
        for (uint32_t k = 0; k < e->intrinsic.count; k++)
            bw_gen_discard(g, e->intrinsic.args[k]);
        return result_unknown(g, e);
    case BW_IN_ATOMIC: {
        uint32_t v = gen_atomic(g, e, used);
        return v == BW_NO_REG ? result_unknown(g, e) : v;
    }
    case BW_IN_MATRIX: {
        uint32_t address = shared_address(g, e->intrinsic.args[0]);
        for (uint32_t k = 1; k < e->intrinsic.count; k++)
            bw_gen_discard(g, e->intrinsic.args[k]);
        touch(g, e, (bw_op)e->intrinsic.number, address,
              bw_op_get((bw_op)e->intrinsic.number)->writes);
        return result_unknown(g, e);
    }
    case BW_IN_CP_ASYNC: {
        uint32_t address = shared_address(g, e->intrinsic.args[0]);
        for (uint32_t k = 1; k < e->intrinsic.count; k++)
            bw_gen_discard(g, e->intrinsic.args[k]);
        return touch(g, e, (bw_op)e->intrinsic.number, address, true);
    }
    case BW_IN_TO_SHARED:
        return bw_gen_op1(g, BW_I_TO_SHARED, BW_U64, 0, bw_gen_value(g, e->intrinsic.args[0]),
                          e->span);
    case BW_IN_FROM_SHARED: return shared_address(g, e->intrinsic.args[0]);
    case BW_IN_BITCAST: { /* the same bits under another class of the same size */
        uint32_t v = bw_gen_value(g, e->intrinsic.args[0]);
        return v;
    }
    case BW_IN_SWIZZLE: return gen_swizzle(g, e);
    default: return gen_function(g, e);
    }
}
