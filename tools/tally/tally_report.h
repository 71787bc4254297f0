/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tally_report: totals as a document, and back; as text and as CSV.
 *
 * The document holds all of the totals, so that those of several runs can be added. CSV has an
 * example for each row in the columns of a request stream, which `explain` and the others take.
 */
#ifndef BANKWISE_TALLY_REPORT_H
#define BANKWISE_TALLY_REPORT_H

#include "document.h"
#include "options.h"
#include "totals.h"

typedef struct bw_tally_writer {
    FILE *out;
    unsigned width;
    bool colour, quiet;
    bw_format format;
} bw_tally_writer;

/* Writes the totals, which are sorted. */
void bw_tally_write(const bw_tally_writer *writer, const bw_totals *totals, const bw_arch *arch);
/* The document as text, malloc'd. */
char *bw_tally_json(const bw_totals *totals, const bw_arch *arch, size_t *len);

/* Adds what such a document says, of the same architecture. False after an error, which was printed
 * with `name`. */
bool bw_tally_read(const char *name, const char *text, size_t len, const bw_arch *arch,
                   bw_totals *totals);

#endif
