/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sink: the request stream at which everything meets. What makes requests gives them to a sink.
 *
 * Owns the types alone. Counts of blocks are for the grid, of steps for one run.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_SINK_H
#define BANKWISE_SINK_H

#include "bankwise.h"

/* Where a request comes from. */
typedef struct bw_request_origin {
    uint32_t access; /* index into bw_program_accesses */
    uint32_t warp;   /* warp of the block, from 0 */
    uint64_t block;  /* linear block index, x fastest */
} bw_request_origin;

/*
 * Receives each request in order of evaluation. `copies` is how many blocks it stands for: more
 * than 1 where the grid's blocks are alike and one was evaluated. Returning false ends the run
 * (which then counts as complete).
 */
typedef struct bw_sink {
    void *context;
    bool (*request)(void *context, const bw_request_origin *origin, const bw_request *request,
                    uint64_t copies);
} bw_sink;

typedef struct bw_run {
    uint64_t steps;            /* evaluation steps taken; of machine code, warp instructions */
    uint64_t blocks_evaluated; /* fewer than the grid's where some stood for others */
    bool scaled;               /* true: blocks of the grid were found alike, and one evaluated */
    bool sampled;              /* the budget of steps did not suffice: counts are estimates */
    /* Of machine code: */
    bool approximate;     /* a result that cards round on their own reached an address or branch */
    bool ordered;         /* the order of atomics or of races reached one */
    uint64_t unknown;     /* warp instructions whose unknown result did not matter */
    uint64_t least, most; /* requests of a block that was run */
} bw_run;

#endif
