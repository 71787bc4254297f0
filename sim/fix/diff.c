/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <stdlib.h>
#include <string.h>

#include "rewrite.h"

#define CONTEXT 3
/* Lines that differ are matched by trying so many ahead: edits of a layout are small. */
#define AHEAD 64

typedef struct line {
    const char *text;
    size_t len; /* with its newline */
} line;

typedef struct lines {
    line *items;
    size_t count, capacity;
} lines;

/* A stretch of lines that differs. */
typedef struct change {
    size_t from, from_count, to, to_count;
} change;

typedef struct changes {
    change *items;
    size_t count, capacity;
} changes;

static lines split(const bw_source *s)
{
    lines all = {.count = 0};
    for (size_t at = 0; at < s->len;) {
        const char *end = memchr(s->text + at, '\n', s->len - at);
        size_t len = end ? (size_t)(end - s->text) + 1 - at : s->len - at;
        BW_GROW(all.items, all.count, all.capacity);
        all.items[all.count++] = (line){s->text + at, len};
        at += len;
    }
    return all;
}

static bool same(const line *a, const line *b)
{
    return a->len == b->len && memcmp(a->text, b->text, a->len) == 0;
}

/* The nearest place after (i, j) where both texts agree again. */
static void resync(const lines *a, const lines *b, size_t i, size_t j, size_t *next_i,
                   size_t *next_j)
{
    for (size_t sum = 1; sum <= 2 * AHEAD; sum++)
        for (size_t di = 0; di <= sum; di++) {
            size_t dj = sum - di;
            if (i + di < a->count && j + dj < b->count &&
                same(&a->items[i + di], &b->items[j + dj])) {
                *next_i = i + di;
                *next_j = j + dj;
                return;
            }
        }
    *next_i = a->count;
    *next_j = b->count;
}

static changes compare(const lines *a, const lines *b)
{
    changes found = {.count = 0};
    size_t i = 0, j = 0;
    while (i < a->count || j < b->count) {
        size_t next_i, next_j;
        if (i < a->count && j < b->count && same(&a->items[i], &b->items[j])) {
            i++;
            j++;
            continue;
        }
        resync(a, b, i, j, &next_i, &next_j);
        BW_GROW(found.items, found.count, found.capacity);
        found.items[found.count++] = (change){i, next_i - i, j, next_j - j};
        i = next_i;
        j = next_j;
    }
    return found;
}

typedef struct diff {
    bw_arena *arena;
    char *text; /* malloc'd */
    size_t len, capacity;
} diff;

static void put(diff *d, const char *text, size_t len)
{
    while (d->len + len + 1 > d->capacity) {
        d->capacity = d->capacity ? d->capacity * 2 : 1024;
        d->text = bw_realloc(d->text, d->capacity);
    }
    memcpy(d->text + d->len, text, len);
    d->len += len;
}

static void put_line(diff *d, char mark, const line *l)
{
    put(d, &mark, 1);
    put(d, l->text, l->len);
    if (!l->len || l->text[l->len - 1] != '\n')
        put(d, "\n\\ No newline at end of file\n", 29);
}

/* A line that does not change. A CI takes one that begins with "::", after blanks, for a command:
 * such a line is taken away and put back. */
static void put_context(diff *d, const line *l)
{
    size_t at = 0;
    while (at < l->len && (l->text[at] == ' ' || l->text[at] == '\t'))
        at++;
    bool command = l->len - at >= 2 && memcmp(l->text + at, "::", 2) == 0;
    put_line(d, command ? '-' : ' ', l);
    if (command)
        put_line(d, '+', l);
}

static size_t minus(size_t a, size_t b)
{
    return a > b ? a - b : 0;
}

/* A hunk of the changes [first, end), with lines of context around. */
static void put_hunk(diff *d, const lines *a, const lines *b, const change *first,
                     const change *end)
{
    const change *last = end - 1;
    size_t from = minus(first->from, CONTEXT), to = minus(first->to, CONTEXT);
    size_t stop = last->from + last->from_count + CONTEXT;
    stop = stop < a->count ? stop : a->count;
    size_t stop_to = last->to + last->to_count + (stop - last->from - last->from_count);
    const char *head =
        bw_arena_format(d->arena, "@@ -%zu,%zu +%zu,%zu @@\n", stop > from ? from + 1 : from,
                        stop - from, stop_to > to ? to + 1 : to, stop_to - to);
    put(d, head, strlen(head));
    size_t at = from;
    for (const change *c = first; c < end; c++) {
        for (; at < c->from; at++)
            put_context(d, &a->items[at]);
        for (size_t k = 0; k < c->from_count; k++)
            put_line(d, '-', &a->items[c->from + k]);
        for (size_t k = 0; k < c->to_count; k++)
            put_line(d, '+', &b->items[c->to + k]);
        at = c->from + c->from_count;
    }
    for (; at < stop; at++)
        put_context(d, &a->items[at]);
}

static void put_hunks(diff *d, const lines *a, const lines *b, const changes *all)
{
    for (size_t i = 0; i < all->count;) {
        size_t next = i + 1;
        while (next < all->count && all->items[next].from <= all->items[next - 1].from +
                                                                 all->items[next - 1].from_count +
                                                                 2 * CONTEXT)
            next++;
        put_hunk(d, a, b, &all->items[i], &all->items[next]);
        i = next;
    }
}

const char *bw_unified_diff(bw_arena *arena, const char *name, const bw_source *from,
                            const bw_source *to)
{
    lines a = split(from), b = split(to);
    changes all = compare(&a, &b);
    diff d = {.arena = arena};
    if (all.count) {
        while (*name == '/') /* as git does: `patch -p1` finds it from the root */
            name++;
        const char *head = bw_arena_format(arena, "--- a/%s\n+++ b/%s\n", name, name);
        put(&d, head, strlen(head));
        put_hunks(&d, &a, &b, &all);
    }
    const char *text = bw_arena_copy(arena, d.text ? d.text : "", d.len);
    free(d.text);
    free(a.items);
    free(b.items);
    free(all.items);
    return text;
}
