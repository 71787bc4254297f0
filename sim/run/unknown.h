/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * unknown: where values that are not known come from, and how that is said.
 *
 * An evaluator gives each place where such a value arises a number, its origin, which goes with the
 * value; the top bit says that the place reads memory that nothing wrote. Owns nothing.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_UNKNOWN_H
#define BANKWISE_UNKNOWN_H

#include "diag.h"

/* Why a value is unknown. */
typedef struct bw_unknown {
    bw_span span;
    const char *what; /* "global memory: in" */
    const char *note; /* what would make it known; NULL: what the front end says of all */
} bw_unknown;

#define BW_ORIGIN_UNWRITTEN 0x80000000u
#define BW_ORIGIN_INDEX(origin) ((origin) & ~BW_ORIGIN_UNWRITTEN)

/* Says under `d` where the value came from and what would define it. */
void bw_explain_unknown(bw_diags *diags, bw_diagnostic *d, const bw_source *source,
                        const bw_unknown *unknowns, uint32_t origin, const char *note);

#endif
