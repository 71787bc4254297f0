/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * wrap: sentences that fit a width.
 *
 * Knows nothing of what they say. Widths are character cells; a UTF-8 sequence counts as one.
 */
#ifndef BANKWISE_WRAP_H
#define BANKWISE_WRAP_H

#include <stdbool.h>
#include <stdio.h>

/* Prints a text without a line end, in bold where there is colour. */
void bw_print_strong(FILE *out, bool colour, const char *text);
/* Prints a sentence and a line end, breaking at spaces; `indent` spaces begin each further line.
 * A word longer than the width stands alone and is not broken. */
void bw_print_wrapped(FILE *out, unsigned width, unsigned indent, const char *sentence);
/* The same of what printf would make of the rest. */
void bw_print_sentence(FILE *out, unsigned width, unsigned indent, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
