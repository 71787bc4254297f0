/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * batch: many requests priced together, the same lane of eight at a time.
 *
 * Private to the model. batch_lanes.h holds the code; batch_portable.c and batch_avx2.c compile it
 * for the machine that every build can count on and for AVX2; batch.c takes the better one that
 * runs here. The results are those of bw_cost_of to the bit, whichever it is: tests/sim/model
 * holds all three together. Pure functions; nothing is allocated.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_BATCH_H
#define BANKWISE_BATCH_H

#include "bankwise.h"

typedef size_t bw_batch_function(const bw_arch *arch, const bw_request *requests, size_t count,
                                 bw_cost *costs, bw_status *statuses);

bw_batch_function bw_batch_portable;
/* Only where __builtin_cpu_supports("avx2"). NULL-free: on other machines than x86 it is the
 * portable one under another name. */
bw_batch_function bw_batch_avx2;

#endif
