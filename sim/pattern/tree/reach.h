/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reach: what of a file the launched kernels use.
 *
 * A file is a row of constructs, each declared under some names. Whatever no launched kernel names,
 * and nothing that one names, is passed over, with its errors: structs of the host, variables of
 * the file, prototypes with a library's types. It knows tokens alone, no meaning: a name that two
 * things have is both. Internal to the tree; all memory is the parser's arena.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_REACH_H
#define BANKWISE_REACH_H

#include "parser.h"

/* A construct of the file that was read: tokens [first, last), and its diagnostics [from, to). */
typedef struct bw_part {
    size_t first, last, from, to;
    bool failed, reached, followed;
} bw_part;

typedef struct bw_parts {
    bw_part *items;
    size_t count, capacity;
} bw_parts;

/* Notes one that was just read. */
void bw_note_part(bw_parser *p, size_t first, size_t from, size_t errors);
/* Takes back the errors of what no launch reaches. After the whole file was read. */
void bw_forget_unreached(bw_parser *p);
/* Warns of each kernel with shared memory that is not launched while others are. */
void bw_report_left_out(bw_parser *p);

#endif
