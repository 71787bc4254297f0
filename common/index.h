/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * index: finds rows of a list by what they are, whatever that is.
 *
 * Owns numbers of rows by hash, in an arena; the list, and whether a row is the one that is sought,
 * are its user's. Rows are never removed. Not thread-safe.
 *
 *     size_t at = 0;
 *     for (uint32_t row; (row = bw_index_next(&index, hash, &at)) != BW_NO_ROW;)
 *         if (list[row] is it)
 *             return row;
 *     bw_index_add(arena, &index, hash, new_row);
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_INDEX_H
#define BANKWISE_INDEX_H

#include <stdint.h>

#include "arena.h"

#define BW_NO_ROW UINT32_MAX

typedef struct bw_index_slot {
    uint32_t hash, row; /* row + 1; 0: free */
} bw_index_slot;

/* Zero-initialise to begin. */
typedef struct bw_index {
    bw_index_slot *slots;
    size_t capacity, count; /* capacity: 0 or a power of two */
} bw_index;

/* Of text[0..len). */
uint32_t bw_hash_text(const char *text, size_t len);
/* A further number into a hash. */
uint32_t bw_hash_number(uint32_t hash, uint64_t number);

/* The next row with this hash, in the order in which they were added; *at begins with 0. */
uint32_t bw_index_next(const bw_index *index, uint32_t hash, size_t *at);
void bw_index_add(bw_arena *arena, bw_index *index, uint32_t hash, uint32_t row);

#endif
