/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * warn: the solver's warnings about a file that was predicted.
 *
 * Owns the excess of each access while the reports of a file are made. It knows what a report is,
 * and nothing of how mistakes are found.
 */
#ifndef BANKWISE_WARN_H
#define BANKWISE_WARN_H

#include "report.h"

/* Zero-initialise to begin. */
typedef struct bw_warner {
    uint64_t *excess; /* by access; malloc'd */
    size_t count;
} bw_warner;

/* Notes what a report found. */
void bw_warner_add(bw_warner *warner, const bw_report *report);
/* Adds the warnings to the session's diagnostics, and ends the warner. */
void bw_warner_finish(bw_warner *warner, bw_session *session);

#endif
