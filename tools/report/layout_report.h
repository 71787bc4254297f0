/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * layout_report: what would cure the layout of machine code's shared memory, in words and in a
 * document: for each region with excess which instructions conflict and how their lanes step, the
 * padding and the swizzle that cost least, and the lines of the source that ask the region.
 */
#ifndef BANKWISE_LAYOUT_REPORT_H
#define BANKWISE_LAYOUT_REPORT_H

#include "report.h"

/* Sentences about all regions with excess, or about the one that `only` asks. Nothing where the
 * report has no regions. */
void bw_layout_text(FILE *out, unsigned width, const bw_report *report, const bw_access *only);
/* Adds "layouts" to a report's document. */
void bw_layout_put(bw_node *report_document, const bw_report *report);

#endif
