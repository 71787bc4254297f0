/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * math_functions: what the mathematical functions compute, on doubles.
 *
 * The parser folds calls of constants by them, the evaluator runs the others. Constant data: safe
 * from any thread.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_MATH_FUNCTIONS_H
#define BANKWISE_MATH_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

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
