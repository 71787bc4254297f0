/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * options: the subcommands and their options, as tables, and the reading of a command line.
 *
 * Owns the two tables from which the help texts, the shell completions and the tests of the man
 * pages are derived, so that the four cannot disagree. Adding an option is adding a row; adding a
 * subcommand is adding a row and its run function. It knows nothing of patterns and reports.
 *
 * A value is checked as far as it can be without a pattern file (option_values.h): numbers, shapes,
 * choices, names of architectures. Errors go to standard error with a remedy (complain.h).
 *
 * Ownership: a bw_args refers to argv, and owns its arrays until bw_args_finish.
 */
#ifndef BANKWISE_OPTIONS_H
#define BANKWISE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "argument.h"
#include "complain.h"
#include "pattern.h"

/* Exit codes of every program of the project. */
typedef enum bw_exit {
    BW_EXIT_DONE = 0,
    BW_EXIT_FINDING = 1,  /* an expectation, a gate or a comparison failed */
    BW_EXIT_USAGE = 2,    /* usage or input */
    BW_EXIT_INTERNAL = 3, /* also: an output that cannot be written */
    BW_EXIT_SKIPPED = 77, /* no card */
} bw_exit;

typedef enum bw_command_id {
    BW_COMMAND_PREDICT,
    BW_COMMAND_EXPLAIN,
    BW_COMMAND_SWEEP,
    BW_COMMAND_FIX,
    BW_COMMAND_CHECK,
    BW_COMMAND_LOWER,
    BW_COMMAND_MEASURE,
    BW_COMMAND_COMPARE,
    BW_COMMAND_TALLY,
    BW_COMMAND_HELP,
    BW_COMMAND_COUNT
} bw_command_id;

typedef struct bw_args bw_args;

typedef enum bw_operands {
    BW_OPERANDS_FILE,
    BW_OPERANDS_FILES,
    BW_OPERANDS_RECORDINGS,
    BW_OPERANDS_TRACES,
    BW_OPERANDS_WORDS, /* any number, none included */
    BW_OPERANDS_COUNT
} bw_operands;

/* As the usage line has them: "FILE...". */
const char *bw_operands_text(bw_operands operands);

typedef struct bw_command {
    bw_command_id id;
    const char *name;
    bw_operands operands;
    const char *summary; /* one line without a full stop */
    bw_exit (*run)(const bw_args *);
} bw_command;

typedef enum bw_option_id {
    BW_OPTION_DEFINE,
    BW_OPTION_BLOCK,
    BW_OPTION_GRID,
    BW_OPTION_LAUNCH,
    BW_OPTION_LAUNCHES,
    BW_OPTION_KERNEL,
    BW_OPTION_ARG,
    BW_OPTION_DATA,
    BW_OPTION_SHARED,
    BW_OPTION_CUBIN,
    BW_OPTION_NVCC,
    BW_OPTION_COMPILE_COMMANDS,
    BW_OPTION_DISASSEMBLER,
    BW_OPTION_NCU_TOOL,
    BW_OPTION_ARCH,
    BW_OPTION_FORMAT,
    BW_OPTION_METRICS,
    BW_OPTION_COMPARE,
    BW_OPTION_JOIN,
    BW_OPTION_FOLD,
    BW_OPTION_LINE,
    BW_OPTION_WARP,
    BW_OPTION_REQUEST,
    BW_OPTION_ALL,
    BW_OPTION_WHOLE,
    BW_OPTION_KEEP_GOING,
    BW_OPTION_SVG,
    BW_OPTION_HTML,
    BW_OPTION_FAIL_ABOVE,
    BW_OPTION_UNIQUE,
    BW_OPTION_NCU,
    BW_OPTION_NCU_COMMAND,
    BW_OPTION_MIN_MATCH,
    BW_OPTION_SHOW,
    BW_OPTION_GPU,
    BW_OPTION_RECORDING,
    BW_OPTION_REPLAY,
    BW_OPTION_REQUESTS,
    BW_OPTION_ARRAY,
    BW_OPTION_KIND,
    BW_OPTION_MAX_PAD,
    BW_OPTION_ALIGN,
    BW_OPTION_MAX_BYTES,
    BW_OPTION_TMA,
    BW_OPTION_LANE_MAP,
    BW_OPTION_PICK,
    BW_OPTION_APPLY,
    BW_OPTION_WARNING,
    BW_OPTION_OUTPUT,
    BW_OPTION_COLOR,
    BW_OPTION_JOBS,
    BW_OPTION_MERGE,
    BW_OPTION_RESUME,
    BW_OPTION_SEED,
    BW_OPTION_TRIALS,
    BW_OPTION_MAX_STEPS,
    BW_OPTION_MAX_MEMORY,
    BW_OPTION_TABLES,
    BW_OPTION_QUIET,
    BW_OPTION_HELP,
    BW_OPTION_VERSION,
    BW_OPTION_COUNT
} bw_option_id;

