/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The atomics that the hardware has not: floats, pairs of halves and 64-bit integers. The compiler
 * makes a loop of load, operation and compare-and-swap of each. Sums alternate in sign, so that the
 * value changes with every swap and never saturates. Minima and maxima skip the swap where nothing
 * improves; here each lane improves on the lanes below it, and each issue on the one before.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "harness.cuh"

#define LOOP_ATOM(NAME, TYPE, LETTER, PTX, VALUE, LOW)                                             \
    BW_OPERATION(NAME, false, false, true, true, false, TYPE v; const TYPE x = VALUE;              \
                 asm volatile("atom.shared." PTX " %0, [%1], %2;"                                  \
                              : "=" LETTER(v)                                                      \
                              : "r"(a), LETTER(x)                                                  \
                              : "memory");                                                         \
                 return LOW;)                                                                      \
    BW_TIME_KERNEL(NAME, bw_time_loop)                                                             \
    BW_WAIT_KERNEL(NAME)
#define LOOP_RED(NAME, TYPE, LETTER, PTX, VALUE)                                                   \
    BW_OPERATION(NAME, false, false, false, true, false, const TYPE x = VALUE;                     \
                 asm volatile("red.shared." PTX " [%0], %1;" ::"r"(a), LETTER(x)                   \
                              : "memory");                                                         \
                 return 0;)                                                                        \
    BW_TIME_KERNEL(NAME, bw_time_loop)

#define LOOP(NAME, TYPE, LETTER, PTX, VALUE, LOW)                                                  \
    LOOP_ATOM(atom_##NAME, TYPE, LETTER, PTX, VALUE, LOW)                                          \
    LOOP_RED(red_##NAME, TYPE, LETTER, PTX, VALUE)

#define WIDE(NAME, PTX, VALUE)                                                                     \
    LOOP(NAME, unsigned long long, "l", PTX, (unsigned long long)(VALUE), (unsigned)v)

/* Grows from issue to issue and from lane to lane (or is always 0, if that is what the job says).
 */
static __device__ __forceinline__ long long better(const bw_call &call, const bw_job &job)
{
    return job.one * ((long long)call.number * BW_LANES + threadIdx.x % BW_LANES + 1);
}

/* 1 and -1 in turn (or 0, if that is what the job says), and two halves of the same. */
static __device__ __forceinline__ int sign(const bw_call &call, const bw_job &job)
{
    return call.number & 1 ? -(int)job.one : (int)job.one;
}
static __device__ __forceinline__ unsigned halves(const bw_call &call, const bw_job &job)
{
    return job.one * (call.number & 1 ? 0xbc00bc00u : 0x3c003c00u);
}

LOOP(add_f32, float, "f", "add.f32", (float)sign(call, job), __float_as_uint(v))
LOOP(add_f64, double, "d", "add.f64", (double)sign(call, job), __double2loint(v))
LOOP(add_f16x2, unsigned, "r", "add.noftz.f16x2", halves(call, job), v)
WIDE(add_u64, "add.u64", job.one)
WIDE(min_u64, "min.u64", ~better(call, job)) /* the host fills the memory with ~0 */
WIDE(max_u64, "max.u64", better(call, job))
WIDE(min_s64, "min.s64", -better(call, job))
WIDE(max_s64, "max.s64", better(call, job))
WIDE(and_b64, "and.b64", job.one)
WIDE(or_b64, "or.b64", job.one)
WIDE(xor_b64, "xor.b64", job.one)

#define ROWS(TAIL, NAME)                                                                           \
    BW_TIME_AND_WAIT(BW_OP_ATOM_##TAIL, atom_##NAME), BW_TIME_ONLY(BW_OP_RED_##TAIL, red_##NAME)
const bw_kernel bw_kernels_loops[] = {
    ROWS(ADD_F32, add_f32), ROWS(ADD_F16X2, add_f16x2), ROWS(ADD_F64, add_f64),
    ROWS(ADD_U64, add_u64), ROWS(MIN_U64, min_u64),     ROWS(MAX_U64, max_u64),
    ROWS(MIN_S64, min_s64), ROWS(MAX_S64, max_s64),     ROWS(AND_B64, and_b64),
    ROWS(OR_B64, or_b64),   ROWS(XOR_B64, xor_b64),
};
BW_COUNT_KERNELS(loops)
