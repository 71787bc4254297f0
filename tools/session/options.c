/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plain.h"
#include "list.h"
#include "spelling.h"

#define BIT(command) (1u << BW_COMMAND_##command)
/* The subcommands that evaluate pattern files. */
#define EVALUATE                                                                                   \
    (BIT(PREDICT) | BIT(EXPLAIN) | BIT(SWEEP) | BIT(FIX) | BIT(CHECK) | BIT(LOWER) | BIT(MEASURE))
/* Those, and comparing a profiler's report, which predicts what it compares. */
#define PREDICTING (EVALUATE | BIT(COMPARE))
/* Those that take machine code. */
#define MACHINE (PREDICTING & ~BIT(FIX))
/* Those that take files with machine code in them, or make it. */
#define BINARY (MACHINE & ~BIT(COMPARE))
#define REPORT (BIT(PREDICT) | BIT(EXPLAIN) | BIT(SWEEP) | BIT(MEASURE) | BIT(COMPARE) | BIT(TALLY))
/* Those that read recordings, which say what card they are of. */
#define RECORDED (BIT(MEASURE) | BIT(COMPARE))
#define ALL ((1u << BW_COMMAND_COUNT) - 1)
/* Those that work on files. */
#define WORKING (ALL & ~BIT(HELP))

/* The most that reads as a count of steps or of bytes without surprise. */
#define ANY_NUMBER INT64_MAX
#define MAX_TRIALS 1000000
/* More than any card has. */
#define ANY_SHARED (1u << 20)
#define MAX_WAYS 32
/* Layouts to choose from are few; larger pads and alignments than these change no bank. */
#define MAX_PICK 99
#define MAX_JOBS 256
#define MAX_PAD 1024
#define MAX_ALIGN 1024
/* Lines of the largest file that is read. */
#define MAX_LINE (64u << 20)
/* A block has 1024 threads at most. */
#define MAX_WARP 31
/* Options of a command whose help has a line for each. */
#define MOST_EXPLAINED 20
#define MAX_SHOW 100000

static const char *const operand_texts[] = {[BW_OPERANDS_FILE] = "FILE",
                                            [BW_OPERANDS_FILES] = "FILE...",
                                            [BW_OPERANDS_RECORDINGS] = "RECORDING...",
                                            [BW_OPERANDS_TRACES] = "TRACE...",
                                            [BW_OPERANDS_WORDS] = "[WORD]..."};
_Static_assert(sizeof operand_texts / sizeof *operand_texts == BW_OPERANDS_COUNT,
               "a text for each");

static const bw_command commands[] = {
    {BW_COMMAND_PREDICT, "predict", BW_OPERANDS_FILES, "what each access costs, as a table",
     bw_run_predict},
    {BW_COMMAND_EXPLAIN, "explain", BW_OPERANDS_FILE, "banks, lanes and wavefronts as a picture",
     bw_run_explain},
    {BW_COMMAND_SWEEP, "sweep", BW_OPERANDS_FILE, "a parameter's range, as a table and a plot",
     bw_run_sweep},
    {BW_COMMAND_FIX, "fix", BW_OPERANDS_FILE,
     "the least padding, the swizzle, or the proof of none", bw_run_fix},
    {BW_COMMAND_CHECK, "check", BW_OPERANDS_FILES, "whether the expectations in the files hold",
     bw_run_check},
    {BW_COMMAND_LOWER, "lower", BW_OPERANDS_FILE, "the request stream, for a card or for people",
     bw_run_lower},
    {BW_COMMAND_MEASURE, "measure", BW_OPERANDS_FILES, "predictions beside what a card takes",
     bw_run_measure},
    {BW_COMMAND_COMPARE, "compare", BW_OPERANDS_RECORDINGS, "recordings against the model",
     bw_run_compare},
    {BW_COMMAND_TALLY, "tally", BW_OPERANDS_TRACES, "totals of traces, instruction by instruction",
     bw_run_tally},
    {BW_COMMAND_HELP, "help", BW_OPERANDS_WORDS, "what a message means, and what cures it",
     bw_run_help},
};

