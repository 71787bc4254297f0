/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain: texts of strangers that command nothing.
 *
 * What is printed can hold what others wrote: names, titles, source lines, a tool's messages. On
 * its way to a terminal, a log or a file, a control character, a byte that is no UTF-8, and what a
 * CI would take for a command (a line that begins with "::"; "##[" and "##vso[" anywhere) become
 * question marks, byte for byte, so that no length changes. Styles of our own are the exception:
 * they travel as a zero byte and a style's code, which no text can hold, and become a terminal's
 * sequences here.
 *
 * Knows neither files nor terminals. Nothing is owned. Thread-safe.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_PLAIN_H
#define BANKWISE_PLAIN_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef enum bw_style {
    BW_STYLE_OFF,
    BW_STYLE_BOLD,
    BW_STYLE_FAINT,
    BW_STYLE_ALERT,   /* bold red */
    BW_STYLE_WARNING, /* bold magenta */
    BW_STYLE_NOTE,    /* bold cyan */
    BW_STYLE_CARET,   /* bold green */
    BW_STYLE_COUNT
} bw_style;

/* Where a text is. Zero-initialise at the beginning of a text. */
typedef struct bw_plain {
    bool commands; /* lines may begin with a CI's commands: they are our own */
    bool inside;   /* something other than blanks stands on the line */
} bw_plain;

/* Writes the style's mark, which bw_plain_mend makes real. */
void bw_put_style(FILE *out, bw_style style);

/*
 * Mends text[0..len) in place. Returns how many bytes are done: all where `last`, else up to where
 * it takes more to know; the rest is to be given again, with what follows it.
 */
size_t bw_plain_mend(bw_plain *at, char *text, size_t len, bool last);

/* Longer than what bw_plain_mend leaves undone. */
#define BW_PLAIN_AHEAD 8

/* Mends a whole text and writes it. */
void bw_print_plain(FILE *out, char *text, size_t len);
/* The same of what printf would make of the rest: for messages with names in them. */
void bw_say(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void bw_say_list(FILE *out, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

#endif
