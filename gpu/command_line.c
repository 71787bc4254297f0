/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "command_line.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "measure.h"
#include "parallel.h"

#define BIT(command) (1u << CLI_##command)
#define ALL ((1u << CLI_COMMANDS) - 1)
/* Cards of a host are few; this only stops nonsense. */
#define MOST_DEVICES 1023
#define MOST_REQUESTS UINT64_C(1000000000000)
#define MOST_DRAWN 1000000
/* Larger than what any block can have. */
#define MOST_SHARED (1u << 24)
#define MOST_BATCH (1u << 20)

static const cli_command commands[] = {
    [CLI_RUN] = {"run", "[FILE|-]", "measure a stream of requests; write a recording",
                 "[FILE|-] [OPTION...]",
                 "Measures each request of FILE (standard input without one) and writes a\n"
                 "recording.\n",
                 "\nColumns: cycles (median), cycles_spread (largest less smallest), wavefronts\n"
                 "(cycles rounded), status (ok; unstable where the values kept disagreeing;\n"
                 "inexact where the clock does not count an operation's wavefronts: loops and\n"
                 "cp.async), latency.\n",
                 1, "one file at a time"},
    [CLI_FUZZ] =
        {"fuzz", "--op OP[,OP...]|all", "measure random requests and check the model",
         "--op OP[,OP...]|all [OPTION...]",
         "Measures random requests and holds the cycles against the model. Mismatches are\n"
         "printed as request lines that 'bankwise predict' and 'bankwise-gpu run' take,\n"
         "each with its smallest form; exit code 1 if there is one.\n",
         "", 0, "fuzz takes no file"},
    [CLI_PROBE] = {"probe", "NAME", "an experiment about one open question",
                   "NAME [FILE] [OPTION...]", "Runs one experiment and writes a CSV.\n", "", 2,
                   "too many arguments"},
    [CLI_OPCODES] =
        {"opcodes", "FOLDER", "what machine instructions compute, for tests", "FOLDER [OPTION...]",
         "Runs kernels of expressions and of parting lanes on random operands and writes\n"
         "into FOLDER: kernels.csv, a NAME.out for each kernel, and slots.csv with the\n"
         "expressions. Tests replay them through the kernels' machine code.\n",
         "", 1, "one folder at a time"},
    [CLI_INFO] = {"info", "", "the card, and whether it can be measured exactly", "[OPTION...]",
                  "The card, its driver and clocks, and a trial: 4-byte loads of degree 1 to 32,\n"
                  "whose cycles must come out as 1 to 32.\n",
                  "", 0, "info takes no argument"},
};
_Static_assert(sizeof commands / sizeof *commands == CLI_COMMANDS, "a row for each command");

static const cli_option options[] = {
    {CLI_OPERATIONS, 0, "op", CLI_OPS, "OP,...", 0, 0, 0, BIT(FUZZ),
     "operations, or 'all' that clock64() counts exactly"},
    {CLI_COUNT, 0, "count", CLI_NUMBER, "N", 1, MOST_REQUESTS, 100000, BIT(FUZZ),
     "requests of each operation (100000)"},
    {CLI_SEED, 0, "seed", CLI_NUMBER, "N", 0, UINT64_MAX, 1, BIT(FUZZ),
     "where the sequence starts (1)"},
    {CLI_SUMMARY, 0, "summary", CLI_TEXT, "FILE", 0, 0, 0, BIT(FUZZ), "counts and rates as JSON"},
    {CLI_SHOW, 0, "show", CLI_NUMBER, "N", 0, BW_FUZZ_KEPT, 5, BIT(FUZZ),
     "mismatches of an operation to print and reduce (5)"},
    {CLI_THREADS, 0, "threads", CLI_NUMBER, "N", 1, BW_MAX_THREADS, 0, BIT(FUZZ),
     "host threads (all cores)"},
    {CLI_LIST, 0, "list", CLI_FLAG, NULL, 0, 0, 0, BIT(FUZZ),
     "print the requests, measure nothing; needs no card"},
    {CLI_LIMIT, 0, "limit", CLI_NUMBER, "BYTES", 4096, MOST_SHARED, 49152, BIT(FUZZ),
     "shared memory that --list may use (49152)"},
    {CLI_SASS, 0, "sass", CLI_FLAG, NULL, 0, 0, 0, BIT(INFO),
     "instead, prove with cuobjdump what is measured"},
    {CLI_FORMAT, 0, "format", CLI_CHOICE, "text|json", 0, 0, 0, BIT(INFO),
     "form of what is written (text)"},
    {CLI_LIST, 0, "list", CLI_FLAG, NULL, 0, 0, 0, BIT(PROBE), "the experiments"},
    {CLI_OUTPUT, 'o', "output", CLI_TEXT, "OUT", 0, 0, 0, BIT(RUN) | BIT(PROBE),
     "write there instead of standard output"},
    {CLI_LATENCY, 0, "latency", CLI_FLAG, NULL, 0, 0, 0, BIT(RUN),
     "also the cycles of one access that waits for another"},
    {CLI_WARPS, 0, "warps", CLI_NUMBER, "N", 1, BW_LANES, 16, BIT(RUN),
     "warps that issue a request at the same time (16)"},
    {CLI_REPEAT, 0, "repeat", CLI_NUMBER, "N", 1, BW_MAX_REPEATS, 5, BIT(RUN),
     "values of each request; the median counts (5)"},
    {CLI_SKIP, 0, "skip", CLI_FLAG, NULL, 0, 0, 0, BIT(RUN),
     "leave out what this card cannot run, and say how many"},
    {CLI_COUNT, 0, "count", CLI_NUMBER, "N", 1, MOST_DRAWN, 2000, BIT(PROBE),
     "requests, where the experiment draws some (2000)"},
    {CLI_SEED, 0, "seed", CLI_NUMBER, "N", 0, UINT64_MAX, 1, BIT(PROBE),
     "where random requests start (1)"},
    {CLI_BATCH, 0, "batch", CLI_NUMBER, "N", 1, MOST_BATCH, 1, BIT(PROBE),
     "counters: requests of one operation in a launch (1)"},
    {CLI_OPERAND, 0, "operand", CLI_NUMBER, "N", 0, 1, 1, BIT(PROBE),
     "counters: 0 lets loops leave values alone (1)"},
    {CLI_DEVICE, 0, "device", CLI_NUMBER, "N", 0, MOST_DEVICES, 0, ALL, "the card to use (0)"},
    {CLI_NOTE, 0, "note", CLI_TEXT, "TEXT", 0, 0, 0, ALL & ~BIT(INFO),
     "a line for the head, such as 'commit: 0123abc'"},
    {CLI_HELP, 'h', "help", CLI_FLAG, NULL, 0, 0, 0, ALL, "this text"},
};
#define OPTIONS (sizeof options / sizeof *options)

