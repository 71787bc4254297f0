/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "expect.h"

#include <string.h>

/* ---- reading
 * ------------------------------------------------------------------------------------------ */

static void bad_expectation(const bw_source *source, bw_span span, bw_diags *diags)
{
    bw_note(
        diags,
        bw_diagnose(diags, BW_MSG_EXPECT_FORM, source, span, "this expectation cannot be read"),
        "write: expect: 2-way, or 32 wavefronts, 31 excessive, 32 cycles, conflict-free; several "
        "with commas");
}

static bool expectation_word(const char *text, size_t len, bw_expect_kind *kind)
{
    static const struct {
        const char *word;
        bw_expect_kind kind;
    } rows[] = {{"wavefronts", BW_EXPECT_WAVEFRONTS}, {"wavefront", BW_EXPECT_WAVEFRONTS},
                {"excessive", BW_EXPECT_EXCESSIVE},   {"cycles", BW_EXPECT_CYCLES},
                {"cycle", BW_EXPECT_CYCLES},          {"-way", BW_EXPECT_DEGREE}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strlen(rows[i].word) == len && memcmp(rows[i].word, text, len) == 0) {
            *kind = rows[i].kind;
            return true;
        }
    return false;
}

/* One item: "32-way", "1024 wavefronts", "conflict-free". */
static bool read_expectation(const char *text, size_t len, bw_expect *e)
{
    if (len == 13 && memcmp(text, "conflict-free", 13) == 0) {
        e->kind = BW_EXPECT_CONFLICT_FREE;
        return true;
    }
    size_t at = 0;
    uint64_t value = 0;
    for (; at < len && text[at] >= '0' && text[at] <= '9'; at++) {
        if (value > UINT64_MAX / 10 - 10)
            return false;
        value = value * 10 + (uint64_t)(text[at] - '0');
    }
    if (at == 0)
        return false;
    while (at < len && text[at] == ' ')
        at++;
    e->value = value;
    return expectation_word(text + at, len - at, &e->kind);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

void bw_expects_read(bw_expects *list, const bw_source *source, const bw_comment *comment,
                     bw_diags *diags)
{
    const char *text = source->text;
    uint32_t at = comment->span.offset, end = at + comment->span.len;
    /* what follows in parentheses, after ';' or "--" or another "//" is prose */
    while (at <= end) {
        uint32_t stop = at;
        while (stop < end && text[stop] != ',' && text[stop] != ';' && text[stop] != '(')
            stop++;
        bool last = stop == end || text[stop] != ',';
        uint32_t from = at, to = stop;
        while (from < to && is_blank(text[from]))
            from++;
        while (to > from && (is_blank(text[to - 1]) || text[to - 1] == '.'))
            to--;
        bw_expect e = {.span = {from, to - from}, .line = comment->line};
        if (!read_expectation(text + from, to - from, &e)) {
            bad_expectation(source, (bw_span){from, to - from}, diags);
            return;
        }
        BW_GROW(list->items, list->count, list->capacity);
        list->items[list->count++] = e;
        if (last)
            return;
        at = stop + 1;
    }
}

/* ---- which accesses
 * ----------------------------------------------------------------------------------- */

static bool covers(const bw_lines *lines, bw_span span, unsigned line)
{
    uint32_t last = span.offset + (span.len ? span.len - 1 : 0);
    return bw_lines_place(lines, span.offset).line <= line &&
           line <= bw_lines_place(lines, last).line;
}

static bool is_called_at(const bw_access *access, unsigned line)
{
    for (const bw_call_site *c = access->call; c; c = c->from)
        if (c->line == line)
            return true;
    return false;
}

/* The statement that spans the line, the shortest of several (a loop's head, and what is in it). */
static const bw_span *statement_at(const bw_lines *lines, const bw_span *statements, size_t count,
                                   unsigned line)
{
    const bw_span *best = NULL;
    for (size_t i = 0; i < count; i++)
        if (covers(lines, statements[i], line) && (!best || statements[i].len < best->len))
            best = &statements[i];
    return best;
}

bool bw_expect_applies(const bw_expect *e, const bw_access *access, const bw_access *all,
                       size_t count, const bw_lines *lines, const bw_span *statements,
                       size_t statement_count)
{
    for (size_t i = 0; i < count; i++)
        if (all[i].line == e->line)
            return access->line == e->line;
    for (size_t i = 0; i < count; i++)
        if (is_called_at(&all[i], e->line))
            return is_called_at(access, e->line);
    for (size_t i = 0; i < count; i++)
        if (covers(lines, all[i].span, e->line))
            return covers(lines, access->span, e->line);
    const bw_span *s = statement_at(lines, statements, statement_count, e->line);
    return s && access->span.offset >= s->offset && access->span.offset < s->offset + s->len;
}
