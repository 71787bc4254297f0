/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * copies: random launches of asynchronous copies through L1, for the law in copylaw.h.
 *
 * A launch is a pure function of seed, number and the address of the memory that it copies from, so
 * that a recording needs to hold no more than these. Knows no card.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_COPIES_H
#define BANKWISE_COPIES_H

#include <stddef.h>

#include "copylaw.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Copies of a launch, at the most; lines of a launch, for more are evicted; bytes of shared and of
 * global memory that they lie in. */
#define BW_COPIES_MOST 24u
#define BW_COPIES_LINES 180u
#define BW_COPIES_SHARED 49152u
#define BW_COPIES_SOURCE (UINT64_C(1) << 28)
/* Beyond this many tag passes a request of hits and misses may cost one more: not the law's. */
#define BW_COPIES_MIXED_PASSES 8u

/* Cycles after which a line that was asked for counts as held; launches of pairs of copies. */
#define BW_COPIES_DELAY 2000u
#define BW_COPIES_PAIRS 80u
#define BW_COPIES_SCATTERED 300u

typedef struct bw_copies {
    size_t count;
    unsigned wavefronts; /* by the law, of all          */
    unsigned tag_passes; /* the most of any             */
    bool open;           /* one is beyond the law       */
    bw_copy copy[BW_COPIES_MOST];
} bw_copies;

/* Launch `number` of `seed`, of copies of 4, 8 or 16 bytes from memory at `source`. */
void bw_copies_make(uint64_t seed, uint64_t number, uint64_t source, bw_copies *copies);

/* Launch `number` of `seed` of two copies, the second of which asks again for some of the lines of
 * the first; `scattered`: in many tag passes. */
void bw_copies_make_pair(uint64_t seed, uint64_t number, uint64_t source, bool scattered,
                         bw_copies *copies);

/* Copy `index` of `seed` of `bytes` alone, without lanes that write zeros. */
void bw_copy_make(uint64_t seed, uint64_t index, uint32_t bytes, uint64_t source, bw_copy *copy);

#ifdef __cplusplus
}
#endif
#endif
