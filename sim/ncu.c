/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "bankwise.h"

/* sass_* are not derived yet: they are the hardware's counts, and say so by sass_exact. */
bw_status bw_ncu_of(const bw_arch *arch, const bw_request *request, bw_ncu *ncu)
{
    bw_cost cost;
    *ncu = (bw_ncu){0};
    bw_status status = bw_cost_of(arch, request, &cost);
    if (status != BW_OK)
        return status;
    *ncu = (bw_ncu){.wavefronts = cost.wavefronts,
                    .conflicts = cost.wavefronts - cost.rounds * cost.ideal,
                    .sass_wavefronts = cost.wavefronts,
                    .sass_ideal = cost.ideal};
    return BW_OK;
}
