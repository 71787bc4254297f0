/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cli: what the subcommands of bankwise-gpu share beside their options: the card, outputs, and the
 * head of a recording.
 *
 * Messages go to standard error as one line, results to standard output or -o.
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
#include "command_line.h"

/* Opens card `index` and returns 0, or says why not and returns the exit code. */
int cli_open_card(uint64_t index, bw_card **card);

/* Whether `path` can be written, before a card is run for it: complains where it cannot, and
 * changes nothing. */
bool cli_can_write(const char *path);
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

/* The subcommands: each gets its own name in argv[0] and returns an exit code. */
int cli_run(int argc, char **argv);
int cli_fuzz(int argc, char **argv);
int cli_info(int argc, char **argv);
int cli_probe(int argc, char **argv);
int cli_opcodes(int argc, char **argv);

#endif
