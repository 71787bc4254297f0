/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "wrap.h"

#include <string.h>

/* Cells of text[0..bytes). */
static unsigned cells_of(const char *text, size_t bytes)
{
    unsigned cells = 0;
    for (size_t i = 0; i < bytes; i++)
        cells += ((unsigned char)text[i] & 0xC0) != 0x80;
    return cells;
}

void bw_print_wrapped(FILE *out, unsigned width, unsigned indent, const char *sentence)
{
    unsigned column = 0;
    for (const char *p = sentence; *p;) {
        size_t length = strcspn(p, " ");
        unsigned cells = cells_of(p, length);
        if (column > indent && column + 1 + cells > width) {
            fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (column) {
            fputc(' ', out);
            column++;
        }
        fwrite(p, 1, length, out);
        column += cells;
        p += length + (p[length] == ' ');
    }
    fputc('\n', out);
}
