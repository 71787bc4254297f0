/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "ast.h"

unsigned bw_operands(const bw_expr *e, const bw_expr *operands[3])
{
    operands[0] = e->a;
    switch (e->kind) {
    case BW_EX_CONST:
    case BW_EX_STRING:
    case BW_EX_SYMBOL:
    case BW_EX_BUILTIN_VAR:
    case BW_EX_CALL:
    case BW_EX_INTRINSIC:
    case BW_EX_LIST: return 0;
    case BW_EX_NOT:
    case BW_EX_NEG:
    case BW_EX_INVERT:
    case BW_EX_STEP:
    case BW_EX_CAST:
    case BW_EX_MEMBER:
    case BW_EX_DEREF:
    case BW_EX_ADDRESS:
    case BW_EX_DECAY: return 1;
    case BW_EX_BINARY:
    case BW_EX_AND:
    case BW_EX_OR:
    case BW_EX_ASSIGN:
    case BW_EX_COMMA:
    case BW_EX_INDEX: operands[1] = e->binary.b; return 2;
    case BW_EX_COND:
        operands[1] = e->cond.yes;
        operands[2] = e->cond.no;
        return 3;
    }
    return 0;
}

uint32_t bw_arguments(const bw_expr *e, bw_expr *const **arguments)
{
    switch (e->kind) {
    case BW_EX_CALL: *arguments = e->call.args; return e->call.count;
    case BW_EX_INTRINSIC: *arguments = e->intrinsic.args; return e->intrinsic.count;
    case BW_EX_LIST: *arguments = e->list.items; return e->list.count;
    default: *arguments = NULL; return 0;
    }
}

bw_children bw_children_of(const bw_expr *e)
{
    bw_children c = {.arguments = NULL};
    c.count = bw_arguments(e, &c.arguments);
    if (!c.arguments)
        c.count = bw_operands(e, c.operands);
    return c;
}
