/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * csv: one cell of a table in text, as spreadsheets and profilers write them.
 *
 * It knows neither rows nor headers, allocates nothing and reports nothing. Thread-safe.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_CSV_H
#define BANKWISE_CSV_H

#include <stdbool.h>
#include <stddef.h>

typedef struct bw_csv_cell {
    char *text;       /* without quotes and the blanks around it; ends with NUL */
    size_t len;       /* of the text */
    const char *next; /* after what ended it */
    bool last;        /* a newline or the end of the text did, no separator */
    bool surplus;     /* something stands between its closing quote and its end: left out */
    unsigned lines;   /* newlines within its quotes */
} bw_csv_cell;

/* Reads the cell at `at`; two quotes within quotes are one. Its text goes to `to`, which has room
 * for it and a NUL; NULL: nowhere, it is only measured; `at` itself: over what was read. False
 * where its quotes do not close before `end`. */
bool bw_csv_read(const char *at, const char *end, char separator, char *to, bw_csv_cell *cell);

/* Cuts `line` in place at its separators that are in no quotes; the first `most` cells go to
 * `cells`, without quotes and the blanks around them. Returns how many there are, which may be
 * more; 0 where a cell's quotes do not end it. */
unsigned bw_csv_split(char *line, char separator, const char **cells, unsigned most);

#endif
