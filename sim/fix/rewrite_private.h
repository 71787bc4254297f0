/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rewrite_private: what rewrite.c and rewrite_struct.c share. Internal to sim/fix.
 *
 * rewrite.c owns the common pieces and the layouts of arrays; rewrite_struct.c the changes of a
 * struct and the struct of arrays.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_REWRITE_PRIVATE_H
#define BANKWISE_REWRITE_PRIVATE_H

#include "rewrite.h"
#include "written.h"

typedef struct bw_writer {
    bw_edits *edits;
    const bw_rewrite_target *target;
    const bw_source *source;
    bw_written written;    /* the source's tokens */
    const bw_array *array; /* as the first launch sees it */
    const bw_layout *layout;
    bw_use *uses; /* of all launches, each place once, but for those that make an alias */
    size_t use_count;
    bw_stride *strides; /* of pointers into it, of all launches */
    size_t stride_count;
    const char *macro;  /* that maps an index, or NULL */
    const char *helper; /* a function that does, written with the change; or NULL */
} bw_writer;

/* An insertion at a place. */
void bw_rewrite_insert(bw_writer *w, uint32_t at, const char *text);
/* Says why there is no such change; false. */
bool bw_rewrite_refuse(bw_writer *w, bw_span where, const char *why);
/* The tokens of a span as they are written; in the arena. */
const char *bw_rewrite_copy(bw_writer *w, bw_span span);
/* The bracket groups of the declaration, and its end; false where they are not there to be read. */
bool bw_rewrite_declared(bw_writer *w, bw_span dims[BW_MAX_DIMENSIONS], uint32_t *end);
/* The subscripts of a use as text, and its end; false where it does not have all. */
bool bw_rewrite_subscripts(bw_writer *w, const bw_use *use, bw_span index[BW_MAX_DIMENSIONS],
                           uint32_t *end);
/* Dynamic shared memory grows in the launches. */
bool bw_rewrite_grow_launches(bw_writer *w);

/* The layouts of structs. */
bool bw_rewrite_struct(bw_writer *w);
bool bw_rewrite_members(bw_writer *w);
bool bw_rewrite_soa_declaration(bw_writer *w);
bool bw_rewrite_soa_use(bw_writer *w, const bw_use *use);

#endif
