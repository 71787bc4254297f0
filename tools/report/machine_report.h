/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * machine_report: what reports of machine code have besides those of patterns.
 *
 * Owns the names of instructions, the table by source line, how blocks were folded or sampled, what
 * was unknown and what is counted apart. Everything does nothing for reports of other programs,
 * unless said otherwise. It computes no costs.
 */
#ifndef BANKWISE_MACHINE_REPORT_H
#define BANKWISE_MACHINE_REPORT_H

#include "report.h"

bool bw_report_is_machine(const bw_report *report);

/* What stands for an access in a table: its line, of machine code its address ("0x0440"). */
const char *bw_access_label(bw_arena *arena, const bw_access *access);
/* "Line 19", "Instruction 0x0440 (kernel.cu:95)". */
const char *bw_access_where(bw_arena *arena, const bw_access *access);
/* "kernel.cu:95 inlined at main.cu:12"; NULL where nothing is known of the source. */
const char *bw_origin_text(bw_arena *arena, const bw_origin_line *line);

/* Text: a table by source line, after the one by instruction. */
void bw_machine_lines(const bw_writer *writer, const bw_node *document);
/* Text: sentences about how it was run. */
void bw_machine_notes(const bw_writer *writer, const bw_report *report);

/* Of an access, in its document: its address, its counts and its places in the source. */
void bw_machine_put_access(bw_node *to, const bw_access *access);
/* Of a report: how it was run, every instruction, and the lines of the source. */
void bw_machine_put(bw_node *to, const bw_report *report);

#endif
