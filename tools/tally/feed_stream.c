/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Request streams as a feed. What `lower` writes beside a request says which instruction it is of.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "feed_private.h"
#include "held.h"
#include "stream.h"

/* The columns that are looked for; COPIES is called count or copies. */
enum { LAUNCH, LINE, COLUMN, WARP, BLOCK, COPIES, COLUMNS };
static const char *const names[COLUMNS] = {"launch", "line", "column", "warp", "block", "copies"};

typedef struct stream {
    bw_stream_reader *reader;
    unsigned columns[COLUMNS]; /* those that are there: their indices, and which they are */
    unsigned which[COLUMNS];
    unsigned column_count;
    uint64_t empty[COLUMNS];
    uint64_t *numbers; /* malloc'd */
    bw_held held;
    size_t most;
} stream;

static int fail(bw_feed *feed)
{
    const stream *s = feed->state;
    if (bw_feed_fail_at_end(feed) < 0)
        return -1;
    feed->failed = true;
    feed->error = bw_arena_text(&feed->table.arena, bw_stream_error(s->reader));
    feed->error_id = bw_stream_error_id(s->reader);
    if (feed->error_id == BW_MSG_STREAM_HEADER || feed->error_id == BW_MSG_NOT_TEXT)
        feed->note = "a trace is a request stream, the text of mem_trace, or a .traceg";
    return -1;
}

static bool open_stream(bw_feed *feed)
{
    stream *s = feed->state = bw_calloc(1, sizeof *s);
    s->reader = bw_stream_open(feed->file, feed->name);
    if (!bw_stream_begin(s->reader)) {
        fail(feed);
        return false;
    }
    for (unsigned i = 0; i < COLUMNS; i++) {
        int at = bw_stream_column(s->reader, names[i]);
        if (i == COPIES && at < 0)
            at = bw_stream_column(s->reader, "count");
        if (at < 0)
            continue;
        s->columns[s->column_count] = (unsigned)at;
        s->empty[s->column_count] = i == COPIES;
        s->which[s->column_count++] = i;
    }
    return true;
}

/* The kernel of a launch, from the comment that `lower` writes: "transpose block 32x8x1 ...". */
static const char *kernel_of(bw_feed *feed, uint64_t launch)
{
    const stream *s = feed->state;
    char key[40];
    snprintf(key, sizeof key, "launch %" PRIu64, launch);
    const char *said = launch ? bw_stream_meta(s->reader, key) : NULL;
    const char *end = said ? strstr(said, " block ") : NULL;
    if (!launch || (end && end - said == 6 && memcmp(said, "script", 6) == 0))
        return NULL;
    return end ? bw_arena_copy(&feed->table.arena, said, (size_t)(end - said))
               : bw_arena_text(&feed->table.arena, key);
}

static uint32_t key_of(bw_feed *feed, bw_op op, const uint64_t values[COLUMNS])
{
    const uint64_t tag[3] = {values[LAUNCH] << 8 | (uint64_t)op, values[LINE], values[COLUMN]};
    bw_feed_memo *memo = bw_feed_memo_of(feed, tag);
    if (memo->used)
        return memo->key;
    bw_total_key key = {.kernel = kernel_of(feed, values[LAUNCH]),
                        .line = values[LINE],
                        .column = values[COLUMN],
                        .op = op};
    *memo = (bw_feed_memo){{tag[0], tag[1], tag[2]}, bw_feed_key_of(feed, &key), true};
    return memo->key;
}

/* What L1 holds of a copy's sources, where the stream does not say. */
static void see_source(stream *s, const bw_request *request, bw_sources *sources,
                       const uint64_t values[COLUMNS])
{
    if (bw_op_get(request->op)->copies && request->sources && !bw_stream_says_held(s->reader))
        bw_held_see(&s->held, values[LAUNCH], values[BLOCK], request, sources);
}

/* What stands beside the requests. False where a count is none. */
static bool take_numbers(bw_feed *feed, bw_feed_batch *batch)
{
    stream *s = feed->state;
    for (size_t i = 0; i < batch->count; i++) {
        uint64_t values[COLUMNS] = {[COPIES] = 1};
        for (unsigned c = 0; c < s->column_count; c++)
            values[s->which[c]] = s->numbers[i * s->column_count + c];
        batch->keys[i] = key_of(feed, batch->requests[i].op, values);
        batch->copies[i] = values[COPIES];
        batch->blocks[i] = values[BLOCK];
        batch->warps[i] = values[WARP];
        if (bw_stream_has_sources(s->reader))
            see_source(s, &batch->requests[i], &batch->sources[i], values);
        if (!values[COPIES]) {
            feed->line_number = batch->lines[i];
            batch->count = i;
            return false;
        }
    }
    return true;
}

static int read_stream(bw_feed *feed, bw_feed_batch *batch)
{
    stream *s = feed->state;
    if (s->most < batch->most) {
        s->most = batch->most;
        s->numbers = bw_realloc(s->numbers, (s->most * COLUMNS) * sizeof *s->numbers);
    }
    bw_stream_batch in = {.requests = batch->requests,
                          .most = batch->most,
                          .columns = s->columns,
                          .column_count = s->column_count,
                          .empty = s->empty,
                          .numbers = s->numbers,
                          .lines = batch->lines,
                          .sources = batch->sources};
    int got = bw_stream_read(s->reader, &in);
    batch->count = in.count;
    if (got < 0)
        return fail(feed);
    if (got == 0 && bw_feed_fail_at_end(feed) < 0)
        return -1;
    if (!take_numbers(feed, batch))
        return bw_feed_fail(feed, true, BW_MSG_STREAM_COUNT, NULL,
                            "its count is no positive number");
    return got;
}

static void close_stream(bw_feed *feed)
{
    stream *s = feed->state;
    if (!s)
        return;
    bw_stream_close(s->reader);
    free(s->numbers);
}

const bw_feed_form bw_feed_streams = {"request stream", NULL, open_stream, read_stream,
                                      close_stream};
