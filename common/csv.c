/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "csv.h"

#include <string.h>

static bool is_blank(char c, char separator)
{
    if (c > ' ') /* nearly all; comparing with each would cost more than the rest of a cell */
        return false;
    return (c == ' ' || c == '\t' || c == '\r') && c != separator;
}

/* Copies what stands in the quotes that open at `at`. Returns what is after the closing one; NULL:
 * there is none. */
static const char *copy_quoted(const char *at, const char *end, char *to, bw_csv_cell *cell)
{
    for (at++; at < end; at++) {
        if (*at == '"' && (at + 1 == end || at[1] != '"'))
            return at + 1;
        at += *at == '"';
        cell->lines += *at == '\n';
        if (to)
            to[cell->len] = *at;
        cell->len++;
    }
    return NULL;
}

static const char *cell_end(const char *at, const char *end, char separator)
{
    while (at < end && *at != separator && *at != '\n')
        at++;
    return at;
}

static const char *without_blanks(const char *from, const char *to, char separator)
{
    while (to > from && is_blank(to[-1], separator))
        to--;
    return to;
}

static inline bool read_cell(const char *at, const char *end, char separator, char *to,
                             bw_csv_cell *cell)
{
    *cell = (bw_csv_cell){.text = to};
    while (at < end && is_blank(*at, separator))
        at++;
    bool quoted = at < end && *at == '"';
    if (quoted && !(at = copy_quoted(at, end, to, cell)))
        return false;
    const char *stop = cell_end(at, end, separator), *last = without_blanks(at, stop, separator);
    size_t len = (size_t)(last - at);
    if (quoted) {
        cell->surplus = len > 0;
        len = cell->len;
    } else if (to && to != at) {
        memmove(to, at, len);
    }
    cell->len = len;
    cell->last = stop == end || *stop == '\n';
    cell->next = stop + (stop < end);
    if (to)
        to[len] = '\0';
    return true;
}

bool bw_csv_read(const char *at, const char *end, char separator, char *to, bw_csv_cell *cell)
{
    return read_cell(at, end, separator, to, cell);
}

unsigned bw_csv_split(char *line, char separator, const char **cells, unsigned most)
{
    const char *end = line + strlen(line);
    unsigned count = 0;
    for (bw_csv_cell cell = {.last = false}; !cell.last; count++) {
        if (!read_cell(line, end, separator, line, &cell) || cell.surplus)
            return 0;
        if (count < most)
            cells[count] = cell.text;
        line += cell.next - line;
    }
    return count;
}
