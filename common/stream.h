/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stream: request streams and recordings as CSV.
 *
 *     # any number of comment lines: card, driver, CUDA, method, clock, date
 *     op,active,a0,…,a31[,cycles][,hw_wavefronts][,…]
 *     ld.32,ffffffff,0,4,8,…,124,1.001
 *
 * A request stream is a recording without measured columns. `active` is hexadecimal; addresses are
 * bytes. Columns are found by name, in any order; unknown columns are ignored (and can be read by
 * name). A cell may stand in double quotes, on one line. Reading is row by row: a file may be
 * larger than memory.
 *
 * It knows nothing of costs. The reader owns its buffers; the FILE stays the caller's.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_STREAM_H
#define BANKWISE_STREAM_H

#include <stdio.h>

#include "message.h"
#include "request.h"

/* Columns a reader can be asked for beyond the request. */
#define BW_STREAM_MAX_COLUMNS 64

typedef struct bw_stream_reader bw_stream_reader;

/* One row. `fields` are the row's cells by column index, valid until the next read. */
typedef struct bw_stream_row {
    bw_request request;
    unsigned line; /* line number in the file, from 1 */
    unsigned field_count;
    const char *const *fields; /* NUL-terminated */
} bw_stream_row;

/* Starts reading; `name` is used in messages and must outlive the reader. Never NULL. */
bw_stream_reader *bw_stream_open(FILE *file, const char *name);
void bw_stream_close(bw_stream_reader *reader); /* accepts NULL; does not close the FILE */

/* 1: a row was read; 0: end of file; -1: an error, described by bw_stream_error. After an error no
 * more rows can be read. */
int bw_stream_next(bw_stream_reader *reader, bw_stream_row *row);
/* "FILE:LINE: what is wrong; what to do". Valid until close. */
const char *bw_stream_error(const bw_stream_reader *reader);
/* Its message; meaningful after an error. */
bw_message_id bw_stream_error_id(const bw_stream_reader *reader);
/* Index of the column called `name`, or -1. Meaningful after the first bw_stream_next. */
int bw_stream_column(const bw_stream_reader *reader, const char *name);
/* The name of column `index`, or NULL past the last; valid until close. Likewise. */
const char *bw_stream_column_name(const bw_stream_reader *reader, unsigned index);
/* The value of a `# key: value` comment line seen so far ("device"), or NULL. */
const char *bw_stream_meta(const bw_stream_reader *reader, const char *key);

/* Writes the header row, with `extra` (",cycles" or "") appended. */
void bw_stream_write_header(FILE *file, const char *extra);
/* Writes "op,active,a0,…,a31" without a line end, so that measured cells can follow. Inactive
 * lanes' addresses are written as they are. */
void bw_stream_write_request(FILE *file, const bw_request *request);

#endif
