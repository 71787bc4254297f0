/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * request: what a warp asks of shared memory, as one value.
 *
 * Owns the type bw_request, the one thing that every front end (pattern files, recordings, traces)
 * produces and every consumer (model, GPU, solver) takes; what it can ask is operations.h's. It
 * knows no cost: what an operation costs is sim/'s business. Everything here is plain data without
 * allocation, safe from any thread.
 *
 * Units: addresses are bytes from the start of the block's shared memory; lanes are numbered 0..31.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_REQUEST_H
#define BANKWISE_REQUEST_H

#include "operations.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Lanes of a warp: 32 on every NVIDIA card so far (CUDA C++ Programming Guide, "SIMT
 * Architecture"). */
#define BW_LANES 32

/*
 * Where a copy's lanes read in global memory, as far as it is known. Addresses are the card's, or,
 * where the place of an array is not known (`placed` is false), count from its beginning: then bits
 * 40 and up tell arrays apart, and the array begins at a multiple of 256, as cudaMalloc aligns.
 */
typedef struct bw_sources {
    uint64_t addr[BW_LANES];
    uint8_t bytes[BW_LANES]; /* how many bytes the lane reads; the rest of its bytes become zero */
    uint32_t cached;         /* lanes whose line is in L1 as far as they want it */
    bool placed;
} bw_sources;

/*
 * One warp-level instruction. A lane's address counts only where its bit in `active` is set (for
 * matrix operations: only lanes below 8 * matrices, and the instruction wants all 32 active). An
 * address must be a multiple of the operation's bytes.
 */
typedef struct bw_request {
    bw_op op;
    uint32_t active; /* bit i: lane i takes part */
    uint32_t addr[BW_LANES];
    union {                        /* what some operations have besides: `op` says which */
        const bw_sources *sources; /* of copies; NULL: not known. The maker's */
        uint32_t columns;          /* of wgmma: N, 8 to 256 in steps of 8 */
        uint32_t registers;        /* of stores: 1 where it is known that registers are stored */
    };
} bw_request;

/* The lanes whose addresses the operation reads: `active`, cut to 8 * matrices for matrix ones. */
uint32_t bw_request_lanes(const bw_request *request);

/*
 * The first lane that makes the request impossible (misaligned, or reaching past `limit` bytes of
 * shared memory; limit 0 checks alignment only), or -1 where all is well.
 */
int bw_request_bad_lane(const bw_request *request, uint32_t limit);

#ifdef __cplusplus
}
#endif
#endif
