/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The plain stores. They write zeros, so that shared memory stays as the other kernels want it. The
 * wide ones write a zero that the compiler knows and takes from no register: data from registers
 * comes at 4 bytes a lane and cycle, which hides the wavefronts of a store with fewer of them
 * (`probe zero`; gpu/MEASURED.md).
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "harness.cuh"

#define STORE(NAME, ...)                                                                           \
    BW_OPERATION(NAME, false, false, false, false, false, const unsigned z = job.zero;             \
                 __VA_ARGS__ return z;)                                                            \
    BW_TIME_KERNEL(NAME, bw_time_pipe)

STORE(st_8, asm volatile("st.volatile.shared.u8 [%0], %1;" ::"r"(a), "r"(z) : "memory");)
STORE(st_16, asm volatile("st.volatile.shared.u16 [%0], %1;" ::"r"(a), "h"((unsigned short)z)
                          : "memory");)
STORE(st_32, asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(a), "r"(z) : "memory");)
STORE(st_64, asm volatile("st.volatile.shared.v2.u32 [%0], {0, 0};" ::"r"(a) : "memory");)
STORE(st_128, asm volatile("st.volatile.shared.v4.u32 [%0], {0, 0, 0, 0};" ::"r"(a) : "memory");)

const bw_kernel bw_kernels_stores[] = {
    BW_TIME_ONLY(BW_OP_ST_8, st_8),     BW_TIME_ONLY(BW_OP_ST_16, st_16),
    BW_TIME_ONLY(BW_OP_ST_32, st_32),   BW_TIME_ONLY(BW_OP_ST_64, st_64),
    BW_TIME_ONLY(BW_OP_ST_128, st_128),
};
BW_COUNT_KERNELS(stores)
