/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * process: other programs, run for what they print; and a folder for their files.
 *
 * Programs are started without a shell, with an empty standard input, and end with this one. The
 * folder is removed when it is finished with and when this program ends, whatever ends it: a child
 * waits for that. It knows no program in particular. One thread at a time.
 */
#ifndef BANKWISE_PROCESS_H
#define BANKWISE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "arena.h"

/* The path of the program `name` in the folders of PATH, or NULL. */
const char *bw_process_find(bw_arena *arena, const char *name);
/* Whether `path` is a file that may be executed; false sets errno. */
bool bw_process_is_program(const char *path);

typedef struct bw_process_result {
    int code;           /* its exit code; negative: the signal that ended it; 127: not started */
    char *output;       /* malloc'd, with a zero byte after it; NULL past the limit */
    size_t length;      /* of the output */
    char message[4096]; /* what it wrote to standard error, cut, without a last line end */
} bw_process_result;

/* Runs argv[0] (a path) with argv, at most `limit` bytes of output. The caller frees the output. */
bw_process_result bw_process_run(const char *const *argv, size_t limit);
/* The same in another folder. True if it ended with exit code 0 and its output within the limit. */
bool bw_process_run_in(const char *folder, const char *const *argv, size_t limit,
                       bw_process_result *result);

/* Waits for a child that was forked; its exit code, or the negative number of the signal that ended
 * it. */
int bw_process_wait(int child);
/* Reads what a child wrote into `file`, from its beginning: at most `bytes` with the zero after it,
 * without a last line end. */
void bw_process_message(FILE *file, char *text, size_t bytes);

/* A folder of this process in $TMPDIR, in the arena, or NULL with errno set. */
typedef struct bw_scratch {
    const char *folder;
    int guard; /* the end of a connection: when it closes, the folder goes */
    int child;
} bw_scratch;

bool bw_scratch_make(bw_scratch *scratch, bw_arena *arena);
void bw_scratch_finish(bw_scratch *scratch); /* removes it with all that is in it */

#endif
