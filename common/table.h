/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * table: text tables that fit a width.
 *
 * Owns the cells (copies of what it is given) and decides the layout when it is printed: every
 * column is as wide as its widest cell, optional columns appear only where there is room, and one
 * flexible column takes what is left, wraps there, and is cut with "..." where a few lines are too
 * little. It knows nothing of what the cells mean, nor of terminals; a row's style is a mark
 * (plain.h).
 *
 * Units: widths are character cells; a UTF-8 sequence counts as one. Not thread-safe.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_TABLE_H
#define BANKWISE_TABLE_H

#include <stdbool.h>
#include <stdio.h>

/* More columns than any report has. */
#define BW_TABLE_MAX_COLUMNS 24

typedef struct bw_column {
    const char *title; /* must outlive the table */
    bool right;        /* numbers: aligned right */
    bool flexible;     /* takes the rest of the width; one at most, the last */
    unsigned optional; /* 0: always shown; else shown while there is room, 1 before 2 before 3 */
} bw_column;

typedef enum bw_row_style {
    BW_ROW_PLAIN,
    BW_ROW_STRONG, /* bold where colour is on */
    BW_ROW_ALERT,  /* bold red where colour is on */
} bw_row_style;

typedef struct bw_table bw_table;

/* An empty table. `columns` must outlive it; `count` <= BW_TABLE_MAX_COLUMNS. */
bw_table *bw_table_create(const bw_column *columns, size_t count);
void bw_table_destroy(bw_table *table); /* accepts NULL */

/* Begins a row; cells not set are empty. */
void bw_table_row(bw_table *table, bw_row_style style);
/* The next cell of the current row, as printf formats it. */
void bw_table_cell(bw_table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A rule between the rows so far and those that follow. */
void bw_table_rule(bw_table *table);

/* Prints the table: header, rule, rows. No line ends in a space. */
void bw_table_print(const bw_table *table, FILE *out, unsigned width, bool colour);

/* Character cells of a UTF-8 text. */
unsigned bw_text_width(const char *text);

#endif
