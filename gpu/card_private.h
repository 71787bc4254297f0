/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What card.cu and probe.cu share. For .cu files only.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_CARD_PRIVATE_H
#define BANKWISE_CARD_PRIVATE_H

#include <cuda_runtime.h>

#include "card.h"
#include "job.h"

typedef struct bw_slot {
    cudaStream_t stream;
    bw_request *requests, *device_requests;
    bw_ticks *ticks, *device_ticks;
    size_t capacity;
    size_t count;  /* of the batch in flight */
    double issues; /* by which the difference of its two passes is divided */
} bw_slot;

/* Where asynchronous copies read: bytes from one lane's source, one warp's, one issue's, to the
 * next. Unless `set`, neighbouring lanes read neighbouring chunks, and all warps the same. */
typedef struct bw_source_steps {
    bool set;
    uint32_t lane, warp, issue;
} bw_source_steps;

struct bw_card {
    bw_card_facts facts;
    bw_slot slots[BW_METER_SLOTS];
    const bw_kernel *kernels[BW_OP_COUNT];
    char *source_memory;     /* what asynchronous copies read */
    bw_source_steps sources; /* and where in it                 */
    char error[512];
};

/* What shared memory is filled with before `op` runs. */
uint32_t bw_job_fill(bw_op op);
/* True if `code` is success; otherwise the error is kept, with what was being done. */
bool bw_card_ok(bw_card *card, cudaError_t code, const char *doing);

#endif
