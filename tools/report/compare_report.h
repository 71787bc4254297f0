/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_report: two patterns compared, access by access, with what changed.
 *
 * Owns the pairing: launches in order, and within a launch accesses in order, those with the same
 * text and operation first, then those between that do the same: read, write or update. An access
 * without a partner stands alone. It reads reports and computes no cost.
 */
#ifndef BANKWISE_COMPARE_REPORT_H
#define BANKWISE_COMPARE_REPORT_H

#include "report.h"

/* The reports of one file, one a launch. */
typedef struct bw_side {
    const bw_session *session;
    const bw_report *reports;
    size_t count;
} bw_side;

/* Writes the comparison in the format that writer->args name: text, JSON or CSV. */
void bw_compare_report(bw_writer *writer, const bw_side sides[2]);

#endif
