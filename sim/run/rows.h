/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rows: a request stream as a program.
 *
 * Owns a copy of the rows. Such a program has one launch without a kernel, whose run delivers the
 * rows in order, and an access for each row, or of many rows one for each operation.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_ROWS_H
#define BANKWISE_ROWS_H

#include "program.h"

/* A row of a request stream: a request, how many it stands for, and its line in the source. */
typedef struct bw_row {
    bw_request request;
    uint64_t count;
    unsigned line; /* from 1 */
} bw_row;

/* More rows than this are one access for each operation, not for each row. */
#define BW_ROWS_SHOWN 200

/*
 * `source` must outlive the program; `rows` (at least one) are copied, with their sources.
 * Misaligned addresses, and such past the architecture's shared memory, are errors at their line;
 * the program can then only be destroyed.
 */
bw_program *bw_rows_program(const bw_source *source, const bw_row *rows, size_t count,
                            const bw_arch *arch, bw_diags *diags);

#endif
