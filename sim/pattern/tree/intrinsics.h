/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * intrinsics: the built-in functions by name.
 *
 * One table row a name: what it does, how its result and arguments are typed. The parser builds
 * calls from it, the evaluator computes the math functions by their row in bw_math.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_INTRINSICS_H
#define BANKWISE_INTRINSICS_H

#include "ast.h"

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

/* Math functions: name, function on doubles, and whether only other names of it are callable. */
// clang-format off
#define BW_MATH_FUNCTIONS(ONE, TWO, THREE) \
    ONE(SIN, "sin", sin, false) \
    ONE(COS, "cos", cos, false) \
    ONE(TAN, "tan", tan, false) \
    ONE(ASIN, "asin", asin, false) \
    ONE(ACOS, "acos", acos, false) \
    ONE(ATAN, "atan", atan, false) \
    ONE(SINH, "sinh", sinh, false) \
    ONE(COSH, "cosh", cosh, false) \
    ONE(TANH, "tanh", tanh, false) \
    ONE(EXP, "exp", exp, false) \
    ONE(EXP2, "exp2", exp2, false) \
    ONE(EXP10, "exp10", power_of_ten, false) \
    ONE(EXPM1, "expm1", expm1, false) \
    ONE(LOG, "log", log, false) \
    ONE(LOG2, "log2", log2, false) \
    ONE(LOG10, "log10", log10, false) \
    ONE(LOG1P, "log1p", log1p, false) \
    ONE(SQRT, "sqrt", sqrt, false) \
    ONE(RSQRT, "rsqrt", reciprocal_root, false) \
    ONE(CBRT, "cbrt", cbrt, false) \
    ONE(FABS, "fabs", fabs, false) \
    ONE(FLOOR, "floor", floor, false) \
    ONE(CEIL, "ceil", ceil, false) \
    ONE(TRUNC, "trunc", trunc, false) \
    ONE(ROUND, "round", round, false) \
    ONE(RINT, "rint", rint, false) \
    ONE(ERF, "erf", erf, false) \
    ONE(ERFC, "erfc", erfc, false) \
    ONE(RCP, "rcp", reciprocal, true) \
    ONE(SATURATE, "saturate", saturate, true) \
    ONE(NEG, "neg", negate, true) \
    ONE(SAME, "same", same, true) \
    TWO(POW, "pow", pow, false) \
    TWO(FMOD, "fmod", fmod, false) \
    TWO(ATAN2, "atan2", atan2, false) \
    TWO(HYPOT, "hypot", hypot, false) \
    TWO(COPYSIGN, "copysign", copysign, false) \
    TWO(FMIN, "fmin", fmin, false) \
    TWO(FMAX, "fmax", fmax, false) \
    TWO(ADD, "add", add, true) \
    TWO(SUB, "sub", subtract, true) \
    TWO(MUL, "mul", multiply, true) \
    TWO(DIV, "div", divide, true) \
    THREE(FMA, "fma", fma, false)
// clang-format on

typedef enum bw_math_function {
#define X(name, text, f, hidden) BW_MATH_##name,
    BW_MATH_FUNCTIONS(X, X, X)
#undef X
        BW_MATHS
} bw_math_function;

/* Math functions. Two- and three-argument ones take b and c. */
typedef struct bw_math {
    const char *name;
    uint8_t arity;
    double (*one)(double);
    double (*two)(double, double);
    double (*three)(double, double, double);
    bool hidden; /* not callable by this name */
} bw_math;
const bw_math *bw_math_row(bw_math_function function);

#endif
