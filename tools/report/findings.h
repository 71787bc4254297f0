/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * findings: what a check found wrong, and how it is told.
 *
 * Owns copies of everything, so that findings outlive the files they are about. One list serves
 * all forms: text for people, JSON and CSV for programs, GitHub's workflow commands and SARIF for
 * builds. It knows nothing of expectations and costs.
 */
#ifndef BANKWISE_FINDINGS_H
#define BANKWISE_FINDINGS_H

#include "options.h"

typedef struct bw_finding {
    bw_message_id id;
    const char *file, *kernel;         /* kernel NULL: of the whole file */
    bw_place place;                    /* columns count bytes, as in diagnostics */
    unsigned character, end_character; /* columns in characters; the end is past the last */
    const char *expected, *found;      /* NULL for a warning */
    const char *message;
    bool warning; /* no reason to fail */
} bw_finding;

/* Zero-initialise to begin. */
typedef struct bw_findings {
    bw_finding *items;
    size_t count, capacity;
    size_t warnings;             /* of the items; the others are findings */
    size_t files;                /* that were checked */
    size_t bare;                 /* of them, without an expectation */
    size_t expectations, failed; /* lines of `// expect:` items, and those not met */
    size_t accesses, above;      /* held against the gate, and those above it */
    bw_arena arena;
} bw_findings;

/* Adds a finding at a span of a source; texts are copied. `kernel` may be NULL. */
void bw_finding_add(bw_findings *findings, bw_message_id id, const bw_source *source, bw_span span,
                    const char *kernel, const char *expected, const char *found,
                    const char *message);

/* Adds those warnings among diagnostics that are on. Text shows them as diagnostics. */
void bw_finding_add_warnings(bw_findings *findings, const bw_args *args, const bw_diags *diags);

/* Writes them in a format; text has been written as it was found, so only its summary is. */
void bw_findings_write(const bw_findings *all, const bw_args *args, FILE *out);
void bw_findings_finish(bw_findings *findings);

#endif
