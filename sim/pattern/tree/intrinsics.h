/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * intrinsics: the built-in functions by name.
 *
 * One table row a name: what it does, how its result and arguments are typed. The parser builds
 * calls from it.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_INTRINSICS_H
#define BANKWISE_INTRINSICS_H

#include "ast.h"
#include "math_functions.h"

/* How a call is typed: call_rules.c has a function for each. */
typedef enum bw_call_rule {
    BW_RULE_PLAIN,    /* arguments as they are, result of `result`; of a group: it meets */
    BW_RULE_FIXED,    /* arguments converted to `argument`, result of `result` */
    BW_RULE_COMMON,   /* arguments of the usual arithmetic type, which is the result's */
    BW_RULE_GENERIC,  /* float math that C++ overloads: float for float, else double */
    BW_RULE_SECOND,   /* result of the second argument's type (shuffles) */
    BW_RULE_LOAD,     /* *argument */
    BW_RULE_STORE,    /* *first = second */
    BW_RULE_ELEMENTS, /* arguments and result of the first's type (half2 arithmetic) */
    BW_RULE_REDUCE,
    BW_RULE_LEFT_OUT, /* not even its arguments are evaluated */
    BW_RULE_FIRST,    /* the first argument */
    BW_RULE_PRODUCT,
    BW_RULE_MATCH,
    BW_RULE_SINCOS,
    BW_RULE_ATOMIC, /* number: bw_atomic */
    BW_RULE_MATRIX, /* number: bw_op */
    BW_RULE_COPY,   /* number: bw_op */
    BW_RULE_PIPELINE_COPY,
    BW_RULE_TO_SHARED,
    BW_RULE_MEMCPY_ASYNC,
    BW_RULE_SWAP,
    BW_RULE_ALIGNED_SIZE,
    BW_RULE_SWIZZLE,
    BW_RULE_TMA_SWIZZLE, /* number: how many bits */
    BW_RULE_PAIR_MEMBER, /* number: 0 or 1; converted to `result` where that is given */
    BW_RULE_TO_FLOAT2,
    BW_RULE_TO_HALF2,
    BW_RULE_MAKE_HALF2,
    BW_RULE_GROUP, /* number: threads of the group, 0 for the block */
    BW_RULE_TILE,
    BW_RULE_COALESCED,
    BW_RULE_WAIT,
    BW_RULE_MEMCPY,
    BW_RULE_RANDOM,   /* number: bw_law */
    BW_RULE_UNMASKED, /* its name with _sync, of all lanes */
    BW_RULES,
} bw_call_rule;

typedef struct bw_builtin {
    const char *name;
    bw_intrinsic what; /* of the rules that many have; the others know it */
    int number;        /* as its rule or intrinsic says */
    bw_call_rule rule;
    const bw_type *result, *argument;
    uint8_t least, most; /* arguments */
} bw_builtin;

/* The function called name[0..len) into *found; false if there is none. */
bool bw_builtin_find(const char *name, size_t len, bw_builtin *found);

#endif