static const bw_option options[] = {
    {BW_OPTION_DEFINE, 'D', "define", BW_TYPE_DEFINE, "NAME=VALUE", NULL, 0, 0, PREDICTING,
     "give a parameter of the pattern another value"},
    {BW_OPTION_BLOCK, 0, "block", BW_TYPE_BLOCK, "32x8", NULL, 0, 0, PREDICTING,
     "threads of a block, instead of the pattern's"},
    {BW_OPTION_GRID, 0, "grid", BW_TYPE_GRID, "2x2", NULL, 0, 0, PREDICTING,
     "blocks of the grid, instead of the pattern's"},
    {BW_OPTION_LAUNCH, 0, "launch", BW_TYPE_LAUNCH, "LAUNCH", NULL, 0, 0, PREDICTING,
     "run this: 'k<32><<<4, 128, 4096>>>(ptr, 1024)'"},
    {BW_OPTION_LAUNCHES, 0, "launches", BW_TYPE_LIST, "FILE", NULL, 0, 0, PREDICTING,
     "run the launches that FILE lists, one a line"},
    {BW_OPTION_KERNEL, 0, "kernel", BW_TYPE_TEXT, "NAME", NULL, 0, 0, PREDICTING,
     "only the kernels of this name, or part of it"},
    {BW_OPTION_ARG, 0, "arg", BW_TYPE_BINDING, "PLACE=VALUE", NULL, 0, 0, PREDICTING,
     "a kernel's argument, by name or place: 3=4096"},
    {BW_OPTION_DATA, 0, "data", BW_TYPE_BINDING, "PLACE=LAW", NULL, 0, 0, PREDICTING,
     "what an argument points to: 2=random:u8:0..9"},
    {BW_OPTION_SHARED, 0, "shared", BW_TYPE_SIZE, "SIZE", NULL, 1, ANY_SHARED, PREDICTING,
     "dynamic shared memory of a block, in bytes"},
    {BW_OPTION_CUBIN, 0, "cubin", BW_TYPE_FILE, "FILE", NULL, 0, 0, MACHINE,
     "the cubin of machine code: places of parameters"},
    {BW_OPTION_NVCC, 0, "nvcc", BW_TYPE_TEXT, "FLAGS", NULL, 0, 0, BINARY,
     "compile the source, and take its machine code"},
    {BW_OPTION_COMPILE_COMMANDS, 'p', "compile-commands", BW_TYPE_FILE, "PATH", NULL, 0, 0, BINARY,
     "the same, with the flags of a project"},
    {BW_OPTION_DISASSEMBLER, 0, "disasm", BW_TYPE_FILE, "PROGRAM", NULL, 0, 0, BINARY,
     "the nvdisasm or cuobjdump for binaries"},
    {BW_OPTION_NCU_TOOL, 0, "ncu-tool", BW_TYPE_FILE, "PROGRAM", NULL, 0, 0, MACHINE,
     "the ncu that prints a report of Nsight Compute"},
    {BW_OPTION_ARCH, 0, "arch", BW_TYPE_ARCH, "NAME", NULL, 0, 0, WORKING & ~RECORDED,
     "the card's architecture (default " BW_DEFAULT_ARCH ")"},
    {BW_OPTION_ARCH, 0, "arch", BW_TYPE_ARCH, "NAME", NULL, 0, 0, RECORDED,
     "the card's architecture (default as recorded)"},
    {BW_OPTION_FORMAT, 0, "format", BW_TYPE_CHOICE, "FORMAT", "text|json|csv", 0, 0, REPORT,
     "form of the report (default text)"},
    {BW_OPTION_FORMAT, 0, "format", BW_TYPE_CHOICE, "FORMAT", "text|json|csv|github|sarif|junit", 0,
     0, BIT(CHECK), "form of the findings (default text)"},
    {BW_OPTION_FORMAT, 0, "format", BW_TYPE_CHOICE, "FORMAT", "text|json", 0, 0, BIT(FIX),
     "form of the report (default text)"},
    {BW_OPTION_FORMAT, 0, "format", BW_TYPE_CHOICE, "FORMAT", "csv|bwr", 0, 0, BIT(LOWER),
     "form of the stream (default csv, or as FILE ends)"},
    {BW_OPTION_METRICS, 0, "metrics", BW_TYPE_CHOICE, "SET", "ncu", 0, 0, BIT(PREDICT),
     "add the counters of Nsight Compute"},
    {BW_OPTION_COMPARE, 0, "compare", BW_TYPE_FLAG, NULL, NULL, 0, 0, BIT(PREDICT),
     "two files side by side, access by access"},
    {BW_OPTION_JOIN, 0, "join", BW_TYPE_FLAG, NULL, NULL, 0, 0, PREDICTING & ~BIT(FIX),
     "neighbouring accesses joined, as nvcc joins them"},
    {BW_OPTION_LINE, 0, "line", BW_TYPE_LINE, "N", NULL, 1, MAX_LINE, BIT(EXPLAIN) | BIT(SWEEP),
     "only the accesses on line N of the file"},
    {BW_OPTION_WARP, 0, "warp", BW_TYPE_NUMBER, "W", NULL, 0, MAX_WARP, BIT(EXPLAIN),
     "only requests of warp W of a block, from 0"},
    {BW_OPTION_REQUEST, 0, "request", BW_TYPE_NUMBER, "K", NULL, 1, ANY_NUMBER, BIT(EXPLAIN),
     "the K-th request of an access, not the worst"},
    {BW_OPTION_ALL, 0, "all", BW_TYPE_FLAG, NULL, NULL, 0, 0, BIT(EXPLAIN),
     "every different request, not only the worst"},
    {BW_OPTION_WHOLE, 0, "whole", BW_TYPE_FLAG, NULL, NULL, 0, 0, BIT(EXPLAIN),
     "every wavefront of a long picture"},
    {BW_OPTION_KEEP_GOING, 'k', "keep-going", BW_TYPE_FLAG, NULL, NULL, 0, 0, BIT(SWEEP),
     "show the other values where some give an error"},
    {BW_OPTION_SVG, 0, "svg", BW_TYPE_FLAG, NULL, NULL, 0, 0, BIT(EXPLAIN) | BIT(SWEEP),
     "the picture as an SVG file"},
    {BW_OPTION_HTML, 0, "html", BW_TYPE_FLAG, NULL, NULL, 0, 0, BIT(PREDICT) | BIT(EXPLAIN),
     "one HTML file, to step through the wavefronts"},
    {BW_OPTION_FAIL_ABOVE, 0, "fail-above", BW_TYPE_WAYS, "N-way", NULL, 1, MAX_WAYS, BIT(CHECK),
     "also fail where an access has a higher degree"},
    {BW_OPTION_UNIQUE, 0, "unique", BW_TYPE_FLAG, NULL, NULL, 0, 0, BIT(LOWER),
     "write equal requests once, with their count"},
    {BW_OPTION_NCU, 0, "ncu", BW_TYPE_FILE, "REPORT", NULL, 0, 0, BIT(COMPARE),
     "compare Nsight Compute's CSV with FILE, a pattern"},
    {BW_OPTION_NCU_COMMAND, 0, "ncu-command", BW_TYPE_FLAG, NULL, NULL, 0, 0, BIT(COMPARE),
     "print the commands that make such a CSV"},
    {BW_OPTION_MIN_MATCH, 0, "min-match", BW_TYPE_PERCENT, "PERCENT", NULL, 0, 100, BIT(COMPARE),
     "fail where fewer rows of a column match"},
    {BW_OPTION_SHOW, 0, "show", BW_TYPE_NUMBER, "N", NULL, 0, MAX_SHOW, BIT(COMPARE),
     "mismatches to show (default 10)"},
    {BW_OPTION_GPU, 0, "gpu", BW_TYPE_FILE, "PROGRAM", NULL, 0, 0, BIT(MEASURE),
     "the bankwise-gpu to run"},
    {BW_OPTION_RECORDING, 0, "recording", BW_TYPE_FILE, "FILE", NULL, 0, 0, BIT(MEASURE),
     "keep what was measured in FILE"},
    {BW_OPTION_REPLAY, 0, "replay", BW_TYPE_FILE, "FILE", NULL, 0, 0, BIT(MEASURE),
     "run nothing: take what was measured from FILE"},
    {BW_OPTION_REQUESTS, 0, "requests", BW_TYPE_FLAG, NULL, NULL, 0, 0, BIT(MEASURE),
     "run nothing: write what 'bankwise-gpu run' takes"},
    {BW_OPTION_ARRAY, 0, "array", BW_TYPE_TEXT, "NAME", NULL, 0, 0, BIT(FIX),
     "only the shared array of this name"},
    {BW_OPTION_KIND, 0, "kind", BW_TYPE_CHOICE, "KIND", "any|pad|swizzle|order|struct", 0, 0,
     BIT(FIX), "only changes of this kind (default any)"},
    {BW_OPTION_MAX_PAD, 0, "max-pad", BW_TYPE_NUMBER, "N", NULL, 1, MAX_PAD, BIT(FIX),
     "pads to try: 1 to N elements (default 64)"},
    {BW_OPTION_ALIGN, 0, "align", BW_TYPE_NUMBER, "N", NULL, 1, MAX_ALIGN, BIT(FIX),
     "rows begin at multiples of N bytes, as for WMMA"},
    {BW_OPTION_MAX_BYTES, 0, "max-bytes", BW_TYPE_SIZE, "SIZE", NULL, 1, ANY_NUMBER, BIT(FIX),
     "shared memory that a block may use"},
    {BW_OPTION_TMA, 0, "tma", BW_TYPE_FLAG, NULL, NULL, 0, 0, BIT(FIX),
     "only the modes of the bulk copy engine"},
    {BW_OPTION_LANE_MAP, 0, "lane-map", BW_TYPE_FLAG, NULL, NULL, 0, 0, BIT(FIX),
     "keep the layout: which lanes take which elements?"},
    {BW_OPTION_PICK, 0, "pick", BW_TYPE_NUMBER, "N", NULL, 1, MAX_PICK, BIT(FIX),
     "show (and apply) the N-th proposal (default 1)"},
    {BW_OPTION_APPLY, 0, "apply", BW_TYPE_FLAG, NULL, NULL, 0, 0, BIT(FIX),
     "write the change into FILE"},
    {BW_OPTION_WARNING, 'W', "warning", BW_TYPE_WARNING, "no-NAME", NULL, 0, 0,
     BIT(PREDICT) | BIT(CHECK), "switch the warning of this name off"},
    {BW_OPTION_OUTPUT, 'o', "output", BW_TYPE_FILE, "FILE", NULL, 0, 0, ALL,
     "write the result to FILE, whole or not at all"},
    {BW_OPTION_COLOR, 0, "color", BW_TYPE_CHOICE, "WHEN", "auto|always|never", 0, 0, WORKING,
     "colour in texts (default auto)"},
    {BW_OPTION_JOBS, 'j', "jobs", BW_TYPE_NUMBER, "N", NULL, 1, MAX_JOBS, BIT(TALLY),
     "threads (default: one for each processor)"},
    {BW_OPTION_MERGE, 0, "merge", BW_TYPE_FLAG, NULL, NULL, 0, 0, BIT(TALLY),
     "add tallies in JSON: TRACE... are such files"},
    {BW_OPTION_RESUME, 0, "resume", BW_TYPE_FILE, "FOLDER", NULL, 0, 0, BIT(TALLY),
     "keep finished traces there; take those that are"},
    {BW_OPTION_SEED, 0, "seed", BW_TYPE_NUMBER, "N", NULL, 1, UINT32_MAX, PREDICTING,
     "seed of random patterns (default 1)"},
    {BW_OPTION_TRIALS, 0, "trials", BW_TYPE_NUMBER, "N", NULL, 1, MAX_TRIALS,
     PREDICTING & ~(BIT(LOWER) | BIT(MEASURE) | BIT(EXPLAIN)),
     "runs of a random pattern (default 100)"},
    {BW_OPTION_MAX_STEPS, 0, "max-steps", BW_TYPE_NUMBER, "N", NULL, 1, ANY_NUMBER, PREDICTING,
     "evaluation steps after which a run is given up"},
    {BW_OPTION_MAX_MEMORY, 0, "max-memory", BW_TYPE_SIZE, "SIZE", NULL, 4096, ANY_NUMBER,
     PREDICTING, "memory of an evaluation: bytes, or with K, M or G"},
    {BW_OPTION_TABLES, 0, "tables-anywhere", BW_TYPE_FLAG, NULL, NULL, 0, 0, PREDICTING,
     "tables of assume: also outside the pattern's folder"},
    {BW_OPTION_QUIET, 'q', "quiet", BW_TYPE_FLAG, NULL, NULL, 0, 0, WORKING,
     "only what was asked for: no notes, no summary"},
    {BW_OPTION_HELP, 'h', "help", BW_TYPE_FLAG, NULL, NULL, 0, 0, ALL, "show this help"},
    {BW_OPTION_VERSION, 0, "version", BW_TYPE_FLAG, NULL, NULL, 0, 0, ALL, "show the version"},
};

