/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * meter: something that can measure requests.
 *
 * The interface between those who want requests measured (run, fuzz, reduce) and what measures
 * them: a card (card.h), or a pretended one in the tests. It knows no CUDA and no model.
 *
 * A meter has three slots, so that one batch is measured while the next is made, and a third can be
 * measured in between. A slot's buffer
 * belongs to the meter and stays where it is until a larger one is asked for. One thread uses a
 * meter at a time.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_METER_H
#define BANKWISE_METER_H

#include "request.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BW_METER_SLOTS 3

/* How to measure. */
typedef struct bw_timing {
    unsigned warps; /* warps of the SM that issue the request at the same time; 16 is exact      */
    unsigned loops[2]; /* turns of the 64-fold unrolled body in the short and in the long pass */
    bool latency; /* instead: one warp, each access waits for the one before it                */
} bw_timing;

/* Enough for an exact count in one go, as a fuzzer wants it: 64 against 192 issues a warp ... */
#define BW_TIMING_QUICK ((bw_timing){16, {1, 3}, false})
/* ... and with an error three times smaller, for numbers to keep. */
#define BW_TIMING_CAREFUL ((bw_timing){16, {2, 8}, false})
#define BW_TIMING_LATENCY ((bw_timing){1, {1, 3}, true})

typedef struct bw_meter {
    void *context;
    uint32_t limit; /* bytes of shared memory that requests may use */
    /* Room for `count` requests in `slot`, or NULL where there is not enough memory. */
    bw_request *(*buffer)(void *context, unsigned slot, size_t count);
    /* The most warps that `op` can be measured with. */
    unsigned (*most_warps)(void *context, bw_op op);
    /* Starts measuring the first `count` requests of the slot, all of them of operation `op`,
     * already checked against `limit`. */
    bool (*submit)(void *context, unsigned slot, bw_op op, size_t count, const bw_timing *timing);
    /* Waits, and writes cycles for each. */
    bool (*collect)(void *context, unsigned slot, double *cycles);
    /* Why the last call failed; static or context-owned text. */
    const char *(*error)(void *context);
} bw_meter;

#ifdef __cplusplus
}
#endif
#endif
