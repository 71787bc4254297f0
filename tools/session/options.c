/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "options.h"

#include <string.h>

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
#define MAX_SHOW 100000

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
    {BW_OPTION_FOLD, 0, "fold", BW_TYPE_FLAG, NULL, NULL, 0, 0, BIT(PREDICT) | BIT(CHECK),
     "one row a place, whoever calls it for which array"},
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
     "runs of a random pattern (default: 100, or what a budget allows)"},
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

bool bw_option_belongs(const bw_option *option, const bw_command *command)
{
    return option->commands >> command->id & 1;
}

const char *bw_option_nearest(const bw_command *command, const char *name)
{
    const char *nearest = NULL;
    size_t best = BW_FAR;
    for (size_t i = 0; i < COUNT(options); i++)
        if (bw_option_belongs(&options[i], command))
            consider(options[i].name, name, &best, &nearest);
    return nearest;
}
