/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * command_line: the subcommands of bankwise-gpu and their options, as tables, and the reading of a
 * command line.
 *
 * Owns the two tables from which the help texts are made and against which a test holds the man
 * page. Adding an option is adding a row. It knows no card and no CUDA; what a subcommand does is
 * its own file's business.
 *
 * Messages go to standard error as one line with what to do. A cli_args refers to argv.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_COMMAND_LINE_H
#define BANKWISE_COMMAND_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "request.h"

/* Exit codes of all programs of the project. */
enum { BW_EXIT_DONE, BW_EXIT_FINDING, BW_EXIT_USAGE, BW_EXIT_INTERNAL, BW_EXIT_SKIPPED = 77 };

typedef enum cli_command_id {
    CLI_RUN,
    CLI_FUZZ,
    CLI_PROBE,
    CLI_OPCODES,
    CLI_INFO,
    CLI_COMMANDS
} cli_command_id;

typedef struct cli_command {
    const char *name;
    const char *arguments; /* as the program's help shows them  */
    const char *summary;   /* one line without a full stop       */
    const char *usage;     /* as the subcommand's own help does  */
    const char *text;      /* what that help says before the options, and after them */
    const char *closing;
    unsigned most_files; /* arguments that are no options */
    const char *surplus; /* what is said of one more      */
} cli_command;

typedef enum cli_option_id {
    CLI_OPERATIONS,
    CLI_COUNT,
    CLI_SEED,
    CLI_SUMMARY,
    CLI_SHOW,
    CLI_THREADS,
    CLI_LIST,
    CLI_LIMIT,
    CLI_SASS,
    CLI_FORMAT,
    CLI_OUTPUT,
    CLI_LATENCY,
    CLI_WARPS,
    CLI_REPEAT,
    CLI_SKIP,
    CLI_BATCH,
    CLI_OPERAND,
    CLI_DEVICE,
    CLI_NOTE,
    CLI_HELP,
    CLI_OPTIONS
} cli_option_id;

/* How an option's argument is read. */
typedef enum cli_type {
    CLI_FLAG,   /* no argument                                     */
    CLI_TEXT,   /* any                                             */
    CLI_NUMBER, /* least … most                                    */
    CLI_CHOICE, /* one of "text|json"; the value is its index      */
    CLI_OPS,    /* names of operations, or "all"; may be repeated  */
} cli_type;

/* One row. An option that differs between subcommands has several. */
typedef struct cli_option {
    cli_option_id id;
    char letter;      /* 'o' for -o; 0: none                   */
    const char *name; /* "output" for --output                 */
    cli_type type;
    const char *argument; /* as help shows it; NULL for a flag     */
    uint64_t least, most; /* of a number, both included            */
    uint64_t preset;      /* of a number that is not given         */
    unsigned commands;    /* set of 1u << cli_command_id           */
    const char *help;     /* a phrase                              */
} cli_option;

typedef struct cli_value {
    bool given;
    const char *text; /* the argument as given, or NULL */
    uint64_t number;
} cli_value;

/* The most arguments that a subcommand takes beside its options. */
#define CLI_MOST_FILES 2

typedef struct cli_args {
    cli_value values[CLI_OPTIONS];
    const char *files[CLI_MOST_FILES]; /* NULL where there is none */
    bool ops[BW_OP_COUNT], all_ops;    /* of CLI_OPS               */
    char command[512];                 /* the words of the command, as one would type them */
} cli_args;

/* The subcommand of this number; NULL past the end. */
const cli_command *cli_command_at(size_t index);
/* The row of this number of the option table; NULL past the end. */
const cli_option *cli_option_at(size_t index);

/*
 * Reads the command line of a subcommand; argv[0] is its name. Returns -1 where it is to be done,
 * or the exit code where help was asked for or something is wrong, both of which were printed.
 */
int cli_args_read(cli_args *args, cli_command_id command, int argc, char **argv);

/* Writes the help of the program, and that of a subcommand. Both fit 80 cells. */
void cli_help(FILE *out);
void cli_help_command(FILE *out, cli_command_id command);

/* "bankwise-gpu: error: …", and what to do in the same line; returns `code`. */
int cli_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
