/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * copy: how asynchronous copies through L1 are served, where their sources are known.
 *
 * Private to the model. The law was found on sm_90 by its recordings (tests/recorded/sm_90-h200,
 * async-*): lanes are taken by tag passes, those whose line is in L1 by themselves, and within such
 * a group a lane waits for its destination's banks and for its source's. Pure functions; nothing is
 * allocated.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_COPY_H
#define BANKWISE_COPY_H

#include "bankwise.h"

/* Lanes that are served without others between, in the order of service. */
typedef struct bw_copy_group {
    uint32_t lanes;
    bw_service service;
} bw_copy_group;

/* Every lane may be a group of its own, those in L1 and those of size 0 are two more. */
#define BW_COPY_GROUPS (BW_LANES + 2)

/* Whether the request is one that the law is for: a copy through L1 whose sources are known. */
bool bw_copy_is_known(const bw_op_info *info, const bw_request *request);

/* BW_OK if the sources of a copy are possible: aligned, and no larger than the operation. */
bw_status bw_copy_status(const bw_op_info *info, const bw_request *request);

/*
 * The groups of a request that bw_copy_is_known; returns how many have lanes. `passes` gets the
 * number of tag passes. `place` is added to addresses that are not placed.
 */
unsigned bw_copy_groups(const bw_request *request, uint32_t lanes, unsigned place,
                        bw_copy_group groups[BW_COPY_GROUPS], unsigned *passes);

/*
 * When each lane of a phase of a group is served: turn[lane] counts from 0. Returns the number of
 * turns. `words`: lanes wait for equal words only, as if each word had banks of its own.
 */
unsigned bw_copy_turns(const bw_request *request, unsigned bytes, const bw_copy_group *group,
                       uint32_t phase, bool words, uint8_t turn[BW_LANES]);

/* Prices a request that bw_copy_is_known. */
void bw_cost_copy(const bw_op_info *info, const bw_request *request, bw_cost *cost);

#endif
