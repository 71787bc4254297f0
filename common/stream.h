/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stream: request streams and recordings, as CSV or as .bwr, which is told by the first bytes.
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
 * Asynchronous copies may say where they read, in further columns: all of s0 … s31 are byte
 * addresses in global memory (empty: not known), `zeros` is the mask of the lanes that read nothing
 * and write zeros, `held` the mask of those whose line is in L1, `placed` 0 where addresses count
 * from the start of arrays as in bw_sources, else 1.
 *
 * A .bwr holds the same in binary blocks with checksums: bankwise-recording(5) draws it. A damaged
 * or cut one is reported with its offset, and what was whole before that is read.
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
#define BW_STREAM_MAX_COLUMNS 128

typedef struct bw_stream_reader bw_stream_reader;

/* One row, whose sources live until the next read. `fields` are the row's cells by column index,
 * valid until the next read; of a .bwr, the cells of active and of addresses are empty. */
typedef struct bw_stream_row {
    bw_request request;
    unsigned line; /* line number in the file, from 1; of a .bwr, the record's number from 1 */
    unsigned field_count;
    const char *const *fields; /* NUL-terminated */
} bw_stream_row;

/* Many rows at once, into the caller's arrays. */
typedef struct bw_stream_batch {
    bw_request *requests;
    size_t most, count;      /* room, and rows read */
    const unsigned *columns; /* indices of the columns whose whole numbers are wanted */
    unsigned column_count;
    const uint64_t *empty; /* what an empty cell of each says */
    uint64_t *numbers;     /* numbers[row * column_count + i] */
    uint64_t *lines;       /* as bw_stream_row.line; NULL: not wanted */
    bw_sources *sources;   /* room for those of `most` requests; NULL: not wanted */
} bw_stream_batch;

/* What a .bwr begins with. */
#define BW_STREAM_MAGIC_BYTES 8u
/* Columns of a .bwr after the addresses. */
#define BW_STREAM_MAX_NUMBERS 64u
/* Columns about where a copy reads: s0 … s31, zeros, held, placed. */
#define BW_SOURCE_COLUMNS (BW_LANES + 3u)

typedef struct bw_bwr_writer bw_bwr_writer;

/* Starts reading; `name` is used in messages and must outlive the reader. Never NULL. */
bw_stream_reader *bw_stream_open(FILE *file, const char *name);
void bw_stream_close(bw_stream_reader *reader); /* accepts NULL; does not close the FILE */

/* Reads the header, if that is still to do. False after an error, described by bw_stream_error. */
bool bw_stream_begin(bw_stream_reader *reader);
/* 1: a row was read; 0: end of file; -1: an error, described by bw_stream_error. After an error no
 * more rows can be read. */
int bw_stream_next(bw_stream_reader *reader, bw_stream_row *row);
/* Likewise; 1: batch->count rows were read, at least one. An error after some rows is told by the
 * next call. */
int bw_stream_read(bw_stream_reader *reader, bw_stream_batch *batch);
/* Bytes of the file that were taken so far. */
uint64_t bw_stream_offset(const bw_stream_reader *reader);
/* "FILE:LINE: what is wrong; what to do", or "FILE: byte N: …". Valid until close. */
const char *bw_stream_error(const bw_stream_reader *reader);
/* Its message; meaningful after an error. */
bw_message_id bw_stream_error_id(const bw_stream_reader *reader);
/* Index of the column called `name`, or -1. Meaningful after the first bw_stream_next. */
int bw_stream_column(const bw_stream_reader *reader, const char *name);
/* The name of column `index`, or NULL past the last; valid until close. Likewise. */
const char *bw_stream_column_name(const bw_stream_reader *reader, unsigned index);
/* The value of a `# key: value` comment line seen so far ("device"), or NULL. */
const char *bw_stream_meta(const bw_stream_reader *reader, const char *key);

/* Whether the stream has columns about sources, and among them `held`; after bw_stream_begin. */
bool bw_stream_has_sources(const bw_stream_reader *reader);
bool bw_stream_says_held(const bw_stream_reader *reader);
/* Whether a column of this name is one of them. */
bool bw_stream_is_source(const char *column);

/* Writes the header row, with `extra` (",cycles" or "") appended. */
void bw_stream_write_header(FILE *file, const char *extra);
/* The same with the columns about sources at the end. */
void bw_stream_write_header_with_sources(FILE *file, const char *extra);
/* Writes "op,active,a0,…,a31" without a line end, so that measured cells can follow. Inactive
 * lanes' addresses are written as they are. */
void bw_stream_write_request(FILE *file, const bw_request *request);

/* Writes the names of the columns about sources, each after `before`. */
void bw_stream_write_source_names(FILE *file, char before);
/* Writes a request's cells of them, each after a comma; of any operation. */
void bw_stream_write_sources(FILE *file, const bw_request *request);
/* The same as numbers, for a .bwr. */
void bw_stream_source_numbers(const bw_request *request, uint64_t numbers[BW_SOURCE_COLUMNS]);

/* Whether a file that begins so is a .bwr. */
bool bw_stream_is_binary(const void *start, size_t len);
/* Begins a .bwr: `head` is comment lines, each with its end; `columns` the names of the numbers of
 * each request, BW_STREAM_MAX_NUMBERS at most, with a blank between. Errors of writing are seen by
 * ferror. */
bw_bwr_writer *bw_bwr_create(FILE *file, const char *head, const char *columns);
/* Writes a request with its numbers, as many as there are columns. */
void bw_bwr_write(bw_bwr_writer *writer, const bw_request *request, const uint64_t *numbers);
/* Writes what is left, and the end where `whole`; frees the writer. Accepts NULL. */
void bw_bwr_finish(bw_bwr_writer *writer, bool whole);

#endif