/* How an option's argument is read. */
typedef enum bw_option_type {
    BW_TYPE_FLAG,    /* no argument */
    BW_TYPE_FILE,    /* a file name */
    BW_TYPE_TEXT,    /* any name */
    BW_TYPE_NUMBER,  /* min … max */
    BW_TYPE_LINE,    /* the same, or an address of an instruction: 0x0ee0 */
    BW_TYPE_PERCENT, /* min … max, with or without a sign and decimals: "99.5%" */
    BW_TYPE_WAYS,    /* a degree: "2-way" or "2" */
    BW_TYPE_SIZE,    /* bytes, with K, M or G */
    BW_TYPE_CHOICE,  /* one of `choices`; the value is its index */
    BW_TYPE_BLOCK,   /* threads: 32x8 */
    BW_TYPE_GRID,    /* blocks: 2x2 */
    BW_TYPE_DEFINE,  /* NAME=VALUE, or NAME for 1; may be repeated */
    BW_TYPE_BINDING, /* PLACE=VALUE of a launch; may be repeated */
    BW_TYPE_LAUNCH,  /* kernel<<<grid, block>>>(arguments); may be repeated */
    BW_TYPE_LIST,    /* a file of such launches and bindings; may be repeated */
    BW_TYPE_WARNING, /* no-NAME, or NAME; may be repeated */
    BW_TYPE_ARCH,    /* the name of an architecture */
} bw_option_type;

/* One row of the option table. An option whose argument differs between subcommands has several. */
typedef struct bw_option {
    bw_option_id id;
    char letter;      /* 'o' for -o; 0: none */
    const char *name; /* "output" for --output; NULL: none */
    bw_option_type type;
    const char *argument; /* as help shows it; NULL for a flag */
    const char *choices;  /* "text|json|csv" for BW_TYPE_CHOICE */
    uint64_t min, max;    /* of a number or size, both included */
    unsigned commands;    /* set of 1u << bw_command_id */
    const char *help;     /* a phrase, without the argument */
} bw_option;

/* Order of the choices of --format. */
typedef enum bw_format {
    BW_FORMAT_TEXT,
    BW_FORMAT_JSON,
    BW_FORMAT_CSV,
    BW_FORMAT_GITHUB,
    BW_FORMAT_SARIF,
    BW_FORMAT_JUNIT
} bw_format;

/* Order of the choices of --color. */
typedef enum bw_color { BW_COLOR_AUTO, BW_COLOR_ALWAYS, BW_COLOR_NEVER } bw_color;

/* The choices of --kind. */
typedef enum bw_fix_kind {
    BW_FIX_ANY,
    BW_FIX_PAD,
    BW_FIX_SWIZZLE,
    BW_FIX_ORDER,
    BW_FIX_STRUCT
} bw_fix_kind;

