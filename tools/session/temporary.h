/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * temporary: files that become another by a rename, or go.
 *
 * A file is made beside its target. Whatever ends the program before the rename, an exit or any
 * signal that can be caught, removes it. Signals that were ignored stay so: of a program in the
 * background, SIGINT is. Knows nothing of what is written. Not thread-safe: signals are the
 * process's.
 */
#ifndef BANKWISE_TEMPORARY_H
#define BANKWISE_TEMPORARY_H

#include <stdbool.h>
#include <sys/types.h>

typedef struct bw_temporary {
    char *path; /* malloc'd; NULL: none */
    int file;   /* its descriptor, which the caller closes */
    unsigned slot;
} bw_temporary;

/* Makes one beside `target`, with this mode. False with errno set. */
bool bw_temporary_make(bw_temporary *temporary, const char *target, mode_t mode);
/* It takes the place of `target`. False with errno set; it is then removed. */
bool bw_temporary_rename(bw_temporary *temporary, const char *target);
/* Removes it; none is accepted. */
void bw_temporary_remove(bw_temporary *temporary);

#endif
