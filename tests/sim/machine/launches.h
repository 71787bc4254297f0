/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * launches: help for tests that execute kernels: files, parameters, buffers.
 */
#ifndef BANKWISE_TESTS_LAUNCHES_H
#define BANKWISE_TESTS_LAUNCHES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

/* A whole file; NUL-terminated. Ends the test program where it cannot be read. */
static inline char *read_file(const char *dir, const char *name, size_t *len)
{
    char path[1024];
    snprintf(path, sizeof path, "%s%s%s", *name == '/' ? "" : dir, *name == '/' ? "" : "/", name);
    FILE *f = fopen(path, "rb");
    if (!f) {
        perror(path);
        exit(1);
    }
    fseek(f, 0, SEEK_END);
    *len = (size_t)ftell(f);
    rewind(f);
    char *text = malloc(*len + 1);
    if (fread(text, 1, *len, f) != *len)
        exit(1);
    text[*len] = '\0';
    fclose(f);
    return text;
}

#endif
