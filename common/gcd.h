/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * gcd: the greatest common divisor, which strides and banks are about. A pure function.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_GCD_H
#define BANKWISE_GCD_H

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

#endif