#define COUNT(table) (sizeof(table) / sizeof *(table))

const bw_option *bw_option_at(size_t index)
{
    return index < COUNT(options) ? &options[index] : NULL;
}

const bw_command *bw_command_at(size_t index)
{
    return index < COUNT(commands) ? &commands[index] : NULL;
}

const bw_command *bw_command_find(const char *name)
{
    for (size_t i = 0; i < COUNT(commands); i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

/* ---- errors ---- */

static const bw_listener *listening;

void bw_listen(const bw_listener *listener)
{
    listening = listener;
}

void bw_tell(bw_message_id id, const bw_source *source, bw_span span, const char *message)
{
    if (listening)
        listening->hear(listening->context, id, source, span, message);
}

void bw_complain(bw_message_id id, const char *note, const char *format, ...)
{
    bw_arena arena = {NULL};
    va_list arguments;
    va_start(arguments, format);
    const char *message = bw_arena_format_list(&arena, format, arguments);
    va_end(arguments);
    bw_say(stderr, "bankwise: error: %s [%s]\n", message, bw_message_of(id)->id);
    if (note)
        bw_say(stderr, "note: %s\n", note);
    bw_tell(id, NULL, (bw_span){0, 0}, message);
    bw_arena_finish(&arena);
}

void bw_complain_of(bw_message_id id, const char *note, const char *doing, const char *path,
                    int reason)
{
    if (reason == ENOMEM)
        bw_out_of_memory();
    bw_complain(id, note, "cannot %s '%s': %s", doing, path, strerror(reason));
}

/* ---- nearest names ---- */

/* A better match than *best (a distance) replaces it; a third of the name may differ. */
static void consider(const char *candidate, const char *name, size_t *best, const char **nearest)
{
    size_t distance = bw_edit_distance(candidate, strlen(candidate), name, strlen(name));
    size_t shorter = strlen(name) < strlen(candidate) ? strlen(name) : strlen(candidate);
    bool begins = strlen(name) >= 3 && strncmp(candidate, name, strlen(name)) == 0;
    if (begins)
        distance = 1;
    if (distance < *best && distance <= 1 + shorter / 3) {
        *best = distance;
        *nearest = candidate;
    }
}

const char *bw_command_nearest(const char *name)
{
    const char *nearest = NULL;
    size_t best = BW_FAR;
    for (size_t i = 0; i < COUNT(commands); i++)
        consider(commands[i].name, name, &best, &nearest);
    return nearest;
}

const char *bw_message_nearest(const char *name)
{
    const char *nearest = bw_command_nearest(name);
    size_t best = nearest ? bw_edit_distance(nearest, strlen(nearest), name, strlen(name)) : BW_FAR;
    for (unsigned i = 0; i < BW_MSG_COUNT; i++)
        consider(bw_message_of((bw_message_id)i)->id, name, &best, &nearest);
    return nearest;
}

static bool belongs(const bw_option *option, const bw_command *command)
{
    return option->commands >> command->id & 1;
}

static const char *nearest_option(const bw_command *command, const char *name)
{
    const char *nearest = NULL;
    size_t best = BW_FAR;
    for (size_t i = 0; i < COUNT(options); i++)
        if (belongs(&options[i], command))
            consider(options[i].name, name, &best, &nearest);
    return nearest;
}

/* ---- values ---- */

/* Digits only: no sign, no space, no overflow. *end is the first byte that is no digit. */
static bool read_number(const char *text, uint64_t *number, const char **end)
{
    if (!isdigit((unsigned char)*text))
        return false;
    char *stop;
    errno = 0;
    unsigned long long value = strtoull(text, &stop, 10);
    *number = value;
    *end = stop;
    return errno == 0;
}

static bool bad_value(bw_message_id id, const bw_option *option, const char *text, const char *what,
                      const char *note)
{
    bw_complain(id, note, "--%s: '%s' %s", option->name, text, what);
    return false;
}

static bool in_range(const bw_option *option, const char *text, uint64_t number)
{
    if (number >= option->min && number <= option->max)
        return true;
    bw_complain(BW_MSG_OPTION_RANGE, NULL, "--%s: '%s' is out of range: %llu to %llu", option->name,
                text, (unsigned long long)option->min, (unsigned long long)option->max);
    return false;
}

static bool read_plain(const bw_option *option, const char *text, bw_value *value)
{
    const char *end;
    if (!read_number(text, &value->number, &end) || *end)
        return bad_value(BW_MSG_OPTION_VALUE, option, text, "is not a whole number", NULL);
    return in_range(option, text, value->number);
}

static bool read_line(const bw_option *option, const char *text, bw_value *value)
{
    if (strncmp(text, "0x", 2) != 0)
        return read_plain(option, text, value);
    char *end;
    value->number = strtoull(text, &end, 16);
    if (text[2 + strspn(text + 2, "0123456789abcdefABCDEF")] || end == text + 2)
        return bad_value(BW_MSG_OPTION_VALUE, option, text, "is no address",
                         "write it as the table of predict does: 0x0ee0");
    return true;
}

/* Digits, a point and digits, a sign: no locale, no exponent. */
static bool read_percent(const bw_option *option, const char *text, bw_value *value)
{
    size_t whole = strspn(text, "0123456789"), length = whole;
    if (text[length] == '.')
        length += 1 + strspn(text + length + 1, "0123456789");
    if (!whole || length > 20 || (text[length] && strcmp(text + length, "%") != 0))
        return bad_value(BW_MSG_OPTION_VALUE, option, text, "is not a percentage",
                         "write it as 99.5");
    value->real = strtod(text, NULL);
    if (value->real < (double)option->min || value->real > (double)option->max)
        return bad_value(BW_MSG_OPTION_RANGE, option, text, "is out of range: 0 to 100", NULL);
    return true;
}

static bool read_ways(const bw_option *option, const char *text, bw_value *value)
{
    const char *end;
    if (!read_number(text, &value->number, &end) || (*end && strcmp(end, "-way") != 0))
        return bad_value(BW_MSG_OPTION_VALUE, option, text, "is not a degree",
                         "write a degree as 2-way");
    return in_range(option, text, value->number);
}

static bool read_size(const bw_option *option, const char *text, bw_value *value)
{
    static const char units[] = "KMG";
    const char *end;
    const char *note = "write bytes, or a number with K, M or G: 512M";
    if (!read_number(text, &value->number, &end))
        return bad_value(BW_MSG_OPTION_VALUE, option, text, "is not a size", note);
    const char *unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
    if (*end && (!unit || end[1]))
        return bad_value(BW_MSG_OPTION_VALUE, option, text, "is not a size", note);
    unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    if (value->number > option->max >> shift)
        return bad_value(BW_MSG_OPTION_RANGE, option, text, "is too large", note);
    value->number <<= shift;
    return in_range(option, text, value->number);
}

static bool read_choice(const bw_option *option, const char *text, bw_value *value)
{
    size_t length = strlen(text);
    uint64_t index = 0;
    for (const char *p = option->choices; *p; index++) {
        size_t width = strcspn(p, "|");
        if (width == length && memcmp(p, text, length) == 0) {
            value->number = index;
            return true;
        }
        p += width + (p[width] == '|');
    }
    bw_complain(BW_MSG_OPTION_VALUE, NULL, "--%s: '%s' is none of %s", option->name, text,
                option->choices);
    return false;
}

/* N, NxN or NxNxN, each from 1 to its limit. */
static bool read_shape(const bw_option *option, const char *text, const uint32_t limit[3],
                       const char *note, uint32_t shape[3])
{
    const char *p = text;
    shape[0] = shape[1] = shape[2] = 1;
    for (int i = 0; i < 3; i++) {
        uint64_t number;
        const char *end;
        if (!read_number(p, &number, &end) && !isdigit((unsigned char)*p))
            return bad_value(BW_MSG_OPTION_VALUE, option, text, "is not a shape", note);
        if (number < 1 || number > limit[i])
            return bad_value(BW_MSG_OPTION_RANGE, option, text, "is out of range", note);
        shape[i] = (uint32_t)number;
        if (!*end)
            return true;
        if (*end != 'x')
            return bad_value(BW_MSG_OPTION_VALUE, option, text, "is not a shape", note);
        p = end + 1;
    }
    return bad_value(BW_MSG_OPTION_VALUE, option, text, "has more than three dimensions", note);
}

/* Limits: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"; a block
 * had 512 threads on cc 1.x, which the pattern language knows. */
static bool read_block(const bw_option *option, const char *text, uint32_t shape[3])
{
    static const uint32_t limit[3] = {1024, 1024, 64};
    const char *note = "write threads as 256, 32x8 or 8x8x4: at most 1024 in all, and 64 in z";
    if (!read_shape(option, text, limit, note, shape))
        return false;
    if (shape[0] * shape[1] * shape[2] > 1024)
        return bad_value(BW_MSG_OPTION_RANGE, option, text, "has more than 1024 threads", note);
    return true;
}

static bool read_grid(const bw_option *option, const char *text, uint32_t shape[3])
{
    static const uint32_t limit[3] = {INT32_MAX, 65535, 65535};
    return read_shape(option, text, limit,
                      "write blocks as 1024, 32x32 or 8x8x8: x to 2147483647, y and z to 65535",
                      shape);
}

bool bw_shape_read(bw_option_id id, const char *text, uint32_t shape[3])
{
    const bw_option *option = options;
    while (option->id != id)
        option++;
    return option->type == BW_TYPE_BLOCK ? read_block(option, text, shape)
                                         : read_grid(option, text, shape);
}

/* All names, for those who mistyped one. */
static bool unknown_arch(const bw_option *option, const char *text)
{
    bw_complain(BW_MSG_UNKNOWN_ARCHITECTURE, NULL, "--%s: no architecture '%s'", option->name,
                text);
    fputs("note: known are:", stderr);
    unsigned column = 16;
    for (size_t i = 0; i < bw_arch_count(); i++) {
        const char *name = bw_arch_at(i)->name;
        column += (unsigned)strlen(name) + 1;
        if (column > 78) {
            fputs("\n     ", stderr);
            column = 5 + (unsigned)strlen(name) + 1;
        }
        fprintf(stderr, " %s", name);
    }
    fputc('\n', stderr);
    return false;
}

static bool read_arch(const bw_option *option, const char *text, bw_value *value)
{
    value->arch = bw_arch_find(text);
    return value->arch ? true : unknown_arch(option, text);
}

static size_t identifier_length(const char *text)
{
    size_t length = 0;
    if (isdigit((unsigned char)*text))
        return 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '_')
        length++;
    return length;
}

bool bw_is_range(const char *value)
{
    bool several = strchr(value, ':') || strchr(value, ',');
    return several && !value[strspn(value, "0123456789abcdefxABCDEFX-+:,")] &&
           (isdigit((unsigned char)*value) || *value == '-');
}

static bool read_define(bw_args *args, const bw_option *option, const char *text)
{
    size_t length = identifier_length(text);
    bool alone = length && !text[length];
    if (!length || (!alone && text[length] != '='))
        return bad_value(BW_MSG_OPTION_VALUE, option, text, "is not NAME=VALUE",
                         "write -D STRIDE=3");
    const char *name = bw_arena_copy(&args->arena, text, length);
    const char *value = alone ? "1" : text + length + 1;
    if (strpbrk(value, ":,") && args->command->id != BW_COMMAND_SWEEP)
        return bad_value(BW_MSG_RANGE_OUTSIDE_SWEEP, option, text,
                         strchr(value, ':') ? "gives a range" : "gives a list",
                         "'bankwise sweep' takes ranges and lists");
    for (size_t i = 0; i < args->define_count; i++)
        if (strcmp(args->defines[i].name, name) == 0) {
            args->defines[i].value = value; /* the last word counts */
            return true;
        }
    args->defines = bw_realloc(args->defines, (args->define_count + 1) * sizeof *args->defines);
    args->defines[args->define_count++] = (bw_define){name, value};
    return true;
}

void bw_args_bind(bw_args *args, bool data, const char *target, const char *value)
{
    bw_argument **list = data ? &args->data : &args->arguments;
    size_t *count = data ? &args->data_count : &args->argument_count;
    bw_argument given = {target, value, ++args->order};
    for (size_t i = 0; i < *count; i++)
        if (strcmp((*list)[i].target, target) == 0) {
            (*list)[i] = given;
            return;
        }
    *list = bw_realloc(*list, (*count + 1) * sizeof **list);
    (*list)[(*count)++] = given;
}

/* An argument or data of a launch: what it is for, and its value; both are read with the kernel,
 * where types are known. The last word about a place counts. */
static bool read_binding(bw_args *args, const bw_option *option, const char *text)
{
    bool data = option->id == BW_OPTION_DATA;
    size_t length = strcspn(text, "=");
    if (!length || !text[length] || !text[length + 1])
        return bad_value(BW_MSG_OPTION_VALUE, option, text,
                         data ? "is not PLACE=LAW" : "is not PLACE=VALUE",
                         data ? "write --data 2=zero" : "write --arg 3=4096");
    const char *target = bw_arena_copy(&args->arena, text, length);
    const char *value = text + length + 1;
    if (!data && args->command->id != BW_COMMAND_SWEEP && strchr(value, ':') && bw_is_range(value))
        return bad_value(BW_MSG_RANGE_OUTSIDE_SWEEP, option, text, "gives a range",
                         "'bankwise sweep' takes ranges");
    bw_args_bind(args, data, target, value);
    return true;
}

/* ---- launches ---- */

void bw_args_add_launch(bw_args *args, const char *name, const char *text)
{
    args->launches = bw_realloc(args->launches, (args->launch_count + 1) * sizeof *args->launches);
    args->launches[args->launch_count++] =
        (bw_launch_text){{name, text, strlen(text), NULL}, ++args->order};
}

static bool read_launch(bw_args *args, const bw_option *option, const char *text)
{
    if (!strstr(text, "<<<"))
        return bad_value(BW_MSG_OPTION_VALUE, option, text, "is no launch",
                         "write --launch 'kernel<<<grid, block>>>(arguments)'");
    bw_args_add_launch(args, "--launch", text);
    return true;
}

static bool is_warning(bw_message_id id)
{
    return id != BW_MSG_COUNT && bw_message_of(id)->kind == BW_KIND_WARNING;
}

static bool unknown_warning(bw_args *args, const bw_option *option, const char *text)
{
    const char *note = "they are:";
    for (unsigned i = 0; i < BW_MSG_COUNT; i++)
        if (is_warning(i))
            note = bw_arena_format(&args->arena, "%s no-%s", note, bw_message_of(i)->id);
    return bad_value(BW_MSG_UNKNOWN_WARNING, option, text, "is no warning", note);
}

/* The last word about a warning counts. */
static bool read_warning(bw_args *args, const bw_option *option, const char *text)
{
    bool off = strncmp(text, "no-", 3) == 0;
    bw_message_id id = bw_message_find(off ? text + 3 : text);
    if (!is_warning(id))
        return unknown_warning(args, option, text);
    args->silent[id] = off;
    return true;
}

bool bw_warning_is_on(const bw_args *args, bw_message_id id)
{
    return !args->silent[id];
}

static bool read_value(bw_args *args, const bw_option *option, const char *text)
{
    bw_value *value = &args->values[option->id];
    bool repeated = option->type == BW_TYPE_DEFINE || option->type == BW_TYPE_WARNING ||
                    option->type == BW_TYPE_BINDING || option->type == BW_TYPE_LAUNCH ||
                    option->type == BW_TYPE_LIST;
    if (value->given && !repeated) {
        bw_complain(BW_MSG_OPTION_TWICE, "give it once", "--%s is given twice", option->name);
        return false;
    }
    value->given = true;
    value->text = text;
    switch (option->type) {
    case BW_TYPE_FLAG: return true;
    case BW_TYPE_LIST:
    case BW_TYPE_FILE:
        if (*text && option->type == BW_TYPE_LIST)
            return bw_list_read(args, text);
        return *text ? true
                     : bad_value(BW_MSG_OPTION_VALUE, option, text, "is not a file name", NULL);
    case BW_TYPE_NUMBER: return read_plain(option, text, value);
    case BW_TYPE_LINE: return read_line(option, text, value);
    case BW_TYPE_PERCENT: return read_percent(option, text, value);
    case BW_TYPE_WAYS: return read_ways(option, text, value);
    case BW_TYPE_SIZE: return read_size(option, text, value);
    case BW_TYPE_CHOICE: return read_choice(option, text, value);
    case BW_TYPE_BLOCK:
    case BW_TYPE_GRID: /* names in braces get their values with the machine code */
        return strchr(text, '{') || bw_shape_read(option->id, text, value->shape);
    case BW_TYPE_TEXT:
        return *text ? true : bad_value(BW_MSG_OPTION_VALUE, option, text, "is no name", NULL);
    case BW_TYPE_WARNING: return read_warning(args, option, text);
    case BW_TYPE_DEFINE: return read_define(args, option, text);
    case BW_TYPE_BINDING: return read_binding(args, option, text);
    case BW_TYPE_LAUNCH: return read_launch(args, option, text);
    case BW_TYPE_ARCH: return read_arch(option, text, value);
    }
    return false;
}

/* ---- the command line ---- */

static const bw_option *find_long(const bw_command *command, const char *name, size_t length)
{
    for (size_t i = 0; i < COUNT(options); i++)
        if (belongs(&options[i], command) && strlen(options[i].name) == length &&
            memcmp(options[i].name, name, length) == 0)
            return &options[i];
    return NULL;
}

static const bw_option *find_letter(const bw_command *command, char letter)
{
    for (size_t i = 0; i < COUNT(options); i++)
        if (belongs(&options[i], command) && letter && options[i].letter == letter)
            return &options[i];
    return NULL;
}

static bool unknown_option(bw_args *args, const char *text, const char *name)
{
    const char *nearest = name ? nearest_option(args->command, name) : NULL;
    const char *note = nearest ? bw_arena_format(&args->arena, "did you mean --%s?", nearest)
                               : bw_arena_format(&args->arena, "'bankwise %s --help' lists them",
                                                 args->command->name);
    bw_complain(BW_MSG_UNKNOWN_OPTION, note, "%s: unknown option '%s'", args->command->name, text);
    return false;
}

/* Where the next argument is, and where argv ends. */
typedef struct cursor {
    char **next, **end;
} cursor;

static bool missing_argument(const bw_option *option)
{
    bw_complain(BW_MSG_OPTION_ARGUMENT, NULL, "--%s needs an argument: %s", option->name,
                option->choices ? option->choices : option->argument);
    return false;
}

static bool read_long(bw_args *args, const char *text, cursor *at)
{
    const char *name = text + 2;
    size_t length = strcspn(name, "=");
    const char *joined = name[length] ? name + length + 1 : NULL;
    const bw_option *option = find_long(args->command, name, length);
    if (!option)
        return unknown_option(args, text, bw_arena_copy(&args->arena, name, length));
    if (option->type == BW_TYPE_FLAG) {
        if (joined)
            return bad_value(BW_MSG_OPTION_ARGUMENT, option, joined,
                             "is an argument, and it takes none", NULL);
        return read_value(args, option, "");
    }
    if (!joined && at->next == at->end)
        return missing_argument(option);
    return read_value(args, option, joined ? joined : *at->next++);
}

static bool read_letters(bw_args *args, const char *text, cursor *at)
{
    for (const char *p = text + 1; *p; p++) {
        const bw_option *option = find_letter(args->command, *p);
        if (!option)
            return unknown_option(args, text, text[2] ? text + 1 : NULL);
        if (option->type == BW_TYPE_FLAG) {
            if (!read_value(args, option, ""))
                return false;
            continue;
        }
        if (!p[1] && at->next == at->end)
            return missing_argument(option);
        return read_value(args, option, p[1] ? p + 1 : *at->next++);
    }
    return true;
}

static void fill_defaults(bw_args *args)
{
    bw_value *values = args->values;
    if (!values[BW_OPTION_ARCH].given)
        values[BW_OPTION_ARCH].arch = bw_arch_find(BW_DEFAULT_ARCH);
    if (!values[BW_OPTION_SEED].given)
        values[BW_OPTION_SEED].number = BW_DEFAULT_SEED;
    if (!values[BW_OPTION_TRIALS].given)
        values[BW_OPTION_TRIALS].number = BW_DEFAULT_TRIALS;
    if (!values[BW_OPTION_SHOW].given)
        values[BW_OPTION_SHOW].number = BW_DEFAULT_SHOW;
}

static bool asks_help(int argc, char **argv, bw_args *args)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        args->values[BW_OPTION_HELP].given |=
            strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0;
        args->values[BW_OPTION_VERSION].given |= strcmp(argv[i], "--version") == 0;
    }
    return args->values[BW_OPTION_HELP].given || args->values[BW_OPTION_VERSION].given;
}

