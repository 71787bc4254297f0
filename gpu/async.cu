/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cp.async: global memory to shared memory without a register on the way. The request is the
 * shared side; where the data comes from is the job's.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "harness.cuh"

/* Below sm_80 there is no cp.async: the host does not launch these there (optable's least_cc). */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define IF_ASYNC(...) __VA_ARGS__
#else
#define IF_ASYNC(...) asm volatile("trap;");
#endif

/* Where this lane's data comes from. */
[[maybe_unused]] static __device__ __forceinline__ const char *bw_source(const bw_call &call,
                                                                         const bw_job &job)
{
    return job.source + threadIdx.x % BW_LANES * (size_t)job.source_stride +
           threadIdx.x / BW_LANES * (size_t)job.source_warp +
           call.number % BW_SOURCE_TURNS * (size_t)job.source_issue;
}

#define ASYNC(NAME, PTX, BYTES)                                                                    \
    BW_OPERATION(                                                                                  \
        NAME, false, false, false, false, true, (void)a;                                           \
        IF_ASYNC(asm volatile("cp.async." PTX ".shared.global [%0], [%1], " BYTES ";" ::"r"(a),    \
                              "l"(bw_source(call, job))                                            \
                              : "memory");) return 0;)                                             \
    BW_TIME_KERNEL(NAME, bw_time_pipe)                                                             \
    BW_WAIT_KERNEL(NAME)

ASYNC(cp_async_4, "ca", "4")
ASYNC(cp_async_8, "ca", "8")
ASYNC(cp_async_16_ca, "ca", "16")
ASYNC(cp_async_16, "cg", "16")

const bw_kernel bw_kernels_async[] = {
    BW_TIME_AND_WAIT(BW_OP_CP_ASYNC_4, cp_async_4),
    BW_TIME_AND_WAIT(BW_OP_CP_ASYNC_8, cp_async_8),
    BW_TIME_AND_WAIT(BW_OP_CP_ASYNC_16_CA, cp_async_16_ca),
    BW_TIME_AND_WAIT(BW_OP_CP_ASYNC_16, cp_async_16),
};
BW_COUNT_KERNELS(async)
