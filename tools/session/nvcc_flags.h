/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nvcc_flags: flags for nvcc -cubin, from a line of flags or from how a project compiles a file.
 *
 * Architectures are taken out of the flags, as a cubin is of one. Of a project's command line the
 * names of outputs go, what stops the compiler early or makes it write dependencies, the input, and
 * every program that is named: the nvcc that runs is the one on the PATH, with the host compiler
 * that it finds itself. It reads no file and runs nothing. Words are in the arena.
 */
#ifndef BANKWISE_NVCC_FLAGS_H
#define BANKWISE_NVCC_FLAGS_H

#include <stdbool.h>
#include <stddef.h>

#include "arena.h"

typedef struct bw_words {
    const char **words; /* malloc'd */
    size_t count, capacity;
} bw_words;

typedef struct bw_nvcc_flags {
    bw_words flags;
    bw_words archs; /* "sm_90a", in their order */
} bw_nvcc_flags;

void bw_nvcc_flags_finish(bw_nvcc_flags *flags);
void bw_words_add(bw_words *words, const char *word);
void bw_words_finish(bw_words *words);

/* Splits a line as the shell does, with quotes and backslashes, and nothing else of the shell. */
void bw_words_split(bw_words *words, bw_arena *arena, const char *text);

/* Adds flags as they are, but for architectures. */
void bw_nvcc_flags_add(bw_nvcc_flags *flags, bw_arena *arena, const bw_words *words);
/*
 * Adds those of a compiler's command line, the compiler itself first. `is_input` says whether a
 * word is the file that is compiled. Of compilers other than nvcc only macros, folders of headers,
 * headers, the standard and the architecture are taken.
 */
void bw_nvcc_flags_add_command(bw_nvcc_flags *flags, bw_arena *arena, const bw_words *words,
                               bool (*is_input)(void *context, const char *word), void *context);

/* The one of the architectures to compile for: that of `wanted` ("sm_90"; its "sm_90a" too), or
 * `wanted`; where it is NULL, `usual` if it is there, else the highest, else `usual`. */
const char *bw_nvcc_flags_arch(const bw_nvcc_flags *flags, const char *wanted, const char *usual);

#endif
