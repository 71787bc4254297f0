/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "wrap.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "plain.h"

/* Cells of text[0..bytes). */
static unsigned cells_of(const char *text, size_t bytes)
{
    unsigned cells = 0;
    for (size_t i = 0; i < bytes; i++)
        cells += ((unsigned char)text[i] & 0xC0) != 0x80;
    return cells;
}

void bw_print_strong(FILE *out, bool colour, const char *text)
{
    if (colour)
        bw_put_style(out, BW_STYLE_BOLD);
    fputs(text, out);
    if (colour)
        bw_put_style(out, BW_STYLE_OFF);
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

void bw_print_sentence(FILE *out, unsigned width, unsigned indent, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *sentence = bw_calloc((size_t)(length < 0 ? 0 : length) + 1, 1);
    vsnprintf(sentence, (size_t)(length < 0 ? 0 : length) + 1, format, again);
    va_end(again);
    bw_print_wrapped(out, width, indent, sentence);
    free(sentence);
}
