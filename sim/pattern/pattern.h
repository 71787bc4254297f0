/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pattern: the language of pattern files; a source text becomes a stream of requests.
 *
 * Owns parsing, checking and evaluating. It knows no file, no terminal, no GSL and no CUDA: what
 * it needs of the outside (random numbers, table files) comes through bw_pattern_host. Evaluation
 * is bounded by a step and a memory budget. Errors are collected in a bw_diags; nothing here exits
 * (but running out of memory) and nothing prints.
 *
 * A pattern may be run any number of times; runs of one pattern must not overlap. Different
 * patterns are independent and may be used by different threads.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_PATTERN_H
#define BANKWISE_PATTERN_H

#include "bankwise.h"
#include "diag.h"

typedef struct bw_pattern bw_pattern;

/* Laws of random values; parameters in the order of the pattern language. */
typedef enum bw_law {
    BW_LAW_UNIFORM,  /* random(n): 0 … n-1                     */
    BW_LAW_ZIPF,     /* zipf(n, s): rank 0 … n-1, P ~ 1/(r+1)^s */
    BW_LAW_NORMAL,   /* normal(mu, sigma): a double            */
    BW_LAW_BINOMIAL, /* binomial(n, p): 0 … n                  */
} bw_law;

/* The names of warnings, as diagnostics carry them. */
#define BW_WARN_STATIC_SHARED "static-shared" /* more static shared memory than nvcc accepts */
#define BW_WARN_EXPECT "expect"               /* a comment that was meant as an expectation */
#define BW_WARN_HOST_BRANCH "host-branch"     /* a launch under a condition that is not known */

/* What the language asks of its host. Either member may be NULL: then a pattern that needs it gets
 * an error. */
typedef struct bw_pattern_host {
    void *context;
    /* One draw. Parameters were checked: n >= 1, s >= 0, sigma >= 0, 0 <= p <= 1. */
    double (*draw)(void *context, bw_law law, double a, double b);
    /* A file named in an `assume` comment, relative to the pattern file: malloc'd text, or NULL
     * with *error set to static or context-owned text. */
    char *(*read_file)(void *context, const char *path, size_t *len, const char **error);
} bw_pattern_host;

typedef struct bw_define {
    const char *name;
    const char *value; /* as given: an integer, float or character constant or true/false */
} bw_define;

typedef struct bw_pattern_options {
    const bw_arch *arch; /* NULL: sm_90 */
    const bw_define *defines;
    size_t define_count;
    uint32_t block[3], grid[3]; /* 0 in [0]: as the pattern says */
    uint64_t max_steps;         /* evaluation steps of one run; 0: the default */
    size_t max_memory;          /* bytes of evaluation state; 0: the default */
    bool join; /* deliver neighbouring accesses as nvcc joins them: see vm_join.h */
    bw_pattern_host host;
} bw_pattern_options;

/* About ten seconds of evaluation: long enough for fifty million requests, short enough to wait. */
#define BW_DEFAULT_MAX_STEPS UINT64_C(500000000)
#define BW_DEFAULT_MAX_MEMORY ((size_t)1 << 30)

/* A parameter: a top-level constant that -D can change. */
typedef struct bw_parameter {
    const char *name;
    bool is_float;
    int64_t integer; /* the value in force */
    double real;
} bw_parameter;

/* One run: a kernel with its launch, or the script. */
typedef struct bw_launch {
    const char *kernel; /* NULL for a script; "transpose<32, float>" for an instance */
    bw_span span;       /* the launch statement, or the whole script */
    uint32_t block[3], grid[3];
    uint32_t shared_bytes; /* static and dynamic together */
} bw_launch;

/* A place that reads or writes shared memory. Strings live as long as the pattern. */
typedef struct bw_access {
    bw_span span; /* the lvalue or call in the source */
    unsigned line, column;
    const char *source; /* its text, white space folded */
    const char *array;  /* the shared array it (first) hits */
    bw_op op;
    bw_op joins; /* the widest access that nvcc may make of this and its neighbours; else `op` */
} bw_access;

