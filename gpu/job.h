/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * job: what the host hands to a measuring kernel, and the tables in which the families of kernels
 * name theirs. For .cu files only. All pointers are device pointers.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_JOB_H
#define BANKWISE_JOB_H

#include "optable.h"

/* Shared memory that the harness keeps for itself at the end of the block's. */
#define BW_SCRATCH_BYTES 1024u

/* Warps that keep the pipe busy beside compare-and-swap loops: one for each quarter of an SM. */
#define BW_BALLAST_WARPS 4u

/* After this many issues an asynchronous copy's source starts over. */
#define BW_SOURCE_TURNS 16u

/* Two timed passes over one request: clock64() cycles, ballast already taken off. */
typedef struct bw_ticks {
    uint32_t pass[2];
} bw_ticks;

typedef struct bw_job {
    const bw_request *requests;
    bw_ticks *ticks;
    uint32_t count;
    uint32_t loops[3]; /* turns of the unrolled body: warming up, short pass, long pass */
    uint32_t workers; /* warps that issue the request                                             */
    uint32_t region;  /* bytes between the copies of the addresses of neighbouring warps, or 0    */
    uint32_t scratch; /* where the harness's own shared memory begins                             */
    uint32_t zero; /* 0, which the compiler does not know                                       */
    uint32_t one;  /* 1, likewise                                                               */
    uint32_t fill; /* what shared memory is filled with                                         */
    uint32_t ballast;       /* degree of the loads that fill the pipe beside loops       */
    const char *source;     /* global memory that asynchronous copies read                        */
    uint32_t source_stride; /* bytes between the sources of neighbouring lanes                    */
    uint32_t source_warp;   /* bytes between the sources of neighbouring warps                    */
    uint32_t source_issue;  /* bytes between the sources of issues that follow each other         */
} bw_job;

/* A family's kernels; `wait` is NULL where the operation gives nothing back. */
typedef struct bw_kernel {
    bw_op op;
    void (*time)(bw_job job);
    void (*wait)(bw_job job);
} bw_kernel;

extern const bw_kernel bw_kernels_loads[], bw_kernels_stores[], bw_kernels_matrix[],
    bw_kernels_atomics[], bw_kernels_loops[], bw_kernels_async[];
extern const unsigned bw_kernels_loads_count, bw_kernels_stores_count, bw_kernels_matrix_count,
    bw_kernels_atomics_count, bw_kernels_loops_count, bw_kernels_async_count;

#endif
