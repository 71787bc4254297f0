/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * group: what the lanes that the hardware serves together ask of the banks.
 *
 * Private to the model. An aligned access of 4, 8 or 16 bytes covers whole banks, so a group is
 * counted in *slots*: a row of all banks is so many slots of the access's width, and two accesses
 * collide exactly if they have one slot and different rows. A 1- or 2-byte access asks for the
 * whole word (on Kepler in 8-byte mode: bank row) around it.
 *
 *     byte address of a 4-byte access         31 …… 7 | 6 …… 2 | 1 0
 *     32 banks of 4 bytes                       row   |  slot  |
 *
 *     of an 8-byte access, the same banks     31 …… 7 | 6 … 3 | 2 1 0
 *                                               row   | slot  |
 *
 *     Kepler, 4-byte mode: a row has two      31 …… 8 | 7 | 6 …… 2 | 1 0
 *     words a bank, 128 bytes apart             row   |   |  slot  |
 *
 * Pure functions; nothing is allocated.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_GROUP_H
#define BANKWISE_GROUP_H

#include "bankwise.h"

/* Where an address has its slot and its row. */
typedef struct bw_slots {
    uint8_t shift;     /* lowest bit of the slot */
    uint8_t bits;      /* of the slot: at most 5 */
    uint8_t row_shift; /* lowest bit of the row */
} bw_slots;

/* All three are 0 for a group without lanes. */
typedef struct bw_group {
    uint32_t distinct; /* the largest number of different words that one bank is asked for */
    uint32_t lanes;    /* the largest number of lanes that ask one bank, equal words included */
    uint32_t equal;    /* the largest number of lanes that ask one bank for one word */
} bw_group;

/* 0, 1, 2: an access of up to 4 bytes, of 8, of 16. */
static inline unsigned bw_width_class(unsigned bytes)
{
    return bytes <= 4 ? 0 : bytes / 8;
}

/* The slots of an access of `bytes` (1 to 16) under the rules; not for BW_RULES_CC1. */
static inline bw_slots bw_slots_of(bw_rules rules, unsigned bytes)
{
    static const bw_slots of[][3] = {
        [BW_RULES_FERMI] = {{2, 5, 7}, {3, 4, 7}, {4, 3, 7}},
        [BW_RULES_KEPLER4] = {{2, 5, 8}, {3, 4, 8}, {4, 3, 8}},
        [BW_RULES_KEPLER8] = {{3, 5, 8}, {3, 5, 8}, {4, 4, 8}},
        [BW_RULES_MODERN] = {{2, 5, 7}, {3, 4, 7}, {4, 3, 7}},
    };
    _Static_assert(sizeof of / sizeof *of == BW_RULES_MODERN + 1, "slots under each rules");
    return of[rules][bw_width_class(bytes)];
}

static inline uint32_t bw_slot(bw_slots slots, uint32_t addr)
{
    return addr >> slots.shift & ((1u << slots.bits) - 1);
}

/* The lanes start … start + width - 1. */
static inline uint32_t bw_span_mask(unsigned start, unsigned width)
{
    return (width == 32 ? UINT32_MAX : (1u << width) - 1) << start;
}

/* Counts the lanes of `mask` among start … start + width - 1. */
bw_group bw_group_count(const uint32_t addr[BW_LANES], uint32_t mask, bw_slots slots,
                        unsigned start, unsigned width);

/* Whether all lanes lie at one distance, modulo 2^32: addr[i] = addr[0] + i * *stride. */
bool bw_group_stride(const uint32_t addr[BW_LANES], uint32_t *stride);

/* The lanes of `mask` of which no lower lane of `mask` has the same slot. */
uint32_t bw_group_first(const uint32_t addr[BW_LANES], uint32_t mask, bw_slots slots);

/* Whether the lanes of `mask` pair up: for each of them, the lane number xor `distance` is not in
 * `mask` or has the same address. */
bool bw_group_pairs(const uint32_t addr[BW_LANES], uint32_t mask, unsigned distance);

#endif
