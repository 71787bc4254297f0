/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * probe: experiments that answer one question each. For gpu/MEASURED.md, not for every day.
 *
 * They write CSV to a file of the caller's and return false where the card failed (bw_card_why).
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_PROBE_H
#define BANKWISE_PROBE_H

#include <stdio.h>

#include "card.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which lane's value is left when lanes of one store write the same bytes: `count` random requests
 * of each plain store, each run 32 times. */
bool bw_probe_winner(bw_card *card, FILE *out, uint64_t count);

/* Loads of the other block's shared memory in a cluster of two, by stride, against one's own. */
bool bw_probe_cluster(bw_card *card, FILE *out);

/* cp.async by the layout of its destination and of its source, and by the number of warps. */
bool bw_probe_async(bw_card *card, FILE *out);

/* Every operation with 1, 2, 4 … 32 rows of one bank: latency, and cycles by the number of warps.
 */
bool bw_probe_ways(bw_card *card, FILE *out);

/* 8- and 16-byte stores of registers and of a constant zero, by the number of active lanes. */
bool bw_probe_zero(bw_card *card, FILE *out);

/* One kernel with conflict-free shared loads, with and without warps that stream global memory: for
 * a profiler to look at, and by the clock. */
bool bw_probe_stream(bw_card *card, FILE *out);

/* Up to `batch` requests of one operation in a launch of one warp, with 16 issues of each, and
 * again with 48: for a profiler. Loops add, or combine with, `operand`, or offer it times something
 * better: 0 leaves memory as it is. The requests must have been checked. */
bool bw_probe_counters(bw_card *card, FILE *out, const bw_request *requests, size_t count,
                       size_t batch, unsigned operand);

/* At least `count` random asynchronous copies through L1, some in a launch, with what the law says
 * of each launch: for a profiler. */
bool bw_probe_copies(bw_card *card, FILE *out, uint64_t seed, uint64_t count);

/* Copies for what their law leaves open, `count` of hits, misses and zeros in one request, others
 * by what L1 keeps and by bits of addresses: likewise. */
bool bw_probe_corners(bw_card *card, FILE *out, uint64_t seed, uint64_t count);

/* Tensor copies by swizzle mode, a launch each, for a profiler; and loads beside bulk copies, by
 * the clock. */
bool bw_probe_bulk(bw_card *card, FILE *out);

/* At least `count` wgmma instructions of 250 kinds with operands at random places: cycles, and what
 * the law says of them. */
bool bw_probe_wgmma(bw_card *card, FILE *out, uint64_t seed, uint64_t count);

/* `count` random requests each of wide loads and of 16-byte copies past L1, an instruction each,
 * with what a profiler's Source page will say of them: for a profiler. */
bool bw_probe_pages(bw_card *card, FILE *out, uint64_t seed, uint64_t count);

/* Loads, stores and atomics on the other block of a cluster: `count` random requests of each. */
bool bw_probe_far_random(bw_card *card, FILE *out, uint64_t seed, uint64_t count);

/* Atomics of 1 to 32 warps on 1 to 32 places: a launch each, by the clock and for a profiler. */
bool bw_probe_meetings(bw_card *card, FILE *out);

/* Bulk copies, mbarriers, and instructions on the other block: a launch each, for a profiler. */
bool bw_probe_units(bw_card *card, FILE *out);

/* Loads of 1 to 32 ways beside more and more additions: when does time follow the loads? */
bool bw_probe_share_of_time(bw_card *card, FILE *out);

/* Why the last experiment failed. */
const char *bw_card_why(const bw_card *card);

#ifdef __cplusplus
}
#endif
#endif
