/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * program: what runs and makes requests, whatever it was written in.
 *
 * A front end reads its inputs into a program; whoever reports, draws, sweeps, lowers or compares
 * knows programs alone, so that a front end more changes nothing there. Owns the types that both
 * sides speak, and the calls through the front end's table. It knows no language and no file.
 *
 * A program may be run any number of times; runs of one program must not overlap. Different
 * programs are independent and may be used by different threads. Texts and lists that a program
 * hands out live as long as it does.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_PROGRAM_H
#define BANKWISE_PROGRAM_H

#include "arena.h"
#include "diag.h"
#include "host.h"
#include "sink.h"

/* About ten seconds of evaluation: long enough for fifty million requests, short enough to wait. */
#define BW_DEFAULT_MAX_STEPS UINT64_C(500000000)
#define BW_DEFAULT_MAX_MEMORY ((size_t)1 << 30)

/* -D NAME=VALUE: an integer, float or character constant or true/false, as given. */
typedef struct bw_define {
    const char *name;
    const char *value;
} bw_define;

/* --arg PLACE=VALUE or --data PLACE=LAW: of a launch, whatever the kernel is written in. */
typedef struct bw_argument {
    const char *target; /* "3", "@24", "n", "kernel:n" */
    const char *value;
    unsigned order; /* among the options: the later wins; from 1 */
} bw_argument;

/* A parameter: a value that the command line can change. */
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

/* A place in the source that machine code was made of. */
typedef struct bw_origin_line {
    const char *file; /* as the compiler was told it */
    unsigned line;
    const struct bw_origin_line *inlined_at; /* where that was inlined; NULL: nowhere */
} bw_origin_line;

/* A call in the source through which an access is made. One call is one object: two accesses have
 * the same calls where the pointers are equal. */
typedef struct bw_call_site {
    bw_span span;
    unsigned line;
    const char *function; /* that is called */
    const struct bw_call_site
        *from; /* the call that made this one; NULL: the kernel or the script */
} bw_call_site;

/*
 * What reads or writes shared memory: a place in the source, the calls that lead there, and the
 * array it touches. A place that several calls reach, or that serves several arrays, is as many
 * accesses.
 */
typedef struct bw_access {
    bw_span span; /* the lvalue or call in the source */
    unsigned line, column;
    const char *source; /* its text, white space folded; of an asm statement the address operand */
    const char *array;  /* the shared array that its requests' first lane touches */
    const bw_call_site *call; /* the innermost call that leads here; NULL: none */
    /* The place has other accesses: through other calls, to other arrays. Known after a run. */
    bool several_calls, several_arrays;
    bw_op op;
    bw_op joins; /* the widest access that nvcc may make of this and its neighbours; else `op` */
    const struct bw_instruction *instruction; /* of machine code; NULL: of source */
} bw_access;

/* What a profiler counted of an instruction; UINT64_MAX where it does not say. */
typedef struct bw_profiled_counts {
    uint64_t executed, threads, wavefronts, ideal;
} bw_profiled_counts;

/* An instruction of machine code, and what a run did with it. Counts are for the whole grid. */
typedef struct bw_instruction {
    uint32_t address; /* bytes from the kernel's first instruction */
    bw_span span;
    unsigned line;               /* of the disassembly */
    const char *text;            /* "@P0 LDS.128 R4, [R2+0x10]" */
    const bw_origin_line *place; /* NULL where the text has no line information */
    bool is_shared;              /* it can ask shared memory */
    const char *unmodelled;      /* why its result is left unknown; NULL where it is exact */
    uint64_t executed;           /* by warps */
    uint64_t threads;            /* by threads whose guard was true */
    uint64_t requests;           /* of shared memory that were priced */
    uint64_t unpriced;           /* for which there is no rule */
    uint64_t matrix_quarters;    /* wgmma's reads of shared memory, in quarters of a wavefront */
    bw_profiled_counts profiled;
} bw_instruction;

