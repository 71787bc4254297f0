/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * corners: launches of asynchronous copies made for what the law of copylaw.h leaves open: hits,
 * misses and lanes that write zeros in one request; lines that L1 has let go; address bits.
 *
 * Like copies.h, each launch is a pure function of its arguments. Knows no card.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_CORNERS_H
#define BANKWISE_CORNERS_H

#include "copies.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Two copies. The second reads some lanes from sectors that the first read, some from lines that
 * nobody did, and some of its lanes write zeros; in many tag passes where number is odd. */
void bw_corner_mixed(uint64_t seed, uint64_t number, uint64_t source, bw_copies *copies);

/* The lowest and the highest bit of an address that bw_corner_bit is for. */
#define BW_CORNER_FIRST_BIT 8u
#define BW_CORNER_LAST_BIT 35u
/* Bytes of memory that bw_corner_bit reads from. */
#define BW_CORNER_SOURCE (UINT64_C(1) << 36)

/* One copy by two lanes from lines that differ in `bit`, and in bits known to change the set by
 * `change` (0 to 3): 2 wavefronts if they are of one set, else 1. `number` chooses the first line.
 * False if such lines would lie outside the memory. */
bool bw_corner_bit(unsigned bit, unsigned change, uint64_t number, uint64_t source,
                   bw_copies *copies);

/* Copies of 32 lines each, `copies->count - 1` of them, and then the first once more, which costs 1
 * wavefront if L1 still holds all its lines. `filled` is from 1 to BW_COPIES_MOST - 1. */
void bw_corner_evicted(unsigned filled, uint64_t source, bw_copies *copies);

#ifdef __cplusplus
}
#endif
#endif
