/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * wording: numbers and sets of them as a person would write them.
 *
 *     lanes 0-31        lanes 0, 8, 16 and 24        words 0, 32, 64, ... 992
 *
 * "a-b" stands for all numbers between; "..." continues the step of the two numbers before it; "and
 * N more" leaves N numbers out. Knows nothing of what the numbers mean. Results live in the arena.
 */
#ifndef BANKWISE_WORDING_H
#define BANKWISE_WORDING_H

#include <stdint.h>

#include "arena.h"

/* Numbers in their order, which may go up and down. `count` is 1 or more. */
const char *bw_words_sequence(bw_arena *arena, const uint32_t *values, unsigned count);
/* A set: `values` ascend, each once. `count` is 1 or more. */
const char *bw_words_set(bw_arena *arena, const uint32_t *values, unsigned count);
/* The lanes of a mask, which is not empty: "0-15"; with "lane " or "lanes " before. */
const char *bw_words_lanes(bw_arena *arena, uint32_t mask);
/* The same, or "17 lanes" where that is longer than `most` characters. */
const char *bw_words_lanes_briefly(bw_arena *arena, uint32_t mask, unsigned most);
/* The lanes without the noun; all are named. */
const char *bw_words_mask(bw_arena *arena, uint32_t mask);
/* A whole number as it is, any other with `decimals` places. */
const char *bw_words_number(bw_arena *arena, double number, int decimals);
/* "1 wavefront", "2 wavefronts": `noun` takes an s. */
const char *bw_words_count(bw_arena *arena, uint64_t count, const char *noun);

/* Threads of a block or blocks of a grid: "32", "32x8", "32x8x2". */
const char *bw_words_shape(bw_arena *arena, const uint32_t shape[3]);

#endif
