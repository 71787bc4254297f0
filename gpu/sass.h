/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sass: whether the machine code is what it should be.
 *
 * Reads what `cuobjdump --dump-sass` prints of this program and counts, in each measuring kernel,
 * the instructions that the operation table promises. It knows the format of that text and nothing
 * else; it runs nothing.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_SASS_H
#define BANKWISE_SASS_H

#include <stdio.h>

#include "optable.h"

/* How often an operation's instruction stands in its two kernels; -1: no such kernel in the text.
 */
typedef struct bw_sass_count {
    int time, wait;
} bw_sass_count;

/* Reads `text` to its end and fills counts[0..BW_OP_COUNT). */
void bw_sass_read(FILE *text, bw_sass_count *counts);

/* Whether `count` of a kernel of `op` is right: the unrolled body once, and for plain 32-bit loads
 * and stores, which the harness makes for itself too, at least that. */
bool bw_sass_right(bw_op op, int count);

#endif
