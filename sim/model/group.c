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

/* How many lanes each slot has. Inlined for each width, so that the shift is a constant. */
static inline __attribute__((always_inline)) void count_slots(const uint32_t *addr, uint32_t mask,
                                                              unsigned shift, uint32_t last_slot,
                                                              unsigned start, unsigned width,
                                                              uint8_t in_slot[MAX_SLOTS])
{
    if (mask == bw_span_mask(start, width)) {
        for (unsigned i = start; i < start + width; i++)
            in_slot[addr[i] >> shift & last_slot]++;
    } else {
        for (uint32_t left = mask; left; left &= left - 1)
            in_slot[addr[__builtin_ctz(left)] >> shift & last_slot]++;
    }
}

static inline bool has_two(const uint8_t in_slot[MAX_SLOTS])
{
    uint64_t bytes[MAX_SLOTS / 8];
    memcpy(bytes, in_slot, MAX_SLOTS);
    return ((bytes[0] | bytes[1] | bytes[2] | bytes[3]) & ~UINT64_C(0x0101010101010101)) != 0;
}

/* A set of at most 32 accesses, each with the number of lanes that ask for it: a hash table with
 * open addressing, twice as large as it need be. */
#define TABLE_BITS 6
typedef struct table {
    uint64_t used; /* bit i: place i is taken */
    uint32_t key[1 << TABLE_BITS];
    uint8_t count[1 << TABLE_BITS];
} table;

/* Adds one lane; returns how many lanes have asked for the same by now. */
static inline unsigned add_lane(table *t, uint32_t key)
{
    /* Fibonacci hashing (Knuth, The Art of Computer Programming, 6.4): 2^32 / the golden ratio. */
    unsigned at = key * 0x9e3779b1u >> (32 - TABLE_BITS);
    while (t->used >> at & 1 && t->key[at] != key)
        at = (at + 1) & ((1 << TABLE_BITS) - 1);
    if (!(t->used >> at & 1)) {
        t->used |= UINT64_C(1) << at;
        t->key[at] = key;
        t->count[at] = 0;
    }
    return ++t->count[at];
}

/* Of slots that several lanes ask, who asks for what. */
static bw_group count_shared(const uint32_t *addr, uint32_t mask, bw_slots slots,
                             const uint8_t in_slot[MAX_SLOTS])
{
    bw_group most = {1, 1, 1};
    uint8_t distinct[MAX_SLOTS] = {0};
    table t;
    t.used = 0; /* the rest is written before it is read */
    for (uint32_t left = mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint32_t slot = bw_slot(slots, addr[lane]), row = addr[lane] >> slots.row_shift;
        if (in_slot[slot] == 1)
            continue;
        unsigned same = add_lane(&t, row << 5 | slot);
        if (same == 1)
            most.distinct = larger(most.distinct, ++distinct[slot]);
        most.equal = larger(most.equal, same);
        most.lanes = larger(most.lanes, in_slot[slot]);
    }
    return most;
}

bw_group bw_group_count(const uint32_t addr[BW_LANES], uint32_t mask, bw_slots slots,
                        unsigned start, unsigned width)
{
    uint8_t in_slot[MAX_SLOTS] = {0};
    uint32_t last_slot = (1u << slots.bits) - 1;
    mask &= bw_span_mask(start, width);
    if (mask == 0)
        return (bw_group){0};
    switch (slots.shift) {
    case 2: count_slots(addr, mask, 2, last_slot, start, width, in_slot); break;
    case 3: count_slots(addr, mask, 3, last_slot, start, width, in_slot); break;
    default: count_slots(addr, mask, 4, last_slot, start, width, in_slot); break;
    }
    if (!has_two(in_slot))
        return (bw_group){1, 1, 1};
    return count_shared(addr, mask, slots, in_slot);
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
