/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * expect: what comments say that accesses cost, and which accesses they speak of.
 *
 * Owns the text after "expect:" and the rule of lines; it costs nothing itself. Internal to
 * sim/pattern.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_EXPECT_H
#define BANKWISE_EXPECT_H

#include "lex.h"

typedef struct bw_expects {
    bw_expect *items; /* malloc'd; the owner frees them */
    size_t count, capacity;
} bw_expects;

/* Adds what a comment expects; reports what cannot be read. */
void bw_expects_read(bw_expects *list, const bw_source *source, const bw_comment *comment,
                     bw_diags *diags);

/* Whether an expectation speaks of `access`, one of all[count]: those that begin on its line; where
 * none does, those made through a call on its line; where none is, those whose own text covers the
 * line; where none does, those of the statement around it. */
bool bw_expect_applies(const bw_expect *e, const bw_access *access, const bw_access *all,
                       size_t count, const bw_lines *lines, const bw_span *statements,
                       size_t statement_count);

#endif
