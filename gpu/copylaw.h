/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * copylaw: what a cp.async through L1 (.ca) costs, by its destination and its source, as found on
 * an sm_90 (gpu/MEASURED.md, "cp.async"). The reference that recordings of copies are held against;
 * it is written for reading and shares no code with the model.
 *
 * Knows no card. A bw_cache is the caller's; nothing is allocated.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_COPYLAW_H
#define BANKWISE_COPYLAW_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BW_COPY_LANES 32u

/* One request: lanes of `active` copy `bytes` (4, 8 or 16), but those of `zero` write zeros and
 * read nothing. Destinations are shared addresses, sources global ones. */
typedef struct bw_copy {
    uint32_t bytes, active, zero;
    uint32_t to[BW_COPY_LANES];
    uint64_t from[BW_COPY_LANES];
} bw_copy;

/* The lines of 128 bytes that L1 holds or has been asked for, with their sectors of 32 bytes. */
#define BW_CACHE_LINES 1024u
typedef struct bw_cache {
    uint64_t line[BW_CACHE_LINES];
    uint8_t sectors[BW_CACHE_LINES];
    unsigned count;
} bw_cache;

typedef struct bw_copy_cost {
    unsigned wavefronts;
    unsigned tag_passes;
    bool mixed; /* some lines hit and some miss, in more than one pass */
} bw_copy_cost;

/* Which of the four sets of L1's tags the line of `address` is in (bits above 35 are not known to
 * take part and do not here). */
unsigned bw_tag_set(uint64_t address);

/* The cost of one copy, after which `cache` holds its lines too. Past BW_CACHE_LINES lines the
 * cache forgets to grow. */
bw_copy_cost bw_copy_price(const bw_copy *copy, bw_cache *cache);

#ifdef __cplusplus
}
#endif
#endif
