/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * skip: stepping over a branch on unknown data.
 *
 * Owns the search for where both ways of a branch meet again, and what they write until then. It
 * looks at decoded code alone. Results are kept in bw_code.skips, one an instruction. Not
 * thread-safe.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_MACHINE_SKIP_H
#define BANKWISE_MACHINE_SKIP_H

#include "code.h"

typedef struct bw_skip {
    bool searched;
    int32_t meet; /* the instruction where both ways meet; -1: they do not before it would matter */
    uint32_t *slots; /* malloc'd: what may be written on the way */
    uint32_t slot_count;
    uint32_t preds; /* bit by predicate slot */
    bool stores;    /* to global memory */
    bool local;     /* to local memory */
} bw_skip;

/* For the branch at `at`; never NULL. */
const bw_skip *bw_skip_find(bw_code *code, uint32_t at);
void bw_skips_finish(bw_code *code);

#endif
