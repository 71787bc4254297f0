/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * feed: the requests of a trace, whatever its form, many at a time.
 *
 * A trace is a request stream (CSV or .bwr), the text of NVBit's mem_trace or a kernel trace of
 * Accel-Sim (.traceg); plain, or packed by gzip, xz or zstd, whose programs on the PATH unpack it.
 * What it is, its content says. A feed owns its file and its table of instructions, needs constant
 * memory beside that, and knows no cost.
 *
 * Different feeds may be used by different threads at once; one by one thread at a time.
 */
#ifndef BANKWISE_FEED_H
#define BANKWISE_FEED_H

#include <stdio.h>

#include "message.h"
#include "totals.h"

typedef struct bw_feed bw_feed;

/* Room for requests, the caller's arrays of `most` elements each. */
typedef struct bw_feed_batch {
    size_t most, count;
    bw_request *requests;
    bw_sources *sources; /* of requests that have some */
    uint32_t *keys;      /* bw_feed_key has what they stand for */
    uint64_t *copies, *lines, *blocks, *warps;
} bw_feed_batch;

void bw_feed_batch_init(bw_feed_batch *batch, size_t most);
void bw_feed_batch_finish(bw_feed_batch *batch);

/* Opens "-" for standard input. Never NULL: what is wrong, the first read says. `path` must outlive
 * the feed. */
bw_feed *bw_feed_open(const char *path);
void bw_feed_close(bw_feed *feed); /* accepts NULL */

/* 1: at least one request was read; 0: the end; -1: an error, as bw_feed_error says. What was read
 * before an error is good. */
int bw_feed_read(bw_feed *feed, bw_feed_batch *batch);
const char *bw_feed_error(const bw_feed *feed); /* with the place, or NULL */
const char *bw_feed_note(const bw_feed *feed);  /* what to do; may be NULL */
bw_message_id bw_feed_error_id(const bw_feed *feed);

/* The name of the file as it is shown; "trace of Accel-Sim", after the first read. */
const char *bw_feed_name(const bw_feed *feed);
const char *bw_feed_form_name(const bw_feed *feed);
/* What the instruction of this number is; its texts live as long as the feed. */
const bw_total_key *bw_feed_key(const bw_feed *feed, uint32_t key);
/* What is not in the rows so far: skipped, idle and others of these totals are meant. */
const bw_totals *bw_feed_others(const bw_feed *feed);
/* Whether the trace does not say which lanes were active, so that all were taken. */
bool bw_feed_guesses_lanes(const bw_feed *feed);

/* Bytes of a file that is not open; 0 where it is no regular file. */
uint64_t bw_feed_bytes(const char *path);
/* Bytes of the file as it lies there, all and those that were taken; 0 where it is not known. */
uint64_t bw_feed_size(const bw_feed *feed);
uint64_t bw_feed_position(const bw_feed *feed);

#endif
