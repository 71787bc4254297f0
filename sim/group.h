/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * group: what the lanes that the hardware serves together ask of the banks.
 *
 * Private to the model. An aligned access of 4, 8 or 16 bytes covers as many whole banks, so a
 * group is counted in *slots*: the 128 bytes of a row of the 32 banks are 32, 16 or 8 slots, and
 * two accesses collide exactly if they have one slot and different rows. A 1- or 2-byte access
 * asks for the whole 4-byte word around it.
 *
 *     byte address   31 …… 7 | 6 …… 2 | 1 0
 *                      row   |  slot  |        4 bytes: shift 2; 8: shift 3; 16: shift 4
 *
 * Pure functions; nothing is allocated.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_GROUP_H
#define BANKWISE_GROUP_H

#include "request.h"

#define BW_ROW_SHIFT 7 /* 32 banks of 4 bytes */

/* All three are 0 for a group without lanes. */
typedef struct bw_group {
    uint32_t distinct; /* the largest number of different words that one bank is asked for */
    uint32_t lanes;    /* the largest number of lanes that ask one bank, equal words included */
    uint32_t equal;    /* the largest number of lanes that ask one bank for one word */
} bw_group;

/* log2 of the bytes of a slot for accesses of `bytes`: 2, 3 or 4. */
static inline unsigned bw_slot_shift(unsigned bytes)
{
    return bytes <= 4 ? 2 : bytes == 8 ? 3 : 4;
}

/* Counts the lanes of `mask`. */
bw_group bw_group_count(const uint32_t addr[BW_LANES], uint32_t mask, unsigned slot_shift);

/* The lanes of `mask` of which no lower lane of `mask` has the same slot. */
uint32_t bw_group_first(const uint32_t addr[BW_LANES], uint32_t mask, unsigned slot_shift);

/* Whether the lanes of `mask` pair up: for each of them, the lane number xor `distance` is not in
 * `mask` or has the same address. */
bool bw_group_pairs(const uint32_t addr[BW_LANES], uint32_t mask, unsigned distance);

#endif
