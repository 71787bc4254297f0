/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "feed_private.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- batches ---- */

void bw_feed_batch_init(bw_feed_batch *batch, size_t most)
{
    *batch = (bw_feed_batch){.most = most,
                             .requests = bw_alloc(most * sizeof *batch->requests),
                             .sources = bw_alloc(most * sizeof *batch->sources),
                             .keys = bw_alloc(most * sizeof *batch->keys),
                             .copies = bw_alloc(most * sizeof *batch->copies),
                             .lines = bw_alloc(most * sizeof *batch->lines),
                             .blocks = bw_alloc(most * sizeof *batch->blocks),
                             .warps = bw_alloc(most * sizeof *batch->warps)};
}

void bw_feed_batch_finish(bw_feed_batch *batch)
{
    free(batch->requests);
    free(batch->sources);
    free(batch->keys);
    free(batch->copies);
    free(batch->lines);
    free(batch->blocks);
    free(batch->warps);
}

/* ---- errors and lines ---- */

/* What the unpacker says, where it failed. */
static int fail_unpacking(bw_feed *feed)
{
    feed->failed = true;
    feed->error =
        bw_arena_format(&feed->table.arena, "%s: %s", feed->name, bw_unpack_error(feed->unpack));
    feed->note = bw_unpack_note(feed->unpack);
    feed->error_id = bw_unpack_error_id(feed->unpack);
    return -1;
}

int bw_feed_fail_at_end(bw_feed *feed)
{
    if (!feed->file || !feof(feed->file) || bw_unpack_ended(feed->unpack))
        return 0;
    return fail_unpacking(feed);
}

int bw_feed_fail(bw_feed *feed, bool line, bw_message_id id, const char *note, const char *format,
                 ...)
{
    char text[1024];
    va_list args;
    if (bw_feed_fail_at_end(feed) < 0)
        return -1;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    feed->failed = true;
    feed->error = line ? bw_arena_format(&feed->table.arena, "%s:%" PRIu64 ": %s", feed->name,
                                         feed->line_number, text)
                       : bw_arena_format(&feed->table.arena, "%s: %s", feed->name, text);
    feed->note = note;
    feed->error_id = id;
    return -1;
}

int bw_feed_line(bw_feed *feed)
{
    if (!fgets(feed->line, BW_FEED_LINE, feed->file)) {
        if (ferror(feed->file))
            return bw_feed_fail(feed, true, BW_MSG_CANNOT_READ, NULL, "the file cannot be read on");
        return bw_feed_fail_at_end(feed);
    }
    feed->line_number++;
    size_t len = strlen(feed->line);
    bool ended = len && feed->line[len - 1] == '\n';
    if (!ended && len + 1 == BW_FEED_LINE)
        return bw_feed_fail(feed, true, BW_MSG_TRACE_LINE, "is this a trace?",
                            "the line is longer than %u bytes", BW_FEED_LINE);
    while (len && (feed->line[len - 1] == '\n' || feed->line[len - 1] == '\r'))
        feed->line[--len] = '\0';
    return 1;
}

/* ---- words ---- */

const char *bw_read_word(const char **at, size_t *len)
{
    const char *word = *at + strspn(*at, " \t");
    *len = strcspn(word, " \t");
    *at = word + *len;
    return word;
}

static unsigned digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    if (c >= 'a' && c <= 'f')
        return (unsigned)(c - 'a') + 10;
    return c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10 : 16;
}

bool bw_read_hex(const char **at, uint64_t *value)
{
    const char *c = *at + strspn(*at, " \t");
    c += c[0] == '0' && (c[1] == 'x' || c[1] == 'X') ? 2 : 0;
    const char *first = c;
    uint64_t sum = 0;
    for (unsigned digit; (digit = digit_of(*c)) < 16; c++)
        sum = sum << 4 | digit;
    *at = c;
    *value = sum;
    return c > first && c - first <= 16 && (*c == '\0' || *c == ' ' || *c == '\t');
}

bool bw_read_decimal(const char **at, int64_t *value)
{
    const char *c = *at + strspn(*at, " \t");
    bool negative = *c == '-';
    c += negative;
    const char *first = c;
    int64_t sum = 0;
    for (; *c >= '0' && *c <= '9' && c - first < 18; c++)
        sum = sum * 10 + (*c - '0');
    *at = c;
    *value = negative ? -sum : sum;
    return c > first && (*c == '\0' || *c == ' ' || *c == '\t');
}

