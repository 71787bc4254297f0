/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "group.h"

#include <string.h>

#define MAX_SLOTS 32

static inline uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* How many lanes each slot has. Returns false, leaving most of the work, if none has two. */
static inline bool count_slots(const uint32_t *addr, uint32_t mask, bw_slots slots, unsigned start,
                               unsigned width, uint8_t in_slot[MAX_SLOTS])
{
    if (mask == bw_span_mask(start, width)) {
        for (unsigned i = start; i < start + width; i++)
            in_slot[bw_slot(slots, addr[i])]++;
    } else {
        for (uint32_t left = mask; left; left &= left - 1)
            in_slot[bw_slot(slots, addr[__builtin_ctz(left)])]++;
    }
    uint64_t bytes[MAX_SLOTS / 8];
    memcpy(bytes, in_slot, MAX_SLOTS);
    return ((bytes[0] | bytes[1] | bytes[2] | bytes[3]) & ~UINT64_C(0x0101010101010101)) != 0;
}

/* How many lanes ask each slot for one row: a list of rows a slot, at most 32 rows in all. */
typedef struct entries {
    uint32_t row[BW_LANES];
    uint8_t count[BW_LANES], next[BW_LANES];
    uint8_t head[MAX_SLOTS], distinct[MAX_SLOTS];
} entries;

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
    most->equal = larger(most->equal, ++e->count[at - 1]);
}

bw_group bw_group_count(const uint32_t addr[BW_LANES], uint32_t mask, bw_slots slots,
                        unsigned start, unsigned width)
{
    uint8_t in_slot[MAX_SLOTS] = {0};
    mask &= bw_span_mask(start, width);
    if (mask == 0)
        return (bw_group){0};
    if (!count_slots(addr, mask, slots, start, width, in_slot))
        return (bw_group){1, 1, 1};
    bw_group most = {1, 1, 1};
    entries e;
    memset(e.head, 0, sizeof e.head);
    memset(e.distinct, 0, sizeof e.distinct);
    for (uint32_t left = mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint32_t slot = bw_slot(slots, addr[lane]);
        if (in_slot[slot] == 1)
            continue;
        most.lanes = larger(most.lanes, in_slot[slot]);
        count_lane(&e, &most, lane, slot, addr[lane] >> slots.row_shift);
    }
    return most;
}

bool bw_group_stride(const uint32_t addr[BW_LANES], uint32_t *stride)
{
    uint32_t step = addr[1] - addr[0], odd = 0;
    /* In two loops so that the compiler makes vectors of the first. */
    for (unsigned i = 0; i < BW_LANES - 4; i++)
        odd |= (addr[i + 1] - addr[i]) ^ step;
    for (unsigned i = BW_LANES - 4; i < BW_LANES - 1; i++)
        odd |= (addr[i + 1] - addr[i]) ^ step;
    *stride = step;
    return odd == 0;
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
