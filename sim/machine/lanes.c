/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "lanes.h"

const bw_evaluator *bw_lanes(void)
{
#ifdef BW_HAS_AVX2
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return bw_lanes_avx2;
#endif
    return bw_lanes_plain;
}
