/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "table.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "plain.h"

/* Between columns: two spaces part them without a line. */
#define GAP 2
/* A flexible column narrower than this says nothing; the table then grows past the width. */
#define LEAST_FLEXIBLE 12

typedef struct table_row {
    const char *cells[BW_TABLE_MAX_COLUMNS];
    bw_row_style style;
    bool rule;
} table_row;

struct bw_table {
    bw_arena arena;
    const bw_column *columns;
    size_t column_count, cell; /* cell: where the next one of the current row goes */
    table_row *rows;
    size_t count, capacity;
};

/* A cell that wraps takes no more lines than this: a table is for a glance. */
#define MOST_LINES 3

/* Which columns are shown and how wide; found when printing. */
typedef struct layout {
    bool shown[BW_TABLE_MAX_COLUMNS];
    unsigned width[BW_TABLE_MAX_COLUMNS];
} layout;

static unsigned cells_of(const char *text, size_t bytes)
{
    unsigned cells = 0;
    for (size_t i = 0; i < bytes; i++)
        cells += ((unsigned char)text[i] & 0xC0) != 0x80; /* continuation bytes take no cell */
    return cells;
}

unsigned bw_text_width(const char *text)
{
    return cells_of(text, strlen(text));
}

bw_table *bw_table_create(const bw_column *columns, size_t count)
{
    assert(count <= BW_TABLE_MAX_COLUMNS);
    bw_table *table = bw_calloc(1, sizeof *table);
    table->columns = columns;
    table->column_count = count;
    return table;
}

void bw_table_destroy(bw_table *table)
{
    if (!table)
        return;
    bw_arena_finish(&table->arena);
    free(table->rows);
    free(table);
}

void bw_table_row(bw_table *table, bw_row_style style)
{
    BW_GROW(table->rows, table->count, table->capacity);
    table->rows[table->count++] = (table_row){.style = style};
    table->cell = 0;
}

void bw_table_cell(bw_table *table, const char *format, ...)
{
    assert(table->count && table->cell < table->column_count);
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    char *text = bw_arena_alloc(&table->arena, (size_t)(length < 0 ? 0 : length) + 1);
    if (length > 0)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(arguments);
    table->rows[table->count - 1].cells[table->cell++] = text;
}

void bw_table_rule(bw_table *table)
{
    bw_table_row(table, BW_ROW_PLAIN);
    table->rows[table->count - 1].rule = true;
}

static unsigned natural_width(const bw_table *table, size_t column)
{
    unsigned widest = bw_text_width(table->columns[column].title);
    for (size_t row = 0; row < table->count; row++) {
        const char *cell = table->rows[row].cells[column];
        unsigned width = cell ? bw_text_width(cell) : 0;
        widest = width > widest ? width : widest;
    }
    return widest;
}

static unsigned used_width(const bw_table *table, const layout *plan)
{
    unsigned used = 0;
    for (size_t i = 0; i < table->column_count; i++)
        if (plan->shown[i])
            used += plan->width[i] + (used ? GAP : 0);
    return used;
}

/* Optional columns enter in order of their rank, as long as the whole still fits. */
static void add_optional(const bw_table *table, layout *plan, unsigned width)
{
    for (unsigned rank = 1; rank <= BW_TABLE_MAX_COLUMNS; rank++)
        for (size_t i = 0; i < table->column_count; i++) {
            if (table->columns[i].optional != rank)
                continue;
            plan->shown[i] = true;
            if (used_width(table, plan) > width) {
                plan->shown[i] = false;
                return;
            }
        }
}

static layout plan_layout(const bw_table *table, unsigned width)
{
    layout plan = {.shown = {false}};
    for (size_t i = 0; i < table->column_count; i++) {
        plan.width[i] = natural_width(table, i);
        plan.shown[i] = table->columns[i].optional == 0;
    }
    unsigned used = used_width(table, &plan);
    size_t last = table->column_count - 1;
    if (used > width && table->columns[last].flexible) {
        unsigned rest = used - plan.width[last];
        unsigned room = width > rest + LEAST_FLEXIBLE ? width - rest : LEAST_FLEXIBLE;
        plan.width[last] = room < plan.width[last] ? room : plan.width[last];
    }
    add_optional(table, &plan, width);
    return plan;
}