/* The value of an option on the command line, by the members that its type fills. */
typedef struct bw_value {
    bool given;
    const char *text;  /* the argument as given */
    uint64_t number;   /* number, ways, size; index of a choice */
    double real;       /* percent */
    uint32_t shape[3]; /* block, grid; 0 where the text has names in braces */
    const bw_arch *arch;
} bw_value;

/* A launch as it was given. */
typedef struct bw_launch_text {
    bw_source source; /* "--launch", or a list's file: its text up to the launch's line is empty */
    unsigned order;   /* among launches, arguments and data; from 1 */
} bw_launch_text;

struct bw_args {
    const bw_command *command;
    const char **files;
    size_t file_count;
    bw_define *defines;
    size_t define_count;
    bw_argument *arguments; /* of --arg */
    size_t argument_count;
    bw_argument *data; /* of --data */
    size_t data_count;
    bw_launch_text *launches; /* of --launch and --launches */
    size_t launch_count;
    unsigned order;                   /* how many of these three there are: the last one's number */
    bw_value values[BW_OPTION_COUNT]; /* by bw_option_id; defaults are filled in */
    bool silent[BW_MSG_COUNT];        /* the warnings that are switched off */
    bw_arena arena;
};

/* The seed where none is given: fixed, so that a report can be repeated. */
#define BW_DEFAULT_SEED 1
/* Enough for 5 % and 95 % quantiles to mean something. */
#define BW_DEFAULT_TRIALS 100
/* Rows that disagree: enough to see what they have in common. */
#define BW_DEFAULT_SHOW 10

/* The rows of the option table: index 0 …; NULL past the end. */
const bw_option *bw_option_at(size_t index);
/* The subcommand called `name`, or NULL; those of index 0 …, NULL past the end. */
const bw_command *bw_command_find(const char *name);
const bw_command *bw_command_at(size_t index);
/* The nearest name of a subcommand that is built, or NULL where none is near. */
const char *bw_command_nearest(const char *name);
/* The nearest name of a message or a subcommand, or NULL. */
const char *bw_message_nearest(const char *name);
/* Whether the subcommand takes the option; the nearest name of one that it takes, or NULL. */
bool bw_option_belongs(const bw_option *option, const bw_command *command);
const char *bw_option_nearest(const bw_command *command, const char *name);

/*
 * Reads argv[0..argc), which begins after the subcommand's name. False after an error, which was
 * printed. Files and options may mix; `--` ends the options; -h and --version win over all else.
 */
bool bw_args_read(bw_args *args, const bw_command *command, int argc, char **argv);
void bw_args_finish(bw_args *args);

/* The help of the program (fits 24 lines of 80 cells) and of a subcommand. */
void bw_help_program(FILE *out);
void bw_help_command(const bw_command *command, FILE *out);

/* Reads a shape of --block or --grid, as the option does; false after an error, which was printed.
 */
bool bw_shape_read(bw_option_id option, const char *text, uint32_t shape[3]);

/* One more of --launch, whose errors are shown as `name`'s; both must outlive the args. */
void bw_args_add_launch(bw_args *args, const char *name, const char *text);
/* One more of --data, or of --arg; in the place of what was said of the target before. */
void bw_args_bind(bw_args *args, bool data, const char *target, const char *value);
/* Whether the value of an argument is what a sweep ranges over: "1:64", "8,16,32". */
bool bw_is_range(const char *value);

/* Whether the command line leaves the warning on. */
bool bw_warning_is_on(const bw_args *args, bw_message_id id);

/* The subcommands' run functions. */
bw_exit bw_run_predict(const bw_args *args);
bw_exit bw_run_check(const bw_args *args);
bw_exit bw_run_explain(const bw_args *args);
bw_exit bw_run_sweep(const bw_args *args);
bw_exit bw_run_lower(const bw_args *args);
bw_exit bw_run_fix(const bw_args *args);
bw_exit bw_run_measure(const bw_args *args);
bw_exit bw_run_compare(const bw_args *args);
bw_exit bw_run_tally(const bw_args *args);
bw_exit bw_run_help(const bw_args *args);

#endif
