/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Nsight Compute's source page as CSV: kernels one after another, each with a head row and one row
 * an instruction. Columns are found by name; they vary with version and options.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

/* More columns than a source page with all metrics has. */
#define MAX_CELLS 512

typedef struct cell {
    uint32_t offset, len; /* in the source, quotes removed */
} cell;

enum {
    COLUMN_ADDRESS,
    COLUMN_SOURCE,
    COLUMN_EXECUTED,
    COLUMN_THREADS,
    COLUMN_WAVEFRONTS,
    COLUMN_IDEAL,
    COLUMNS
};

/* By the metric's own name and by the heading of the page. */
static const struct {
    int column;
    const char *name;
} headings[] = {
    {COLUMN_ADDRESS, "Address"},
    {COLUMN_SOURCE, "Source"},
    {COLUMN_EXECUTED, "inst_executed"},
    {COLUMN_EXECUTED, "# Inst Executed"},
    {COLUMN_EXECUTED, "Instructions Executed"},
    {COLUMN_THREADS, "thread_inst_executed_true"},
    {COLUMN_THREADS, "Predicated-On Thread Instructions Executed"},
    {COLUMN_WAVEFRONTS, "memory_l1_wavefronts_shared"},
    {COLUMN_WAVEFRONTS, "L1 Wavefronts Shared"},
    {COLUMN_IDEAL, "memory_l1_wavefronts_shared_ideal"},
    {COLUMN_IDEAL, "L1 Wavefronts Shared Ideal"},
};

typedef struct reader {
    bw_sass *sass;
    bw_diags *diags;
    bw_function *function;
    bool has_columns;
    int columns[COLUMNS]; /* cell index, -1 where there is none */
    cell cells[MAX_CELLS];
    size_t cell_count;
} reader;

/* Cuts the row at `at` into cells; returns the begin of the next row. */
static const char *read_row(reader *r, const char *at, const char *end)
{
    const char *text = r->sass->source->text;
    r->cell_count = 0;
    while (at < end && *at != '\n') {
        const char *from = at;
        if (*at == '"') {
            from = ++at;
            while (at < end && !(*at == '"' && !(at + 1 < end && at[1] == '"')))
                at += *at == '"' ? 2 : 1;
            if (at > end)
                at = end;
        } else {
            while (at < end && *at != ',' && *at != '\n')
                at++;
        }
        if (r->cell_count < MAX_CELLS)
            r->cells[r->cell_count++] = (cell){(uint32_t)(from - text), (uint32_t)(at - from)};
        while (at < end && *at != ',' && *at != '\n')
            at++;
        at += at < end && *at == ',';
    }
    return at < end ? at + 1 : end;
}

static const char *cell_text(const reader *r, size_t i)
{
    return r->sass->source->text + r->cells[i].offset;
}

static bool cell_is(const reader *r, size_t i, const char *text)
{
    return i < r->cell_count && r->cells[i].len == strlen(text) &&
           memcmp(cell_text(r, i), text, r->cells[i].len) == 0;
}

/* Digits of a cell, thousands separators skipped; UINT64_MAX where it has none. */
static uint64_t cell_number(const reader *r, int i)
{
    if (i < 0 || (size_t)i >= r->cell_count)
        return UINT64_MAX;
    uint64_t value = 0;
    bool any = false;
    for (uint32_t k = 0; k < r->cells[i].len; k++) {
        char c = cell_text(r, (size_t)i)[k];
        if (isdigit((unsigned char)c))
            value = value * 10 + (uint64_t)(c - '0'), any = true;
        else if (c != ',' && c != '\'' && c != ' ')
            return UINT64_MAX;
    }
    return any ? value : UINT64_MAX;
}

static bool read_headings(reader *r)
{
    int columns[COLUMNS];
    for (int c = 0; c < COLUMNS; c++)
        columns[c] = -1;
    for (size_t i = 0; i < r->cell_count; i++)
        for (size_t h = 0; h < sizeof headings / sizeof *headings; h++)
            if (columns[headings[h].column] < 0 && cell_is(r, i, headings[h].name))
                columns[headings[h].column] = (int)i;
    if (columns[COLUMN_ADDRESS] < 0 || columns[COLUMN_SOURCE] < 0)
        return false;
    memcpy(r->columns, columns, sizeof columns);
    r->has_columns = true;
    return true;
}

static bw_span cell_span(const reader *r, size_t i)
{
    bw_span span = {r->cells[i].offset, r->cells[i].len};
    const char *text = r->sass->source->text;
    while (span.len && isspace((unsigned char)text[span.offset]))
        span.offset++, span.len--;
    while (span.len && isspace((unsigned char)text[span.offset + span.len - 1]))
        span.len--;
    return span;
}

static bool read_address(const reader *r, size_t i, uint64_t *address)
{
    const char *text = cell_text(r, i);
    uint32_t len = r->cells[i].len, k = len > 2 && text[0] == '0' && text[1] == 'x' ? 2 : 0;
    if (len == k || len - k > 16)
        return false;
    for (*address = 0; k < len; k++) {
        int c = tolower((unsigned char)text[k]);
        if (!isxdigit(c))
            return false;
        *address = *address * 16 + (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return true;
}

static void read_instruction(reader *r)
{
    size_t source = (size_t)r->columns[COLUMN_SOURCE], at = (size_t)r->columns[COLUMN_ADDRESS];
    uint64_t address;
    if (source >= r->cell_count || at >= r->cell_count || !read_address(r, at, &address)) {
        bw_span span = r->cell_count ? cell_span(r, 0) : (bw_span){0};
        bw_diagnostic *d = bw_diagnose(r->diags, BW_MSG_MACHINE_TEXT, r->sass->source, span,
                                       "a row without address or source");
        bw_note(r->diags, d, "the text is cut, or not of the source page with SASS");
        return;
    }
    if (!bw_text_add(r->sass, r->function, address, cell_span(r, source), r->diags))
        return;
    bw_sass_ins *ins = &r->function->ins[r->function->count - 1];
    ins->profiled = (bw_sass_counts){
        cell_number(r, r->columns[COLUMN_EXECUTED]), cell_number(r, r->columns[COLUMN_THREADS]),
        cell_number(r, r->columns[COLUMN_WAVEFRONTS]), cell_number(r, r->columns[COLUMN_IDEAL])};
    r->function->shown.profiled |= ins->profiled.executed != UINT64_MAX;
}

static void begin_kernel(reader *r)
{
    r->function = bw_text_begin(r->sass, cell_span(r, 1), NULL);
    r->has_columns = false;
}

void bw_text_profile(bw_sass *sass, bw_diags *diags)
{
    reader *r = bw_calloc(1, sizeof *r);
    r->sass = sass;
    r->diags = diags;
    const char *at = sass->source->text, *end = at + sass->source->len;
    while (at < end && diags->errors < BW_DIAGS_MAX) {
        at = read_row(r, at, end);
        if (r->cell_count == 0 || (r->cell_count == 1 && cell_span(r, 0).len == 0))
            continue;
        if (cell_is(r, 0, "Kernel Name") && r->cell_count > 1)
            begin_kernel(r);
        else if (read_headings(r))
            continue;
        else if (r->function && r->has_columns)
            read_instruction(r);
    }
    free(r);
}
