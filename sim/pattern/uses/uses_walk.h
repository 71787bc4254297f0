/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * uses_walk: what uses.c gathers on its walk over the tree, and questions about it. Internal to
 * sim/pattern.
 *
 * uses.c walks and owns the lists; uses_values.c answers what an expression depends on and where a
 * pointer points. Everything is by the variables' settings, without running anything: an answer
 * holds for every setting in the code that a launch runs.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_USES_WALK_H
#define BANKWISE_USES_WALK_H

#include "find_uses.h"

/* Functions that are walked: more than any kernel has. */
#define BW_MAX_VISITED 256

/* What a variable is set to somewhere; one row an assignment. */
typedef struct bw_setting {
    const bw_symbol *symbol;
    const bw_expr *value;
} bw_setting;

typedef struct bw_found_use {
    const bw_symbol *symbol;
    bw_use use;
} bw_found_use;

typedef struct bw_found_stride {
    const bw_symbol *symbol;
    bw_stride stride;
} bw_found_stride;

typedef struct bw_found_alias {
    const bw_symbol *symbol;
    bw_alias alias;
} bw_found_alias;

/* A place that reads a variable, and what its value goes into there: an index of a shared array, or
 * another variable; NULL: something else. */
typedef struct bw_reference {
    const bw_symbol *symbol, *owner;
} bw_reference;

/* Two arrays of one shape that a pointer is another name of, now of one, now of the other. */
typedef struct bw_shared_pointer {
    const bw_symbol *a, *b;
} bw_shared_pointer;

typedef struct bw_uses_walk {
    bw_arena *arena;
    const bw_source *source;
    bw_setting *settings; /* malloc'd, as are the lists below */
    size_t setting_count, setting_capacity;
    bw_found_use *uses;
    size_t use_count, use_capacity;
    bw_pointer_use *pointers;
    size_t pointer_count, pointer_capacity;
    bw_found_alias *aliases;
    size_t alias_count, alias_capacity;
    bw_found_stride *strides;
    size_t stride_count, stride_capacity;
    bw_reference *references;
    size_t reference_count, reference_capacity;
    bw_shared_pointer *pairs; /* of arrays that one pointer serves */
    size_t pair_count, pair_capacity;
    const bw_function *visited[BW_MAX_VISITED];
    size_t visited_count;
    bool second;            /* the first pass gathers settings, the second looks at uses */
    const bw_expr *top;     /* the statement's whole expression */
    const bw_symbol *owner; /* where the value of the walked expression goes */
    bool handing, deriving; /* it is set to an alias; to a pointer into an array */
    unsigned handed;        /* indices that choose what the alias names */
} bw_uses_walk;

/* An expression without the casts between integers around it. */
const bw_expr *bw_bare(const bw_expr *e);
/* The symbol at the bottom of a chain s[a][b].m[c], or NULL. */
const bw_expr *bw_root_of(const bw_expr *e);
/* An index: what it depends on, and its constant factors. */
bw_subscript bw_subscript_of(const bw_uses_walk *w, const bw_expr *e);
/* Whether a column's index XORs a variable that is in the row's index. */
bool bw_mixes_row(const bw_uses_walk *w, const bw_expr *column, const bw_expr *row);
/* The shared array that a pointer points into, or NULL. Of several of one shape the first, and then
 * they are noted in pairs. */
const bw_symbol *bw_pointed_array(bw_uses_walk *w, const bw_expr *pointer);
/* The first array of those that pointers serve together with this one: itself, mostly. */
const bw_symbol *bw_first_served(const bw_uses_walk *w, const bw_symbol *array);
/* The array that a pointer or reference, a symbol, is another name of, or of the part that the
 * first *chosen indices choose; NULL: none. */
const bw_symbol *bw_alias_of(bw_uses_walk *w, const bw_expr *e, unsigned *chosen);
/* Tells whether a factor goes into indices of the array only. */
void bw_mark_own(bw_uses_walk *w, const bw_symbol *array, bw_factor *factor);

#endif
