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

typedef struct bw_define {
    const char *name;
    const char *value; /* as given: an integer, float or character constant or true/false */
} bw_define;

typedef struct bw_pattern_options {
    const bw_arch *arch; /* NULL: BW_DEFAULT_ARCH */
    const bw_define *defines;
    size_t define_count;
    uint32_t block[3], grid[3]; /* 0 in [0]: as the pattern says */
    uint64_t max_steps;         /* evaluation steps of one run; 0: the default */
    size_t max_memory;          /* bytes of evaluation state; 0: the default */
    bool join; /* deliver neighbouring accesses as nvcc joins them: see vm_join.h */
    bw_host host;
} bw_pattern_options;

/*
 * Parses and checks `source` (which must outlive the program). Always returns one; where
 * diags->errors grew it can only be destroyed. An expectation speaks of those accesses that begin
 * on its line; where none does, of those whose text spans the line; else of those of the statement
 * that does. A byte-order mark and CR LF are accepted.
 */
bw_program *bw_pattern_parse(const bw_source *source, const bw_pattern_options *options,
                             bw_diags *diags);

#endif
