/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * held: what L1 holds of the sources of copies, along a stream of requests.
 *
 * For streams that say where copies read and not what L1 held. Each block of a launch begins with
 * nothing in L1. The caller owns the value; zero-initialise to begin.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_HELD_H
#define BANKWISE_HELD_H

#include "bankwise.h"

typedef struct bw_held {
    bool begun;
    uint64_t launch, block; /* of the request before */
    bw_copy_state state;
} bw_held;

/* Sets sources->cached of a copy of this block of this launch. To be called for each, in order. */
void bw_held_see(bw_held *held, uint64_t launch, uint64_t block, const bw_request *request,
                 bw_sources *sources);

#endif
