/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pattern: the language of pattern files; a source text becomes a stream of requests.
 *
 * Owns parsing, checking and evaluating. It knows no file, no terminal, no GSL and no CUDA: what
 * it needs of the outside (random numbers, table files) comes through bw_host. Evaluation
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

#include "program.h"

typedef struct bw_pattern_options {
    const bw_arch *arch; /* NULL: BW_DEFAULT_ARCH */
    const bw_define *defines;
    size_t define_count;
    uint32_t block[3], grid[3]; /* 0 in [0]: as the pattern says */
    bool has_shared;            /* dynamic shared memory is given too */
    uint32_t shared;
    const char *kernel;            /* only kernels of this name or part of it; NULL: all */
    const unsigned *launch_orders; /* see the source, below */
    const bw_argument *arguments;  /* --arg */
    size_t argument_count;
    uint64_t max_steps; /* evaluation steps of one run; 0: the default */
    size_t max_memory;  /* bytes of evaluation state; 0: the default */
    bool join;          /* deliver neighbouring accesses as nvcc joins them: see vm_join.h */
    bw_host host;
} bw_pattern_options;

/*
 * Parses and checks `source` (which must outlive the program). The texts that it goes on in
 * (bw_source.more) are launches, of the order among options that options->launch_orders gives; with
 * one, the file's own launches are passed over. Always returns a program; where
 * diags->errors grew it can only be destroyed. An expectation speaks of those accesses that begin
 * on its line; where none does, of those whose text spans the line; else of those of the statement
 * that does. A byte-order mark and CR LF are accepted.
 */
bw_program *bw_pattern_parse(const bw_source *source, const bw_pattern_options *options,
                             bw_diags *diags);

/* ---- for who rewrites the source; the types are in uses.h ---- */

typedef struct bw_array bw_array;
typedef struct bw_pointer_use bw_pointer_use;
/* The shared arrays that a launch places, in order of their place. `launch` counts as in
 * bw_program_launches. */
size_t bw_pattern_arrays(bw_program *program, size_t launch, const bw_array **arrays);
/* The indices through pointers in the code that a launch runs, in the order of the source. */
size_t bw_pattern_pointer_uses(bw_program *program, size_t launch, const bw_pointer_use **uses);

#endif
