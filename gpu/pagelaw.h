/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pagelaw: what Nsight Compute's Source page says of requests for which it is not the card's own
 * count: memory_l1_wavefronts_shared of wide loads and of 16-byte copies past L1. Found from its
 * output (gpu/MEASURED.md); written for reading, apart from the model.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_PAGELAW_H
#define BANKWISE_PAGELAW_H

#include "copylaw.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bw_page_cost {
    unsigned wavefronts; /* memory_l1_wavefronts_shared       */
    unsigned ideal;      /* memory_l1_wavefronts_shared_ideal */
} bw_page_cost;

/* Loads of 8 or 16 bytes by the lanes of `active`, at byte addresses. */
bw_page_cost bw_page_load(unsigned bytes, uint32_t active, const uint32_t address[32]);
/* A copy of 16 bytes past L1 (cp.async.cg). */
bw_page_cost bw_page_bypass(const bw_copy *copy);

#ifdef __cplusplus
}
#endif
#endif
