/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * findings: what a check found wrong, and how it is told.
 *
 * Owns copies of everything, so that findings outlive the files they are about. One list serves
 * all forms: text for people, JSON and CSV for programs, GitHub's workflow commands, SARIF and
 * JUnit's XML for builds. It knows nothing of expectations and costs.
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
    bool error;   /* nothing was checked because of it: of the input */
    bool placed;  /* it has a line */
} bw_finding;

/* What was held against something: an expectation, or an access under the gate. */
typedef struct bw_case {
    const char *name;
    size_t first, count; /* of the items, those that it found */
} bw_case;

/* A file that is checked, with the cases and items that came of it, up to those of the next. */
typedef struct bw_suite {
    const char *file;
    size_t first_case, first_item;
} bw_suite;

/* Zero-initialise to begin. */
typedef struct bw_findings {
    bw_finding *items;
    size_t count, capacity;
    size_t warnings, errors; /* of the items; the others are findings */
    bw_case *cases;
    size_t case_count, case_capacity;
    bw_suite *suites;
    size_t suite_count, suite_capacity;
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

/* Adds an error of the input; `source` NULL: of `file` as a whole. */
void bw_finding_add_error(bw_findings *findings, bw_message_id id, const char *file,
                          const bw_source *source, bw_span span, const char *message);

/* Begins a file: cases and findings from now on come of it. */
void bw_suite_begin(bw_findings *findings, const char *file);
/* Begins a case: what is added until bw_case_end is what it found. Returns its number. */
size_t bw_case_begin(bw_findings *findings, const char *name);
void bw_case_end(bw_findings *findings, size_t number);

/* Adds those warnings among diagnostics that are on. Text shows them as diagnostics. */
void bw_finding_add_warnings(bw_findings *findings, const bw_args *args, const bw_diags *diags);

/* Writes them in a format; text has been written as it was found, so only its summary is. */
void bw_findings_write(const bw_findings *all, const bw_args *args, FILE *out);
/* The form of JUnit, which most builds read: a suite a file, a case an expectation or an access. */
void bw_findings_junit(const bw_findings *all, FILE *out);
void bw_findings_finish(bw_findings *findings);

#endif
