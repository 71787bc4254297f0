/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rows of a document as CSV and as text tables.
 */
#include "document.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of a real: as JSON has them. */
#define ALL_DIGITS 12
/* The longest number, or shape, with any of the formats below. */
#define CELL_BYTES 352

/* ---- cells ---- */

static const bw_node *value_of(const bw_field *field, const bw_node *row, const bw_node *outer)
{
    bool inherited = field->path[0] == '^';
    return bw_node_at(inherited ? outer : row, field->path + inherited);
}

static void write_number(char cell[CELL_BYTES], const bw_field *field, const bw_node *node)
{
    double number = bw_node_number(node), percent = 100 * number;
    int digits = (int)field->digits;
    switch (field->role) {
    case BW_ROLE_FIXED: snprintf(cell, CELL_BYTES, "%.*f", digits, number); break;
    case BW_ROLE_SIGNIFICANT: snprintf(cell, CELL_BYTES, "%.*g", digits, number); break;
    case BW_ROLE_WAYS: snprintf(cell, CELL_BYTES, "%.0f-way", number); break;
    case BW_ROLE_PERCENT:
        snprintf(cell, CELL_BYTES, percent < 100 ? "%.1f%%" : "%.0f%%", percent);
        break;
    default:
        if (node->kind == BW_NODE_INTEGER)
            snprintf(cell, CELL_BYTES, "%" PRId64, node->integer);
        else if (field->role == BW_ROLE_PLAIN)
            snprintf(cell, CELL_BYTES, "%.*g", digits ? digits : ALL_DIGITS, number);
        else
            snprintf(cell, CELL_BYTES, "%.*f", number == floor(number) ? 0 : digits, number);
    }
}

static void write_shape(char cell[CELL_BYTES], const bw_node *shape)
{
    int used = 0;
    for (const bw_node *at = shape->first; at && used < CELL_BYTES; at = at->next)
        used += snprintf(cell + used, (size_t)(CELL_BYTES - used), "%s%" PRId64, used ? "x" : "",
                         at->integer);
}

/* The text of a cell, in `cell` unless it is a text of the document; `none` stands for null. */
static const char *cell_text(const bw_field *field, const bw_node *node, const char *none,
                             char cell[CELL_BYTES])
{
    cell[0] = '\0';
    if (!node)
        return cell;
    if (node->kind == BW_NODE_NULL)
        return none;
    if (node->kind == BW_NODE_TEXT)
        return node->text;
    if (node->kind == BW_NODE_ARRAY)
        write_shape(cell, node);
    else
        write_number(cell, field, node);
    return cell;
}

/* ---- CSV ---- */

void bw_csv_text(FILE *out, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, out);
        return;
    }
    putc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', out);
        putc(*text, out);
    }
    putc('"', out);
}

void bw_csv_header(const bw_field *fields, size_t count, FILE *out)
{
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s%s", i ? "," : "", fields[i].title);
    putc('\n', out);
}

void bw_csv_row(const bw_field *fields, size_t count, const bw_node *row, const bw_node *outer,
                FILE *out)
{
    char cell[CELL_BYTES];
    for (size_t i = 0; i < count; i++) {
        fputs(i ? "," : "", out);
        bw_csv_text(out, cell_text(&fields[i], value_of(&fields[i], row, outer), "", cell));
    }
    putc('\n', out);
}

void bw_csv_rows(const bw_field *fields, size_t count, const bw_node *rows, const bw_node *outer,
                 FILE *out)
{
    for (const bw_node *row = rows->first; row; row = row->next)
        bw_csv_row(fields, count, row, outer, out);
}

/* ---- text tables ---- */

struct bw_grid {
    bw_table *table;
    const bw_field *fields;
    size_t count;
    bw_column columns[BW_TABLE_MAX_COLUMNS];
};

bw_grid *bw_grid_create(const bw_field *fields, size_t count)
{
    bw_grid *grid = bw_calloc(1, sizeof *grid);
    grid->fields = fields;
    grid->count = count;
    for (size_t i = 0; i < count; i++)
        grid->columns[i] = (bw_column){.title = fields[i].title,
                                       .right = fields[i].role != BW_ROLE_TEXT,
                                       .flexible = fields[i].flexible,
                                       .optional = fields[i].optional};
    grid->table = bw_table_create(grid->columns, count);
    return grid;
}

void bw_grid_row(bw_grid *grid, const bw_node *row, bw_row_style style)
{
    char cell[CELL_BYTES];
    bw_table_row(grid->table, style);
    for (size_t i = 0; i < grid->count; i++)
        bw_table_cell(
            grid->table, "%s",
            cell_text(&grid->fields[i], value_of(&grid->fields[i], row, NULL), "-", cell));
}

void bw_grid_rule(bw_grid *grid)
{
    bw_table_rule(grid->table);
}

void bw_grid_destroy(bw_grid *grid)
{
    bw_table_destroy(grid->table);
    free(grid);
}

void bw_grid_print(bw_grid *grid, FILE *out, unsigned width, bool colour)
{
    bw_table_print(grid->table, out, width, colour);
    bw_grid_destroy(grid);
}