/* Bytes of the first `cells` character cells of `text`. */
static size_t prefix_bytes(const char *text, unsigned cells)
{
    size_t i = 0;
    for (unsigned seen = 0; text[i]; i++) {
        bool starts = ((unsigned char)text[i] & 0xC0) != 0x80;
        if (starts && seen == cells)
            break;
        seen += starts;
    }
    return i;
}

/* Bytes of `text` that go on one line of `width` cells: up to a place where code breaks well. */
static size_t line_bytes(const char *text, unsigned width)
{
    size_t most = prefix_bytes(text, width), best = 0;
    if (!text[most])
        return most;
    for (size_t i = 1; i <= most; i++)
        if (strchr(" ,;", text[i - 1]) || text[i] == '[' || text[i] == ' ')
            best = i;
    return best > most / 3 ? best : most;
}

/* Spaces are held back until something follows them, so that no line ends in one. */
static void print_text(FILE *out, const char *text, size_t bytes, bool cut, unsigned *spaces)
{
    if (!bytes)
        return;
    fprintf(out, "%*s%.*s%s", (int)*spaces, "", (int)bytes, text, cut ? "..." : "");
    *spaces = 0;
}

/* Prints what fits of *rest and moves it on; the last line of a cell that is too long is cut. */
static void print_cell(FILE *out, const bw_column *column, const char **rest, unsigned width,
                       bool last, unsigned *spaces)
{
    size_t bytes = line_bytes(*rest, width);
    bool cut = last && (*rest)[bytes];
    if (cut)
        bytes = prefix_bytes(*rest, width - 3);
    const char *text = *rest;
    *rest += bytes;
    while (**rest == ' ')
        ++*rest;
    while (bytes && text[bytes - 1] == ' ')
        bytes--;
    unsigned shown = cells_of(text, bytes) + (cut ? 3 : 0);
    unsigned pad = width > shown ? width - shown : 0;
    *spaces += column->right ? pad : 0;
    print_text(out, text, bytes, cut, spaces);
    *spaces += column->right ? 0 : pad;
}

static void print_row(const bw_table *table, const layout *plan, const char *const *cells,
                      bw_style style, FILE *out)
{
    const char *rest[BW_TABLE_MAX_COLUMNS];
    bool more = true;
    for (size_t i = 0; i < table->column_count; i++)
        rest[i] = cells[i] ? cells[i] : "";
    for (unsigned line = 0; more && line < MOST_LINES; line++) {
        unsigned spaces = 0;
        bool first = true;
        more = false;
        if (style != BW_STYLE_OFF)
            bw_put_style(out, style);
        for (size_t i = 0; i < table->column_count; i++) {
            if (!plan->shown[i])
                continue;
            spaces += first ? 0 : GAP;
            first = false;
            print_cell(out, &table->columns[i], &rest[i], plan->width[i], line + 1 == MOST_LINES,
                       &spaces);
            more |= *rest[i] != '\0';
        }
        if (style != BW_STYLE_OFF)
            bw_put_style(out, BW_STYLE_OFF);
        fputc('\n', out);
    }
}

static void print_rule(unsigned width, FILE *out)
{
    for (unsigned i = 0; i < width; i++)
        putc('-', out);
    putc('\n', out);
}

void bw_table_print(const bw_table *table, FILE *out, unsigned width, bool colour)
{
    static const bw_style styles[] = {[BW_ROW_PLAIN] = BW_STYLE_OFF,
                                      [BW_ROW_STRONG] = BW_STYLE_BOLD,
                                      [BW_ROW_ALERT] = BW_STYLE_ALERT};
    _Static_assert(sizeof styles / sizeof *styles == BW_ROW_ALERT + 1, "a style for each");
    layout plan = plan_layout(table, width);
    unsigned used = used_width(table, &plan);
    const char *titles[BW_TABLE_MAX_COLUMNS] = {NULL};
    for (size_t i = 0; i < table->column_count; i++)
        titles[i] = table->columns[i].title;
    print_row(table, &plan, titles, colour ? styles[BW_ROW_STRONG] : BW_STYLE_OFF, out);
    print_rule(used, out);
    for (size_t i = 0; i < table->count; i++) {
        const table_row *row = &table->rows[i];
        if (row->rule)
            print_rule(used, out);
        else
            print_row(table, &plan, row->cells, colour ? styles[row->style] : BW_STYLE_OFF, out);
    }
}
