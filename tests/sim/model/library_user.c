/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A stranger's program: uses the installed library and its header alone. C and C++.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <bankwise/bankwise.h>

#include <stdio.h>

static bool count_lanes(void *context, const bw_wavefront *wavefront)
{
    unsigned *lanes = (unsigned *)context;
    for (int lane = 0; lane < BW_LANES; lane++)
        *lanes += wavefront->lanes >> lane & 1;
    return true;
}

int main(void)
{
    bw_request request;
    bw_cost cost;
    bw_ncu ncu;
    unsigned served = 0;
    const bw_arch *arch = bw_arch_find("sm_90");
    request.op = bw_op_find("ld.32", 5);
    request.active = 0xffffffffu;
    request.sources = NULL;
    for (unsigned lane = 0; lane < BW_LANES; lane++)
        request.addr[lane] = 8 * lane;
    if (!arch || bw_cost_of(arch, &request, &cost) != BW_OK ||
        bw_ncu_of(arch, &request, &ncu) != BW_OK ||
        bw_schedule(arch, &request, count_lanes, &served) != BW_OK)
        return 1;
    printf("%s %s: %u wavefronts, %u excessive, %u conflicts, %u lanes served\n", arch->name,
           bw_basis_name(cost.basis), cost.wavefronts, cost.wavefronts - cost.ideal, ncu.conflicts,
           served);
    return cost.wavefronts == 2 && ncu.conflicts == 1 && served == 32 ? 0 : 1;
}