bool bw_read_three(const char *text, uint64_t three[3])
{
    text += strspn(text, " (");
    for (int i = 0; i < 3; i++) {
        size_t digits = strspn(text, "0123456789");
        if (!digits || digits > 9 || (i < 2 && text[digits] != ','))
            return false;
        three[i] = strtoul(text, NULL, 10);
        text += digits + 1;
    }
    return true;
}

/* ---- instructions ---- */

uint32_t bw_feed_key_of(bw_feed *feed, const bw_total_key *key)
{
    return (uint32_t)(bw_totals_row(&feed->table, key) - feed->table.rows);
}

bw_feed_memo *bw_feed_memo_of(bw_feed *feed, const uint64_t tag[3])
{
    uint64_t hash = (tag[0] * 31 + tag[1]) * 31 + tag[2];
    hash *= UINT64_C(0x9e3779b97f4a7c15);
    bw_feed_memo *memo = &feed->memos[hash >> 54 & (BW_FEED_MEMOS - 1)];
    if (memo->used && memcmp(memo->tag, tag, sizeof memo->tag) != 0)
        memo->used = false;
    return memo;
}

const bw_total_key *bw_feed_key(const bw_feed *feed, uint32_t key)
{
    return &feed->table.rows[key].key;
}

const bw_totals *bw_feed_others(const bw_feed *feed)
{
    return &feed->table;
}

/* ---- opening ---- */

static const bw_feed_form *const forms[] = {&bw_feed_accelsim, &bw_feed_nvbit};

bw_feed *bw_feed_open(const char *path)
{
    bw_feed *feed = bw_calloc(1, sizeof *feed);
    feed->path = path;
    feed->name = strcmp(path, "-") == 0 ? "<stdin>" : path;
    feed->unpack = bw_unpack_open(path);
    feed->line = bw_alloc(BW_FEED_LINE);
    if (bw_unpack_error(feed->unpack))
        fail_unpacking(feed);
    return feed;
}

static bool begin(bw_feed *feed)
{
    size_t len;
    const char *start = bw_unpack_peek(feed->unpack, &len);
    feed->form = &bw_feed_streams; /* whatever is none of the others */
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (forms[i]->is(start, len))
            feed->form = forms[i];
    feed->file = bw_unpack_file(feed->unpack);
    if (!feed->file) {
        fail_unpacking(feed);
        return false;
    }
    return !feed->form->open || feed->form->open(feed);
}

int bw_feed_read(bw_feed *feed, bw_feed_batch *batch)
{
    batch->count = 0;
    if (feed->failed || (!feed->form && !begin(feed)))
        return -1;
    int got = feed->form->read(feed, batch);
    return batch->count ? 1 : got;
}

void bw_feed_close(bw_feed *feed)
{
    if (!feed)
        return;
    if (feed->form && feed->form->close)
        feed->form->close(feed);
    free(feed->state);
    bw_unpack_close(feed->unpack);
    bw_totals_finish(&feed->table);
    free(feed->line);
    free(feed);
}

const char *bw_feed_error(const bw_feed *feed)
{
    return feed->error;
}

const char *bw_feed_note(const bw_feed *feed)
{
    return feed->note;
}

bw_message_id bw_feed_error_id(const bw_feed *feed)
{
    return feed->error_id;
}

const char *bw_feed_name(const bw_feed *feed)
{
    return feed->name;
}

const char *bw_feed_form_name(const bw_feed *feed)
{
    return feed->form ? feed->form->name : "";
}

bool bw_feed_guesses_lanes(const bw_feed *feed)
{
    return feed->guesses_lanes;
}

uint64_t bw_feed_bytes(const char *path)
{
    struct stat status;
    bool known = stat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0;
    return known ? (uint64_t)status.st_size : 0;
}

uint64_t bw_feed_size(const bw_feed *feed)
{
    return bw_unpack_size(feed->unpack);
}

uint64_t bw_feed_position(const bw_feed *feed)
{
    return bw_unpack_position(feed->unpack);
}
