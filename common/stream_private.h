/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stream_private: what the two forms of a request stream share: the reader with its buffer and its
 * errors. stream.c owns it and reads CSV; bwr.c reads and writes .bwr.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_STREAM_PRIVATE_H
#define BANKWISE_STREAM_PRIVATE_H

#include "stream.h"

/* A row of 32 ten-digit addresses and 30 measured cells is below 1 KiB, a block of .bwr below
 * this; it only stops a file without line ends from filling the memory. */
#define BW_STREAM_MOST ((size_t)1 << 20)

typedef struct bw_stream_meta_line {
    char *key, *value;
} bw_stream_meta_line;

#define BW_STREAM_MAX_META 64 /* remembered `# key: value` lines */

/* What is known of a .bwr. */
typedef struct bw_bwr {
    bw_op *ops; /* by the file's numbers; malloc'd */
    unsigned op_count;
    unsigned numbers;     /* columns after the addresses */
    uint64_t block_start; /* offset in the file of the block that is being read */
    uint64_t records;     /* read so far: the number of the next, from 0 */
    uint32_t left;        /* of the block, whose records lie at data[at] */
    bool ended;           /* its last block was read */
    char *cells;          /* of bw_stream_row.fields; malloc'd */
} bw_bwr;

struct bw_stream_reader {
    FILE *file;
    const char *name;
    /* data[at..end) is not yet read; the buffer has one byte more for a NUL. */
    char *data;
    size_t at, end, capacity;
    uint64_t before; /* bytes of the file before data[0] */
    bool at_eof, failed, known;
    bool is_binary; /* where `known` */
    bw_bwr binary;
    unsigned line;
    char *error;
    bw_message_id error_id;
    bw_stream_meta_line metas[BW_STREAM_MAX_META];
    unsigned meta_count;
    char *columns[BW_STREAM_MAX_COLUMNS];
    unsigned column_count; /* 0: no header row yet */
    unsigned op_column, active_column, addr_column[BW_LANES];
    const char *fields[BW_STREAM_MAX_COLUMNS];
    int source_column[BW_SOURCE_COLUMNS]; /* -1: there is none */
    bool has_sources;
    bw_sources sources; /* of the row that was read last */
    bw_op last_op;      /* streams have long runs of one operation */
};

/* The reader fails at `place`, a line of CSV or an offset of .bwr; -1. */
int bw_stream_fail(bw_stream_reader *reader, uint64_t place, bw_message_id id, const char *format,
                   ...) __attribute__((format(printf, 4, 5)));
/* Reads on after data[at..end). False at the end of the file and after an error. */
bool bw_stream_fill(bw_stream_reader *reader);
/* Remembers the comment line, which it changes. */
void bw_stream_note(bw_stream_reader *reader, char *line);

/* Finds the columns about sources. False after an error. */
bool bw_stream_find_sources(bw_stream_reader *reader);
/* What an empty cell of the column says, in the order of bw_stream_source_numbers. */
uint64_t bw_stream_no_source(unsigned which);
/* Gives a request its sources, from the row's cells or from numbers in the order of
 * bw_stream_source_numbers: 1, or -1 after an error at `place`. */
int bw_stream_read_sources(bw_stream_reader *reader, uint64_t place, bw_request *request);
int bw_stream_take_sources(bw_stream_reader *reader, uint64_t place, const uint64_t *numbers,
                           bw_request *request, bw_sources *into);

/* What bw_stream_begin, _next and _read do of a .bwr. */
bool bw_bwr_begin(bw_stream_reader *reader);
int bw_bwr_next(bw_stream_reader *reader, bw_stream_row *row);
int bw_bwr_read(bw_stream_reader *reader, bw_stream_batch *batch);

#endif