/* An array of a block's shared memory that the input tells, in bytes from its start. */
typedef struct bw_shared_array {
    const char *name;
    uint32_t base, bytes;
} bw_shared_array;

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

/* A run of some of a grid's blocks in the place of all: the grid is cut into so many even parts,
 * and of each one block is drawn, which stands for its part. */
typedef struct bw_block_sample {
    uint64_t blocks; /* 0, or no fewer than the grid has: all of them */
    uint64_t seed;
} bw_block_sample;

typedef struct bw_program bw_program;

/* What a front end does for its programs. Those marked so may be NULL. */
typedef struct bw_front_end {
    const char *name; /* what messages call such a program: "pattern" */
    const char *(*title)(const bw_program *program);                             /* may be NULL */
    size_t (*parameters)(const bw_program *program, const bw_parameter **found); /* may be NULL */
    size_t (*expects)(const bw_program *program, const bw_expect **found);       /* may be NULL */
    bool (*expects_of)(const bw_program *program, const bw_expect *expect,
                       const bw_access *access);  /* NULL where expects is */
    bool (*is_random)(const bw_program *program); /* may be NULL */
    size_t (*launches)(const bw_program *program, const bw_launch **found);
    size_t (*accesses)(const bw_program *program, const bw_access **found);
    size_t (*instructions)(const bw_program *program,
                           const bw_instruction **found); /* may be NULL */
    size_t (*shared_arrays)(const bw_program *program,
                            const bw_shared_array **found); /* may be NULL */
    bool (*run)(bw_program *program, size_t launch, const bw_sink *sink, bw_run *run,
                bw_diags *diags);
    void (*destroy)(bw_program *program);
} bw_front_end;

/* The first member of every front end's own type. */
struct bw_program {
    const bw_front_end *front;
    const bw_arch *arch;    /* whose rules price its requests */
    bool sources;           /* it has copies whose requests may say where they read */
    bw_block_sample sample; /* of a random program, by who runs it: which blocks a run takes */
};

/* First comment line ("title:" line if there is one) as a title, or NULL. */
const char *bw_program_title(const bw_program *program);
size_t bw_program_parameters(const bw_program *program, const bw_parameter **found);
size_t bw_program_expects(const bw_program *program, const bw_expect **found);
/* Whether the expectation speaks of the access, as known after a run. */
bool bw_program_expects_of(const bw_program *program, const bw_expect *expect,
                           const bw_access *access);
/* True if some value is drawn at random, so that a run is one sample. */
bool bw_program_is_random(const bw_program *program);
size_t bw_program_launches(const bw_program *program, const bw_launch **found);
/* The accesses found so far, in order of discovery (bw_request_origin.access indexes it). Stable
 * between runs of one program; the list stays readable as long as the program, while later runs may
 * give a longer one. Readers sort by line, column, reads before writes. */
size_t bw_program_accesses(const bw_program *program, const bw_access **found);
/* All instructions of machine code, with what the last run did with each; 0 of other programs. */
size_t bw_program_instructions(const bw_program *program, const bw_instruction **found);
/* The arrays in shared memory that machine code's file names, by address; 0 of other programs, and
 * of most files: nvcc keeps the names with -G alone. */
size_t bw_program_shared_arrays(const bw_program *program, const bw_shared_array **found);
/* Evaluates one launch. False if it ended with an error (in diags); requests delivered before it
 * are then void. *run is always filled. */
bool bw_program_run(bw_program *program, size_t launch, const bw_sink *sink, bw_run *run,
                    bw_diags *diags);
void bw_program_destroy(bw_program *program); /* accepts NULL */

/* The place in the source that the access shares with others: the same span and operation. */
bool bw_access_same_place(const bw_access *a, const bw_access *b);
/* What tells the access from others of its place: "called at line 104, array sb"; NULL where it is
 * the only one. In the arena. */
const char *bw_access_identity(bw_arena *arena, const bw_access *access);
/* Its source text with that: "p[r * 32] (called at line 104, array sb)". In the arena. */
const char *bw_access_text(bw_arena *arena, const bw_access *access);

#endif
