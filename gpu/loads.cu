/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The plain loads. `volatile` keeps ptxas from dropping loads whose result nobody reads; the
 * machine instruction is the same.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "harness.cuh"

#define LOAD(NAME, ...)                                                                            \
    BW_OPERATION(NAME, false, false, false, false, false, __VA_ARGS__)                             \
    BW_TIME_KERNEL(NAME, bw_time_pipe)                                                             \
    BW_WAIT_KERNEL(NAME)

LOAD(ld_8, unsigned v; asm volatile("ld.volatile.shared.u8 %0, [%1];"
                                    : "=r"(v)
                                    : "r"(a));
     return v;)
LOAD(ld_16, unsigned short v; asm volatile("ld.volatile.shared.u16 %0, [%1];"
                                           : "=h"(v)
                                           : "r"(a));
     return v;)
LOAD(ld_32, unsigned v; asm volatile("ld.volatile.shared.u32 %0, [%1];"
                                     : "=r"(v)
                                     : "r"(a));
     return v;)
LOAD(ld_64, uint2 v; asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];"
                                  : "=r"(v.x), "=r"(v.y)
                                  : "r"(a));
     return v.x;)
LOAD(ld_128, uint4 v; asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                                   : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                                   : "r"(a));
     return v.x;)

const bw_kernel bw_kernels_loads[] = {
    BW_TIME_AND_WAIT(BW_OP_LD_8, ld_8),     BW_TIME_AND_WAIT(BW_OP_LD_16, ld_16),
    BW_TIME_AND_WAIT(BW_OP_LD_32, ld_32),   BW_TIME_AND_WAIT(BW_OP_LD_64, ld_64),
    BW_TIME_AND_WAIT(BW_OP_LD_128, ld_128),
};
BW_COUNT_KERNELS(loads)