const cli_command *cli_command_at(size_t index)
{
    return index < CLI_COMMANDS ? &commands[index] : NULL;
}

const cli_option *cli_option_at(size_t index)
{
    return index < OPTIONS ? &options[index] : NULL;
}

/* ---- messages ---- */

int cli_fail(int code, const char *format, ...)
{
    va_list arguments;
    fflush(stdout);
    fputs("bankwise-gpu: error: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return code;
}

void cli_help(FILE *out)
{
    fputs("usage: bankwise-gpu SUBCOMMAND [OPTION...]\n\n"
          "Runs shared-memory requests on an NVIDIA card and counts their cycles exactly.\n\n",
          out);
    for (size_t i = 0; i < CLI_COMMANDS; i++)
        fprintf(out, "  %-8s%-22s%s\n", commands[i].name, commands[i].arguments,
                commands[i].summary);
    fputs("\n'bankwise-gpu SUBCOMMAND --help' lists its options.\n"
          "Exit codes: 0 done; 1 a mismatch; 2 usage or input; 3 internal; 77 no card.\n",
          out);
}

/* "-o, --output OUT" in text[0..size); returns its length. */
static int option_text(const cli_option *option, char *text, size_t size)
{
    char letter[8] = "    ";
    if (option->letter)
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    return snprintf(text, size, "%s--%s%s%s", letter, option->name, option->argument ? " " : "",
                    option->argument ? option->argument : "");
}

void cli_help_command(FILE *out, cli_command_id command)
{
    const cli_command *about = &commands[command];
    char text[64];
    int width = 0;
    fprintf(out, "usage: bankwise-gpu %s %s\n\n%s\n", about->name, about->usage, about->text);
    for (size_t i = 0; i < OPTIONS; i++)
        if (options[i].commands >> command & 1) {
            int length = option_text(&options[i], text, sizeof text);
            width = length > width ? length : width;
        }
    for (size_t i = 0; i < OPTIONS; i++)
        if (options[i].commands >> command & 1) {
            option_text(&options[i], text, sizeof text);
            fprintf(out, "  %-*s  %s\n", width, text, options[i].help);
        }
    fputs(about->closing, out);
}

/* ---- values ---- */

static bool read_number(const cli_option *option, const char *text, uint64_t *value)
{
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (text[0] >= '0' && text[0] <= '9' && !*end && !errno && number >= option->least &&
        number <= option->most) {
        *value = number;
        return true;
    }
    cli_fail(0, "--%s wants a whole number from %llu to %llu, not '%s'", option->name,
             (unsigned long long)option->least, (unsigned long long)option->most, text);
    return false;
}

static bool read_choice(const cli_option *option, const char *text, uint64_t *value)
{
    const char *choice = option->argument;
    for (*value = 0; *choice; ++*value) {
        size_t length = strcspn(choice, "|");
        if (strlen(text) == length && memcmp(text, choice, length) == 0)
            return true;
        choice += length + (choice[length] == '|');
    }
    cli_fail(0, "--%s wants one of %s, not '%s'", option->name, option->argument, text);
    return false;
}

static bool read_ops(cli_args *args, const char *list)
{
    for (const char *name = list;; name++) {
        size_t length = strcspn(name, ",");
        bw_op op = bw_op_find(name, length);
        if (length == 3 && memcmp(name, "all", 3) == 0) {
            args->all_ops = true;
        } else if (op == BW_OP_COUNT) {
            cli_fail(0,
                     "--op: unknown operation '%.*s'; 'bankwise-gpu fuzz --op all --list --count "
                     "1' shows all",
                     (int)length, name);
            return false;
        } else {
            args->ops[op] = true;
        }
        name += length;
        if (!*name)
            return true;
    }
}

static bool take(cli_args *args, const cli_option *option, const char *text)
{
    cli_value *value = &args->values[option->id];
    value->given = true;
    value->text = text;
    switch (option->type) {
    case CLI_NUMBER: return read_number(option, text, &value->number);
    case CLI_CHOICE: return read_choice(option, text, &value->number);
    case CLI_OPS: return read_ops(args, text);
    default: return true;
    }
}

/* ---- the command line ---- */

/* What getopt_long is to know, and the values where nothing is given. Its numbers for long options
 * are those of the rows after these. */
#define FIRST_LONG 256

static void prepare(cli_args *args, cli_command_id command, struct option longs[OPTIONS + 1],
                    char shorts[2 * OPTIONS + 2])
{
    size_t count = 0;
    *shorts++ = ':'; /* tells a missing value from an unknown option */
    for (size_t i = 0; i < OPTIONS; i++) {
        const cli_option *option = &options[i];
        if (!(option->commands >> command & 1))
            continue;
        bool valued = option->type != CLI_FLAG;
        longs[count++] = (struct option){option->name, valued, NULL, FIRST_LONG + (int)i};
        if (option->letter)
            *shorts++ = option->letter;
        if (option->letter && valued)
            *shorts++ = ':';
        args->values[option->id].number = option->preset;
    }
    longs[count] = (struct option){NULL, 0, NULL, 0};
    *shorts = '\0';
}

static const cli_option *row_of(cli_command_id command, int answer)
{
    for (size_t i = 0; i < OPTIONS; i++)
        if (answer == FIRST_LONG + (int)i ||
            (answer == options[i].letter && options[i].commands >> command & 1))
            return &options[i];
    return NULL;
}

/* For what getopt_long answers to a bad option, ':' or '?'. */
static int refuse(int answer, char **argv)
{
    char name[64];
    if (optopt >= FIRST_LONG)
        snprintf(name, sizeof name, "--%s", options[optopt - FIRST_LONG].name);
    else if (optopt)
        snprintf(name, sizeof name, "-%c", optopt);
    else
        snprintf(name, sizeof name, "%s", argv[optind - 1]);
    const char *what = answer == ':'          ? "no value for"
                       : optopt >= FIRST_LONG ? "no value goes with"
                                              : "unknown option";
    return cli_fail(BW_EXIT_USAGE, "%s '%s'; 'bankwise-gpu %s --help' lists the options", what,
                    name, argv[0]);
}

static void keep_command(cli_args *args, int argc, char **argv)
{
    char *text = args->command;
    size_t size = sizeof args->command, used = (size_t)snprintf(text, size, "bankwise-gpu");
    for (int i = 0; i < argc && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, " %s", argv[i]);
    for (char *c = text; *c; c++)
        if (*c == '\n' || *c == '\r')
            *c = ' ';
}

int cli_args_read(cli_args *args, cli_command_id command, int argc, char **argv)
{
    struct option longs[OPTIONS + 1];
    char shorts[2 * OPTIONS + 2];
    unsigned files = 0;
    *args = (cli_args){.files = {NULL}};
    prepare(args, command, longs, shorts);
    keep_command(args, argc, argv);
    optind = 1;
    for (int answer; (answer = getopt_long(argc, argv, shorts, longs, NULL)) != -1;) {
        const cli_option *option = answer == '?' || answer == ':' ? NULL : row_of(command, answer);
        if (!option)
            return refuse(answer, argv);
        if (option->id == CLI_HELP) {
            cli_help_command(stdout, command);
            return BW_EXIT_DONE;
        }
        if (!take(args, option, optarg))
            return BW_EXIT_USAGE;
    }
    while (optind < argc && files < commands[command].most_files)
        args->files[files++] = argv[optind++];
    if (optind < argc)
        return cli_fail(BW_EXIT_USAGE, "%s: what is '%s'?", commands[command].surplus,
                        argv[optind]);
    return -1;
}
