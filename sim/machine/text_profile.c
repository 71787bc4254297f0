/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Nsight Compute's source page as CSV: kernels one after another, each with a head row and one row
 * an instruction. Columns are found by name; they vary with version and options.
 *
 * With lines of CUDA between (--print-source cuda,sass) a function's instructions stand under each
 * line that they come from, in the order of the lines, file by file, and some twice: they are put
 * in order of their addresses. How lines are inlined the page does not say: an instruction keeps
 * the first.
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

/* An instruction of a page with lines. */
typedef struct found {
    uint64_t address;
    size_t order; /* in the text */
    bw_span span;
    bw_sass_counts counts;
    const bw_sass_line *line;
} found;

typedef struct collection {
    found *items; /* malloc'd */
    size_t count, capacity;
} collection;

typedef struct reader {
    bw_sass *sass;
    bw_diags *diags;
    bw_function *function;
    bool has_columns;
    int columns[COLUMNS]; /* cell index, -1 where there is none */
    int line_column;      /* -1: the page has no lines */
    const char *file;     /* of the lines */
    const bw_sass_line *line;
    collection *collections; /* by function; malloc'd */
    size_t collection_count, collection_capacity;
    cell cells[MAX_CELLS];
    size_t cell_count;
} reader;

/* Cuts the row at `at` into cells; returns the begin of the next row. Quotes in lines of CUDA are
 * not doubled: a row ends with its line whatever they say. */
static const char *read_row(reader *r, const char *at, const char *end)
{
    const char *text = r->sass->source->text;
    r->cell_count = 0;
    while (at < end && *at != '\n') {
        const char *from = at;
        if (*at == '"') {
            from = ++at;
            while (at < end && *at != '\n' && !(*at == '"' && !(at + 1 < end && at[1] == '"')))
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
    r->line_column = -1;
    for (size_t i = 0; i < r->cell_count; i++)
        if (cell_is(r, i, "Line No"))
            r->line_column = (int)i;
    size_t after = (size_t)columns[COLUMN_ADDRESS] + 1; /* the source before it is CUDA's */
    if (r->line_column >= 0 && cell_is(r, after, "Source"))
        columns[COLUMN_SOURCE] = (int)after;
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

static bool add_instruction(reader *r, bw_function *function, const found *f)
{
    if (!bw_text_add(r->sass, function, f->address, f->span, r->diags))
        return false;
    bw_sass_ins *ins = &function->ins[function->count - 1];
    ins->profiled = f->counts;
    ins->line = f->line;
    function->shown.profiled |= f->counts.executed != UINT64_MAX;
    return true;
}

/* Keeps an instruction until all lines are read. */
static void collect(reader *r, found f)
{
    size_t function = (size_t)(r->function - r->sass->functions);
    while (r->collection_count <= function) {
        BW_GROW(r->collections, r->collection_count, r->collection_capacity);
        r->collections[r->collection_count++] = (collection){0};
    }
    collection *c = &r->collections[function];
    f.order = c->count;
    BW_GROW(c->items, c->count, c->capacity);
    c->items[c->count++] = f;
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
    const bw_sass_counts counts = {
        cell_number(r, r->columns[COLUMN_EXECUTED]), cell_number(r, r->columns[COLUMN_THREADS]),
        cell_number(r, r->columns[COLUMN_WAVEFRONTS]), cell_number(r, r->columns[COLUMN_IDEAL])};
    const found f = {address, 0, cell_span(r, source), counts, r->line};
    if (r->line_column < 0)
        add_instruction(r, r->function, &f);
    else
        collect(r, f);
}

/* ---- pages with lines ---- */

/* A line of CUDA, of which instructions follow, or what stands for some that are left out. */
static bool read_line(reader *r)
{
    size_t column = (size_t)r->line_column, at = (size_t)r->columns[COLUMN_ADDRESS];
    uint64_t number = cell_number(r, r->line_column);
    if (r->line_column < 0 || column >= r->cell_count || at >= r->cell_count)
        return false;
    if (cell_is(r, at, "..."))
        return true;
    if (number == UINT64_MAX)
        return false;
    bw_sass_line *line = bw_arena_alloc(&r->sass->arena, sizeof *line);
    *line = (bw_sass_line){.file = r->file ? r->file : "", .line = (uint32_t)number};
    r->line = line;
    return true;
}

/* A function's page begins, or goes on with another file's lines. */
static void begin_function(reader *r)
{
    const bw_span name = cell_span(r, 1);
    const char *text = r->sass->source->text + name.offset;
    r->function = NULL;
    r->line = NULL;
    for (size_t k = 0; k < r->sass->count; k++) {
        const char *other = r->sass->functions[k].shown.name;
        if (strlen(other) == name.len && memcmp(other, text, name.len) == 0)
            r->function = &r->sass->functions[k];
    }
    if (!r->function)
        r->function = bw_text_begin(r->sass, name, NULL);
    r->has_columns = false;
}

static int by_address(const void *a, const void *b)
{
    const found *p = a, *q = b;
    if (p->address != q->address)
        return p->address < q->address ? -1 : 1;
    return p->order < q->order ? -1 : p->order > q->order;
}

/* Every instruction once, as it was met first. */
static void put_in_order(reader *r)
{
    for (size_t k = 0; k < r->collection_count; k++) {
        collection *c = &r->collections[k];
        bw_function *function = &r->sass->functions[k];
        if (c->count)
            qsort(c->items, c->count, sizeof *c->items, by_address);
        for (size_t i = 0; i < c->count; i++) {
            if (i && c->items[i].address == c->items[i - 1].address)
                continue;
            if (!add_instruction(r, function, &c->items[i]))
                break;
        }
        free(c->items);
    }
    free(r->collections);
}

static void begin_file(reader *r)
{
    bw_span name = cell_span(r, 1);
    r->file = bw_arena_copy(&r->sass->arena, r->sass->source->text + name.offset, name.len);
}

static void begin_kernel(reader *r)
{
    r->function = bw_text_begin(r->sass, cell_span(r, 1), NULL);
    r->has_columns = false;
    r->line_column = -1;
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
        else if (cell_is(r, 0, "File Path") && r->cell_count > 1)
            begin_file(r);
        else if (cell_is(r, 0, "Function Name") && r->cell_count > 1)
            begin_function(r);
        else if (read_headings(r))
            continue;
        else if (r->function && r->has_columns && !read_line(r))
            read_instruction(r);
    }
    put_in_order(r);
    free(r);
}
