/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * numbers: what strides, banks and layouts ask of whole numbers. Pure functions.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_NUMBERS_H
#define BANKWISE_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

/* The greatest common divisor of a and b; the other one where one is 0. */
static inline uint32_t bw_gcd(uint32_t a, uint32_t b)
{
    while (b) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* 1, 2, 4, 8 … */
static inline bool bw_is_power_of_two(uint64_t n)
{
    return n && !(n & (n - 1));
}

#endif
