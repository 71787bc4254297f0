/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * opcodes: kernels that compute expressions, and part and join lanes, so that a reader of machine
 * code can be held against a card: they are run here, their results are recorded, and tests replay
 * them through the text of the same kernels. tests/recorded/…/opcodes/README says how.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_OPCODES_H
#define BANKWISE_OPCODES_H

#include "card.h"
#include "operands.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The kernel op_NAME(const T *a, const T *b, const T *c, uint32_t *out), T as the operands are:
 * `grid` blocks of `block` threads take an operand of each a thread and write `slots` words for it,
 * those of thread i from out[i * slots] on.
 */
typedef struct bw_opcodes {
    const char *name;
    const void *kernel;
    bw_operands operands;
    unsigned grid, block;
    unsigned least; /* compute capability * 10 from which on a card has its instructions     */
    unsigned slots;
    const char *const *names; /* of the slots, static storage; NULL each where they have none */
} bw_opcodes;

/* The kernel of this number; NULL past the end. */
const bw_opcodes *bw_opcodes_at(size_t index);

/* Runs one with `times` its grid on the operands of `seed`; out[grid * times * block * slots].
 * False where the card failed (bw_opcodes_why). */
bool bw_opcodes_run(bw_card *card, const bw_opcodes *row, uint64_t seed, unsigned times,
                    uint32_t *out);
const char *bw_opcodes_why(const bw_card *card);

#ifdef __cplusplus
}
#endif
#endif
