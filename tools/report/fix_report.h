/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fix_report: what `bankwise fix` found, as text and as JSON.
 *
 * Shows a bw_fix and computes no layouts of its own. A report refers to what it shows.
 */
#ifndef BANKWISE_FIX_REPORT_H
#define BANKWISE_FIX_REPORT_H

#include <stdio.h>

#include "document.h"
#include "fix.h"
#include "lanemap.h"
#include "session.h"

typedef struct bw_fix_report {
    const bw_session *session; /* its input is the file; it is not parsed */
    const bw_args *args;
    const bw_fix *fix;
    const char *text; /* the file with those proposals; NULL: none */
    size_t len;
    const char *diff; /* "" where there is none */
    FILE *out;
    unsigned width;
    bool colour;
} bw_fix_report;

/* Writes it in the format that the options ask for. */
void bw_fix_write(const bw_fix_report *report);
/* The text of a report, which `document` is. */
void bw_fix_text(const bw_fix_report *report, const bw_node *document);

/* The answers of --lane-map. */
typedef struct bw_lane_report {
    const bw_session *session; /* parsed */
    const bw_args *args;
    const bw_lane_maps *maps;
    FILE *out;
    unsigned width;
    bool colour;
} bw_lane_report;

void bw_lane_write(const bw_lane_report *report);

/* What is proved about an array and what else would help, in words, in `arena`; the second may be
 * NULL. */
const char *bw_fix_answer(bw_arena *arena, const bw_fix *fix, const bw_subject *subject,
                          const char **advice);

#endif
