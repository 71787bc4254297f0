/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * diag: diagnostics with source positions.
 *
 * A position is a byte offset into a source; line, column and caret are computed when a diagnostic
 * is printed. Diagnostics are collected, sorted by place, de-duplicated, and printed together:
 *
 *     FILE:LINE:COL: error: what is wrong [its-id]
 *      12 |     tile[32][threadIdx.x] = 0;
 *         |     ^~~~~~~~
 *     note: what to do
 *
 * A warning's id stands as [-Wits-id]. It knows nothing of what it reports but that it has an id
 * (message.h). The list owns copies of all texts. Not thread-safe.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_DIAG_H
#define BANKWISE_DIAG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "arena.h"
#include "message.h"

/*
 * A text with a name. Owns neither: they must outlive every diagnostic that refers to it.
 *
 * What is read with a file, such as an option that speaks of its kernels, may go on after it: the
 * offsets past the text's end and one more are those of `more`, and a diagnostic there is shown
 * with its name.
 */
typedef struct bw_source {
    const char *name; /* as the user gave it */
    const char *text; /* need not be NUL-terminated */
    size_t len;
    const struct bw_source *more; /* NULL: none */
} bw_source;

/* A stretch of a source, in bytes. len 0: a point. */
typedef struct bw_span {
    uint32_t offset;
    uint32_t len;
} bw_span;

typedef struct bw_place {
    unsigned line, column; /* from 1; the column counts bytes */
} bw_place;

typedef enum bw_severity { BW_WARNING, BW_ERROR } bw_severity;

typedef struct bw_diagnostic {
    bw_severity severity;
    bw_message_id id;
    const bw_source *source; /* NULL: about no place in a file */
    bw_span span;
    const char *message;
    const char *note;             /* the remedy; may be several lines; NULL for none */
    const bw_source *also_source; /* a second place ("it comes from here"), or NULL */
    bw_span also;
    const char *also_message;
} bw_diagnostic;

/* Zero-initialise to begin. */
typedef struct bw_diags {
    bw_arena arena;
    bw_diagnostic *items; /* malloc'd */
    size_t count, capacity;
    size_t errors;  /* of the items, how many are errors */
    size_t dropped; /* errors and warnings past BW_DIAGS_MAX, not collected */
} bw_diags;

/* More errors than this in one run are not collected, nor more warnings: the rest is noise. */
#define BW_DIAGS_MAX 100

/* Adds an error or a warning, as the id says, at a place. The message is formatted and copied.
 * Returns the diagnostic, valid until the next is added, so that a note can be put on it. */
bw_diagnostic *bw_diagnose(bw_diags *diags, bw_message_id id, const bw_source *source, bw_span span,
                           const char *format, ...) __attribute__((format(printf, 5, 6)));
/* Sets the remedy of a diagnostic that bw_diagnose returned. */
void bw_note(bw_diags *diags, bw_diagnostic *diagnostic, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Points at a second place. */
void bw_also(bw_diags *diags, bw_diagnostic *diagnostic, const bw_source *source, bw_span span,
             const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Sorts by source name and offset and removes equal entries. */
void bw_diags_sort(bw_diags *diags);
/* Prints all, sorted, to `out`, of which bw_plain_mend makes plain text; with marks of styles where
 * asked. */
void bw_diags_print(bw_diags *diags, FILE *out, bool colour);
/* The same as plain text with styles: for standard error. */
void bw_diags_show(bw_diags *diags, FILE *out, bool colour);
void bw_diags_finish(bw_diags *diags);

/* Takes back the diagnostics [from, to), as if they had not been. Before the list was sorted. */
void bw_diags_forget(bw_diags *diags, size_t from, size_t to);

/* The text that an offset lies in, which becomes the offset there. `source` may be NULL. */
const bw_source *bw_source_at(const bw_source *source, uint32_t *offset);
/* Line and column of a byte offset, counted from the start of the source. */
bw_place bw_source_place(const bw_source *source, uint32_t offset);

/* Where the lines of a source begin, for those who ask for many places. */
typedef struct bw_lines {
    uint32_t *starts; /* in the arena */
    size_t count;     /* one at the least */
    size_t len;       /* of the source */
} bw_lines;

bw_lines bw_lines_of(bw_arena *arena, const bw_source *source);
/* What bw_source_place says of the source, by halving. */
bw_place bw_lines_place(const bw_lines *lines, uint32_t offset);

/* The line (from 1) as text without its end; *len gets its length. "" past the end. */
const char *bw_source_line(const bw_source *source, unsigned line, size_t *len);

#endif