static bool check_files(const bw_args *args)
{
    bw_operands operands = args->command->operands;
    if (operands == BW_OPERANDS_WORDS || args->values[BW_OPTION_NCU_COMMAND].given)
        return true;                                 /* words, not files */
    bool report = args->values[BW_OPTION_NCU].given; /* which may be all there is */
    if (!args->file_count && !report) {
        const char *const notes[BW_OPERANDS_COUNT] = {
            [BW_OPERANDS_RECORDINGS] = "give a recording, or '-' for standard input",
            [BW_OPERANDS_TRACES] = "give a trace, or '-' for standard input"};
        bw_complain(BW_MSG_FILE_COUNT,
                    notes[operands] ? notes[operands]
                                    : "give a file, '-' for standard input, or a stock pattern "
                                      "such as kernels/transpose",
                    "%s needs a file", args->command->name);
        return false;
    }
    if (operands == BW_OPERANDS_FILE && args->file_count > 1) {
        bw_complain(BW_MSG_FILE_COUNT, NULL, "%s takes one file; '%s' is a second",
                    args->command->name, args->files[1]);
        return false;
    }
    size_t inputs = 0;
    for (size_t i = 0; i < args->file_count; i++)
        inputs += strcmp(args->files[i], "-") == 0;
    if (inputs > 1)
        bw_complain(BW_MSG_INPUT_TWICE, NULL, "standard input ('-') can be read once");
    return inputs <= 1;
}

