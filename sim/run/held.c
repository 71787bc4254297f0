/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "held.h"

void bw_held_see(bw_held *held, uint64_t launch, uint64_t block, const bw_request *request,
                 bw_sources *sources)
{
    if (!held->begun || held->launch != launch || held->block != block)
        bw_copy_start(&held->state, false);
    held->begun = true;
    held->launch = launch;
    held->block = block;
    bw_copy_touch(&held->state, request, sources);
}
