/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rewrite: a layout of an array as a change of the source text.
 *
 * Owns the edits that give an array a layout: its declaration, the struct it holds, the index at
 * each place that names it, the bytes that a launch asks for. It changes text only and proves
 * nothing: whoever uses it parses and runs the result. Where a place cannot be rewritten (a macro
 * made it, a pointer escapes) it says which, and why.
 *
 * Ownership: all memory is the arena's.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_REWRITE_H
#define BANKWISE_REWRITE_H

#include "layout.h"

/* What is rewritten: one declaration, as the launches that have it see it. */
typedef struct bw_rewrite_target {
    const bw_source *source;
    const bw_array *const *arrays; /* one a launch */
    const bw_span *launches;       /* the launch statements, in the same order */
    size_t count;
} bw_rewrite_target;

typedef struct bw_edit {
    bw_span span; /* of the old text; len 0 inserts */
    const char *text;
} bw_edit;

/* Zero-initialise but for the arena. */
typedef struct bw_edits {
    bw_arena *arena;
    bw_edit *items; /* malloc'd: bw_edits_finish */
    size_t count, capacity;
    const char *why; /* why there is no such change, or NULL */
    bw_span where;   /* the place at fault */
} bw_edits;

/* Collects the edits of a layout; false with `why` and `where` set where there is none. */
bool bw_rewrite(bw_edits *edits, const bw_rewrite_target *target, const bw_layout *layout);
/* How many elements of each dimension are padding, by how its declaration is written: N of `[X +
 * N]`, and what a number has above a power of two, up to a quarter of it: 1 of [33]. */
void bw_rewrite_padding(const bw_source *source, const bw_array *array,
                        uint32_t padding[BW_MAX_DIMENSIONS]);
/* Adds one edit; the same edit twice counts once. */
void bw_edit_add(bw_edits *edits, bw_span span, const char *text);
/* The source with the edits made, NUL-terminated, in the arena. NULL where two overlap. */
char *bw_edits_apply(bw_edits *edits, const bw_source *source, size_t *len);
void bw_edits_finish(bw_edits *edits);

/* A unified diff of two texts, as `patch` and `git apply` read it; "" where they are equal. */
const char *bw_unified_diff(bw_arena *arena, const char *name, const bw_source *from,
                            const bw_source *to);

#endif
