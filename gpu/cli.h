/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cli: what the subcommands of bankwise-gpu share.
 *
 * Messages go to standard error as one line, results to standard output or -o. The functions that
 * parse say what is wrong themselves and return false.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_GPU_CLI_H
#define BANKWISE_GPU_CLI_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "card.h"

/* Exit codes of all programs of the project. */
enum { BW_EXIT_DONE, BW_EXIT_FINDING, BW_EXIT_USAGE, BW_EXIT_INTERNAL, BW_EXIT_SKIPPED = 77 };

/* "bankwise-gpu: error: …", and what to do in the same line; returns `code`. */
int cli_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A whole number from least to most; complains about `option` otherwise. */
bool cli_number(const char *option, const char *text, uint64_t least, uint64_t most,
                uint64_t *value);

/* For what getopt_long (with ":" first) answers to a bad option, ':' or '?': says what is wrong
 * with the option just read and returns the exit code. */
int cli_bad_option(int answer, char **argv);

/* The words of a command, as one would type them, in text[0..size). */
void cli_command(int argc, char **argv, char *text, size_t size);

/* Opens card `index` and returns 0, or says why not and returns the exit code. */
int cli_open_card(uint64_t index, bw_card **card);

/* Opens `path` for writing; NULL or "-" is standard output. Complains and returns NULL. */
FILE *cli_output(const char *path);
/* Flushes and closes what cli_output gave; complains where something could not be written. */
bool cli_close(FILE *file, const char *path);

/* The comment lines with which every recording begins: card, driver, CUDA, clock, date, command,
 * and `note` if not NULL ("commit: 0123abc"). `method` may have several lines. */
void cli_manifest(FILE *file, bw_card *card, const char *method, const char *command,
                  const char *note);
/* The date and time now, UTC, as "2026-01-31T12:00:00Z". */
void cli_date(char text[32]);
/* Text as a JSON string, with its quotes. */
void cli_json_string(FILE *file, const char *text);

/* One subcommand: gets its own name in argv[0], returns an exit code. */
typedef struct cli_subcommand {
    const char *name, *arguments, *summary;
    int (*run)(int argc, char **argv);
} cli_subcommand;

int cli_run(int argc, char **argv);
int cli_fuzz(int argc, char **argv);
int cli_info(int argc, char **argv);
int cli_probe(int argc, char **argv);

#endif
