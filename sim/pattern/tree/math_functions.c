/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "math_functions.h"

#include <math.h>
#include <stddef.h>

static double reciprocal(double x)
{
    return 1.0 / x;
}

static double reciprocal_root(double x)
{
    return 1.0 / sqrt(x);
}

static double saturate(double x)
{
    return !(x > 0) ? 0 : x > 1 ? 1 : x;
}

static double negate(double x)
{
    return -x;
}

static double power_of_ten(double x)
{
    return pow(10.0, x);
}

static double same(double x)
{
    return x;
}

static double add(double x, double y)
{
    return x + y;
}

static double subtract(double x, double y)
{
    return x - y;
}

static double multiply(double x, double y)
{
    return x * y;
}

static double divide(double x, double y)
{
    return x / y;
}

#define ONE(name, text, f, hidden) [BW_MATH_##name] = {text, 1, f, NULL, NULL, hidden},
#define TWO(name, text, f, hidden) [BW_MATH_##name] = {text, 2, NULL, f, NULL, hidden},
#define THREE(name, text, f, hidden) [BW_MATH_##name] = {text, 3, NULL, NULL, f, hidden},
static const bw_math math_rows[BW_MATHS] = {BW_MATH_FUNCTIONS(ONE, TWO, THREE)};
#undef ONE
#undef TWO
#undef THREE

const bw_math *bw_math_row(bw_math_function function)
{
    return &math_rows[function];
}