typedef enum bw_expect_kind {
    BW_EXPECT_DEGREE,        /* N-way */
    BW_EXPECT_WAVEFRONTS,    /* N wavefronts */
    BW_EXPECT_EXCESSIVE,     /* N excessive */
    BW_EXPECT_CYCLES,        /* N cycles */
    BW_EXPECT_CONFLICT_FREE, /* conflict-free */
} bw_expect_kind;

/* One expectation of an `// expect:` comment. */
typedef struct bw_expect {
    bw_span span;
    unsigned line;
    bw_expect_kind kind;
    uint64_t value;
} bw_expect;

/*
 * Parses and checks `source` (which must outlive the pattern). Always returns a pattern; where
 * diags->errors grew it can only be destroyed. A byte-order mark and CR LF are accepted.
 */
bw_pattern *bw_pattern_parse(const bw_source *source, const bw_pattern_options *options,
                             bw_diags *diags);
void bw_pattern_destroy(bw_pattern *pattern); /* accepts NULL */

/* A row of a request stream: a request, how many it stands for, and its line in the source. */
typedef struct bw_pattern_row {
    bw_request request;
    uint64_t count;
    unsigned line; /* from 1 */
} bw_pattern_row;

/* More rows than this are one access for each operation, not for each row. */
#define BW_PATTERN_ROWS_SHOWN 200

/*
 * A request stream in the place of a pattern: one launch without a kernel, whose run delivers the
 * rows in order. `source` must outlive the pattern; `rows` (at least one) are copied. Misaligned
 * addresses, and such past the architecture's shared memory, are errors at their line.
 */
bw_pattern *bw_pattern_of_rows(const bw_source *source, const bw_pattern_row *rows, size_t count,
                               const bw_pattern_options *options, bw_diags *diags);

/* First comment line ("title:" line if there is one) as a title, or NULL. */
const char *bw_pattern_title(const bw_pattern *pattern);
size_t bw_pattern_parameters(const bw_pattern *pattern, const bw_parameter **parameters);
size_t bw_pattern_launches(const bw_pattern *pattern, const bw_launch **launches);
size_t bw_pattern_expects(const bw_pattern *pattern, const bw_expect **expects);
/* Whether the expectation speaks of the access, as known after a run: of those that begin on its
 * line; where none does, of those whose text spans the line; else of those of the statement that
 * does. */
bool bw_pattern_expects_of(const bw_pattern *pattern, const bw_expect *expect,
                           const bw_access *access);
/* True if some value is drawn at random, so that a run is one sample. */
bool bw_pattern_is_random(const bw_pattern *pattern);

/* Where a request comes from. */
typedef struct bw_origin {
    uint32_t access; /* index into bw_pattern_accesses */
    uint32_t warp;   /* warp of the block, from 0 */
    uint64_t block;  /* linear block index, x fastest */
} bw_origin;

/*
 * Receives each request in order of evaluation. `copies` is how many blocks it stands for: more
 * than 1 where the grid's blocks are alike and one was evaluated. Returning false ends the run
 * (which then counts as complete).
 */
typedef struct bw_sink {
    void *context;
    bool (*request)(void *context, const bw_origin *origin, const bw_request *request,
                    uint64_t copies);
} bw_sink;

typedef struct bw_run {
    uint64_t steps;            /* evaluation steps taken */
    uint64_t blocks_evaluated; /* 1 where the grid was scaled */
    bool scaled;               /* true: the grid's blocks were found alike, and one evaluated */
} bw_run;

/* Evaluates one launch. False if it ended with an error (in diags); requests delivered before it
 * are then void. *run is always filled. */
bool bw_pattern_run(bw_pattern *pattern, size_t launch, const bw_sink *sink, bw_run *run,
                    bw_diags *diags);

/* The accesses found so far, in order of discovery (bw_origin.access indexes it). Stable between
 * runs of one pattern; the list stays readable as long as the pattern, while later runs may give a
 * longer one. Readers sort by line, column, reads before writes. */
size_t bw_pattern_accesses(const bw_pattern *pattern, const bw_access **accesses);

#endif
