/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "group.h"

#define MAX_SLOTS 32

static inline uint32_t slot_of(uint32_t addr, unsigned shift)
{
    return addr >> shift & ((1u << (BW_ROW_SHIFT - shift)) - 1);
}

/* The common case, in one pass without a branch: true if no two lanes share a slot. */
static inline bool is_free(const uint32_t *addr, uint32_t mask, unsigned shift)
{
    uint32_t seen = 0, twice = 0;
    for (unsigned i = 0; i < BW_LANES; i++) {
        uint32_t bit = (mask >> i & 1) << slot_of(addr[i], shift);
        twice |= seen & bit;
        seen |= bit;
    }
    return twice == 0;
}

/* How many lanes ask each slot for one row, kept as a list a slot: at most 32 entries in all. */
typedef struct entries {
    uint32_t row[BW_LANES];
    uint8_t count[BW_LANES], next[BW_LANES];
    uint8_t head[MAX_SLOTS], distinct[MAX_SLOTS], lanes[MAX_SLOTS];
} entries;

static inline uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

bw_group bw_group_count(const uint32_t addr[BW_LANES], uint32_t mask, unsigned slot_shift)
{
    if (mask == 0)
        return (bw_group){0};
    if (is_free(addr, mask, slot_shift))
        return (bw_group){1, 1, 1};
    bw_group most = {0};
    entries e = {0};
    for (unsigned i = 0; i < BW_LANES; i++) {
        if (!(mask >> i & 1))
            continue;
        uint32_t slot = slot_of(addr[i], slot_shift), row = addr[i] >> BW_ROW_SHIFT;
        unsigned at = e.head[slot]; /* entry number + 1; 0 ends the list */
        while (at && e.row[at - 1] != row)
            at = e.next[at - 1];
        if (!at) {
            e.row[i] = row;
            e.next[i] = e.head[slot];
            e.head[slot] = (uint8_t)(i + 1);
            at = i + 1;
            most.distinct = larger(most.distinct, ++e.distinct[slot]);
        }
        most.lanes = larger(most.lanes, ++e.lanes[slot]);
        most.equal = larger(most.equal, ++e.count[at - 1]);
    }
    return most;
}

uint32_t bw_group_first(const uint32_t addr[BW_LANES], uint32_t mask, unsigned slot_shift)
{
    uint32_t seen = 0, first = 0;
    for (unsigned i = 0; i < BW_LANES; i++) {
        uint32_t bit = (mask >> i & 1) << slot_of(addr[i], slot_shift);
        first |= (uint32_t)(bit && !(seen & bit)) << i;
        seen |= bit;
    }
    return first;
}

bool bw_group_pairs(const uint32_t addr[BW_LANES], uint32_t mask, unsigned distance)
{
    for (unsigned i = 0; i < BW_LANES; i++) {
        unsigned j = i ^ distance;
        if (mask >> i & mask >> j & 1 && addr[i] != addr[j])
            return false;
    }
    return true;
}
