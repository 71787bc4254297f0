/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * families: random requests that reach the corners of the rules.
 *
 * Uniform addresses hardly ever merge, broadcast or nearly collide; each family aims at one such
 * corner. The caller owns the generator's state; one state a thread.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_FAMILIES_H
#define BANKWISE_FAMILIES_H

#include "request.h"

typedef struct rng {
    uint64_t state;
} rng;

/* Uniform in [0, n), n > 0. */
uint32_t rng_below(rng *r, uint32_t n);

/* Fills a valid request of `op`: aligned, at least one lane that counts, below 228 KiB. */
void family_request(rng *r, bw_op op, bw_request *request);

/* Prints the request as a row of a stream, to paste into other tools. */
void family_print(const bw_request *request);

#endif
