/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reduce: a request on which meter and model disagree, made as small as it goes.
 *
 * Drops lanes, moves addresses to the start, gives lanes the same address or one in the first row
 * of the banks, and keeps whatever still disagrees when measured again. It owns nothing.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_REDUCE_H
#define BANKWISE_REDUCE_H

#include "bankwise.h"
#include "measure.h"

/* Steps after which a reduction stops where it is. */
#define BW_REDUCE_STEPS 400

typedef struct bw_reduced {
    bw_request request;
    bw_measured measured;
    uint32_t predicted; /* cycles */
    bool confirmed;     /* the starting request still disagreed when measured again */
} bw_reduced;

/* Reduces `start`. False where the meter failed. */
bool bw_reduce(const bw_meter *meter, const bw_arch *arch, const bw_request *start,
               const bw_policy *policy, bw_reduced *result);

#endif