bool bw_args_read(bw_args *args, const bw_command *command, int argc, char **argv)
{
    *args = (bw_args){.command = command};
    if (asks_help(argc, argv, args))
        return true;
    args->files = bw_calloc((size_t)argc + 1, sizeof *args->files);
    bool only_files = false;
    for (cursor at = {argv, argv + argc}; at.next < at.end;) {
        const char *text = *at.next++;
        if (only_files || text[0] != '-' || !text[1])
            args->files[args->file_count++] = text;
        else if (strcmp(text, "--") == 0)
            only_files = true;
        else if (!(text[1] == '-' ? read_long(args, text, &at) : read_letters(args, text, &at)))
            return false;
    }
    fill_defaults(args);
    return check_files(args);
}

void bw_args_finish(bw_args *args)
{
    free(args->files);
    free(args->defines);
    free(args->arguments);
    free(args->data);
    free(args->launches);
    bw_arena_finish(&args->arena);
}

/* ---- help ---- */

void bw_help_program(FILE *out)
{
    fputs("Usage: bankwise COMMAND [OPTION]... FILE...\n\n"
          "Predicts what a warp's shared-memory accesses cost on an NVIDIA card: bank\n"
          "conflicts, wavefronts and cycles, without a card.\n\nCommands:\n",
          out);
    for (size_t i = 0; i < COUNT(commands); i++)
        fprintf(out, "  %-9s %s\n", commands[i].name, commands[i].summary);
    fputs("\n'bankwise COMMAND --help' lists the options of a command; bankwise(1) has more.\n"
          "FILE is a pattern file, '-' for standard input, or the name of a stock pattern:\n\n"
          "  bankwise predict kernels/transpose\n\n"
          "Exit codes: 0 done, 1 a finding, 2 usage or input, 3 internal, 77 no card.\n",
          out);
}

