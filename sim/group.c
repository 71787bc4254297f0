/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "group.h"

#define MAX_SLOTS 32

bw_slots bw_slots_of(bw_rules rules, unsigned bytes)
{
    unsigned shift = bytes <= 4 ? 2 : bytes == 8 ? 3 : 4;
    unsigned row = 7; /* 32 banks of 4 bytes */
    if (rules == BW_RULES_KEPLER4 || rules == BW_RULES_KEPLER8)
        row = 8; /* 32 banks of 8 bytes */
    unsigned bits = 7 - shift;
    if (rules == BW_RULES_KEPLER8) {
        shift = shift < 3 ? 3 : shift;
        bits = 8 - shift;
    }
    return (bw_slots){(uint8_t)shift, (uint8_t)bits, (uint8_t)row};
}

/* The common case, in one pass without a branch: true if no two lanes share a slot. */
static inline bool is_free(const uint32_t *addr, uint32_t mask, bw_slots slots, unsigned start,
                           unsigned end)
{
    uint32_t seen = 0, twice = 0;
    for (unsigned i = start; i < end; i++) {
        uint32_t bit = (mask >> i & 1) << bw_slot(slots, addr[i]);
        twice |= seen & bit;
        seen |= bit;
    }
    return twice == 0;
}

/* How many lanes ask each slot for one row: a list of rows a slot, at most 32 rows in all. */
typedef struct entries {
    uint32_t row[BW_LANES];
    uint8_t count[BW_LANES], next[BW_LANES];
    uint8_t head[MAX_SLOTS], distinct[MAX_SLOTS], lanes[MAX_SLOTS];
} entries;

static inline uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static inline void count_lane(entries *e, bw_group *most, unsigned lane, uint32_t slot,
                              uint32_t row)
{
    unsigned at = e->head[slot]; /* entry number + 1; 0 ends the list */
    while (at && e->row[at - 1] != row)
        at = e->next[at - 1];
    if (!at) {
        e->row[lane] = row;
        e->count[lane] = 0;
        e->next[lane] = e->head[slot];
        e->head[slot] = (uint8_t)(lane + 1);
        at = lane + 1;
        most->distinct = larger(most->distinct, ++e->distinct[slot]);
    }
    most->lanes = larger(most->lanes, ++e->lanes[slot]);
    most->equal = larger(most->equal, ++e->count[at - 1]);
}

bw_group bw_group_count(const uint32_t addr[BW_LANES], uint32_t mask, bw_slots slots,
                        unsigned start, unsigned width)
{
    mask &= bw_span_mask(start, width);
    if (mask == 0)
        return (bw_group){0};
    if (is_free(addr, mask, slots, start, start + width))
        return (bw_group){1, 1, 1};
    bw_group most = {0};
    entries e;
    for (unsigned i = 0; i < MAX_SLOTS; i++)
        e.head[i] = e.distinct[i] = e.lanes[i] = 0;
    for (uint32_t left = mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        count_lane(&e, &most, lane, bw_slot(slots, addr[lane]), addr[lane] >> slots.row_shift);
    }
    return most;
}

uint32_t bw_group_first(const uint32_t addr[BW_LANES], uint32_t mask, bw_slots slots)
{
    uint32_t seen = 0, first = 0;
    for (uint32_t left = mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint32_t bit = 1u << bw_slot(slots, addr[lane]);
        if (!(seen & bit))
            first |= 1u << lane;
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
