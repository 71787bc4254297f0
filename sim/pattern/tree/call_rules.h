/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * call_rules: how the call of a built-in function is typed, one function a rule.
 *
 * Internal to sim/pattern/tree. It knows no names of functions: intrinsics.h has them, with the
 * rule of each. All memory is the pattern's arena.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_CALL_RULES_H
#define BANKWISE_CALL_RULES_H

#include "intrinsics.h"
#include "parse.h"

/* A call of `builtin` with as many arguments as it takes, none of them an error. */
typedef struct bw_builtin_call {
    const bw_builtin *builtin;
    bw_span span;
    bw_expr **args; /* with room for four more */
    uint32_t count;
    const int64_t *numbers; /* in angle brackets */
    size_t number_count;
} bw_builtin_call;

/* The value of the call; an error node where the arguments do not fit. */
bw_expr *bw_apply_rule(bw_parser *p, const bw_builtin_call *call);

#endif