static void help_option(const bw_option *option, FILE *out)
{
    char left[64];
    const char *argument = option->choices ? option->choices : option->argument;
    char letter[5] = {option->letter ? '-' : ' ', option->letter ? option->letter : ' ',
                      option->letter ? ',' : ' ', ' ', '\0'};
    snprintf(left, sizeof left, "%s--%s%s%s", letter, option->name, argument ? " " : "",
             argument ? argument : "");
    if (strlen(left) > 26)
        fprintf(out, "  %s\n  %26s  %s\n", left, "", option->help);
    else
        fprintf(out, "  %-26s  %s\n", left, option->help);
}

/* Whether the help has a line for the option. Of a command with many options, those that others
 * have too, and those that few need, are named only, so that the rest fits a
 * terminal. */
static bool has_line(const bw_option *option, const bw_command *command)
{
    size_t count = 0;
    for (size_t i = 0; i < COUNT(options); i++)
        count += belongs(&options[i], command);
    bool rare = option->id == BW_OPTION_COMPILE_COMMANDS || option->id == BW_OPTION_CUBIN ||
                option->id == BW_OPTION_DISASSEMBLER || option->id == BW_OPTION_NCU_TOOL ||
                option->id == BW_OPTION_LAUNCHES;
    return count <= MOST_EXPLAINED || (option->id <= BW_OPTION_WARNING && !rare);
}

