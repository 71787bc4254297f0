/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "lanes.h"

#ifdef BW_HAS_AVX2
static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#endif

const bw_evaluator *bw_lanes(void)
{
#ifdef BW_HAS_AVX2
    if (has_avx2())
        return bw_lanes_avx2;
#endif
    return bw_lanes_plain;
}

const bw_lane_tools *bw_lanes_tools(void)
{
#ifdef BW_HAS_AVX2
    if (has_avx2())
        return &bw_tools_avx2;
#endif
    return &bw_tools_plain;
}
