/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * beside: two patterns side by side, access by access, with what changed.
 *
 * Owns the pairing: launches in order, and within a launch accesses in order, those with the same
 * text and operation first, then those between that do the same: read, write or update. An access
 * without a partner stands alone. It reads reports and computes no cost.
 */
#ifndef BANKWISE_BESIDE_H
#define BANKWISE_BESIDE_H

#include "report.h"

/* The reports of one file, one a launch. */
typedef struct bw_side {
    const bw_session *session;
    const bw_report *reports;
    size_t count;
} bw_side;

/* Writes the comparison in the format that writer->args name: text, JSON or CSV. */
void bw_beside_write(bw_writer *writer, const bw_side sides[2]);

#endif