/* The options without a line, as one text in lines of 79 cells. */
static void help_names(const bw_command *command, FILE *out)
{
    size_t used = 0;
    char name[64];
    for (size_t i = 0; i < COUNT(options); i++) {
        const bw_option *o = &options[i];
        if (!belongs(o, command) || has_line(o, command))
            continue;
        const char *argument = o->choices ? o->choices : o->argument;
        char letter[5] = {'-', o->letter, ',', ' ', '\0'};
        size_t len = (size_t)snprintf(name, sizeof name, "%s--%s%s%s", o->letter ? letter : "",
                                      o->name, argument ? " " : "", argument ? argument : "");
        bool fits = used + len + 3 < 80;
        fprintf(out, "%s%s", !used ? "  " : fits ? ", " : ",\n  ", name);
        used = (used && fits ? used + 2 : 2) + len;
    }
    if (used)
        fputc('\n', out);
}

const char *bw_operands_text(bw_operands operands)
{
    return operand_texts[operands];
}

void bw_help_command(const bw_command *command, FILE *out)
{
    fprintf(out, "Usage: bankwise %s [OPTION]... %s\n\nShows %s.\n\nOptions:\n", command->name,
            operand_texts[command->operands], command->summary);
    for (size_t i = 0; i < COUNT(options); i++)
        if (belongs(&options[i], command) && has_line(&options[i], command))
            help_option(&options[i], out);
    help_names(command, out);
    fprintf(out, "\nbankwise-%s(1) has more.\n", command->name);
}
