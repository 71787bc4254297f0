/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz: random requests, measured and held against the model.
 *
 * Owns the loop that makes requests (families.h) and predicts them on all cores while the meter
 * works on the batch before. A request is wrong when its cycles, rounded, are not the model's; it
 * is measured again with care before it is called a mismatch. It knows no CUDA and prints nothing.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_FUZZ_H
#define BANKWISE_FUZZ_H

#include "bankwise.h"
#include "measure.h"

/* Mismatches of one operation that are kept; all are counted. */
#define BW_FUZZ_KEPT 32

/* A result this far from a whole number is measured again even if it rounds to the model's. */
#define BW_FUZZ_DOUBT 0.35

typedef struct bw_fuzz_options {
    const bw_arch *arch;
    uint64_t count, seed;
    unsigned threads; /* 0: all cores */
    bw_timing timing; /* of the first measurement */
    bw_policy again;  /* of the second */
    /* Called after each batch with the requests done so far; may be NULL. */
    void (*progress)(void *context, uint64_t done);
    void *context;
} bw_fuzz_options;

typedef struct bw_fuzz_finding {
    bw_request request;
    bw_measured measured;
    uint32_t predicted; /* cycles */
} bw_fuzz_finding;

typedef struct bw_fuzz_report {
    bw_op op;
    uint64_t requests;   /* measured                                                      */
    uint64_t mismatches; /* measured twice, and wrong                                     */
    uint64_t again;      /* measured twice: in doubt or wrong the first time              */
    uint64_t unstable;   /* of those, how many never gave one value: neither right nor wrong */
    uint64_t merged;     /* requests whose lane pairs merged                              */
    uint64_t masked;     /* requests with an idle lane                                    */
    uint64_t cycles_sum; /* as predicted                                                  */
    uint32_t cycles_max;
    double error_max; /* largest |measured - predicted| of those that were right       */
    double seconds;
    bw_fuzz_finding kept[BW_FUZZ_KEPT];
    size_t kept_count;
} bw_fuzz_report;

/* False where the meter failed or the model refused a request that it should know. */
bool bw_fuzz(const bw_meter *meter, bw_op op, const bw_fuzz_options *options,
             bw_fuzz_report *report);

#endif
