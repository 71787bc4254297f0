/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * output: where results go, whole or not at all.
 *
 * A result is first written to a temporary file: beside the target, which it then replaces by a
 * rename, or nameless, from which it is copied to standard output. So a run that ends in an error
 * leaves no half result behind, and every failure to write is seen and said, but that nobody reads
 * any more, which ends the program as SIGPIPE does. Before it is delivered it is made plain
 * (plain.h): strangers' control characters end here. It knows nothing else of what is written. One
 * output at a time; not thread-safe.
 */
#ifndef BANKWISE_OUTPUT_H
#define BANKWISE_OUTPUT_H

#include "options.h"
#include "temporary.h"

typedef struct bw_output {
    FILE *file;             /* write here */
    const char *path;       /* the target as the user named it; NULL: standard output */
    char *target;           /* the target with links resolved; NULL where nothing is renamed */
    bw_temporary temporary; /* beside it */
    FILE *special;          /* a device or a pipe, the target itself; NULL: none */
    unsigned width;         /* character cells of a line */
    bool colour;
    bool commands; /* lines may begin with a CI's commands */
    bool binary;   /* no text: delivered as it is. The caller's, after opening */
} bw_output;

/* Opens the output that the options name. False after an error, which was printed. */
bool bw_output_open(bw_output *output, const bw_args *args);
/* Whether `path` is one of the input files: writing over it would lose the input. */
bool bw_is_input(const bw_args *args, const char *path);

/*
 * Ends the output. Where `keep`, the result is delivered, else thrown away. Returns `code`, or
 * BW_EXIT_INTERNAL where delivering failed (said on standard error). The output is then closed.
 */
bw_exit bw_output_close(bw_output *output, bool keep, bw_exit code);

/* Flushes standard output; false, with a message, where something could not be written. */
bool bw_flush_stdout(void);

/* Whether diagnostics on standard error may have colour under these options. */
bool bw_stderr_colour(const bw_args *args);

#endif
