/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The atomics that the hardware has. Operands come from the job, so that the compiler cannot turn
 * an addition into the counting instruction; they leave shared memory at zero.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "harness.cuh"

/* An atomic whose result is used. */
#define ATOM(NAME, ...)                                                                            \
    BW_OPERATION(NAME, false, false, true, false, false, const unsigned z = job.zero; __VA_ARGS__) \
    BW_TIME_KERNEL(NAME, bw_time_pipe)                                                             \
    BW_WAIT_KERNEL(NAME)
#define ATOM_32(NAME, PTX)                                                                         \
    ATOM(NAME, unsigned v; asm volatile("atom.shared." PTX " %0, [%1], %2;"                        \
                                        : "=r"(v)                                                  \
                                        : "r"(a), "r"(z)                                           \
                                        : "memory");                                               \
         return v;)

ATOM_32(atom_add_u32, "add.u32")
ATOM_32(atom_min_u32, "min.u32")
ATOM_32(atom_max_u32, "max.u32")
ATOM_32(atom_min_s32, "min.s32")
ATOM_32(atom_max_s32, "max.s32")
ATOM_32(atom_and_b32, "and.b32")
ATOM_32(atom_or_b32, "or.b32")
ATOM_32(atom_xor_b32, "xor.b32")
ATOM_32(atom_inc_u32, "inc.u32")
ATOM_32(atom_dec_u32, "dec.u32")
ATOM_32(atom_exch_b32, "exch.b32")
ATOM(atom_cas_b32, unsigned v; asm volatile("atom.shared.cas.b32 %0, [%1], %2, %2;"
                                            : "=r"(v)
                                            : "r"(a), "r"(z)
                                            : "memory");
     return v;)
ATOM(atom_exch_b64, unsigned long long v; asm volatile("atom.shared.exch.b64 %0, [%1], %2;"
                                                       : "=l"(v)
                                                       : "r"(a), "l"((unsigned long long)z)
                                                       : "memory");
     return (unsigned)v;)
ATOM(atom_cas_b64, unsigned long long v; asm volatile("atom.shared.cas.b64 %0, [%1], %2, %2;"
                                                      : "=l"(v)
                                                      : "r"(a), "l"((unsigned long long)z)
                                                      : "memory");
     return (unsigned)v;)

/* The same thrown away. What does nothing the second time must not look like a second time. */
#define RED(NAME, PTX, VALUE, OPAQUE)                                                              \
    BW_OPERATION(NAME, false, OPAQUE, false, false, false,                                         \
                 asm volatile("red.shared." PTX " [%0], %1;" ::"r"(a), VALUE                       \
                              : "memory");                                                         \
                 return 0;)                                                                        \
    BW_TIME_KERNEL(NAME, bw_time_pipe)

RED(red_add_u32, "add.u32", "r"(job.zero), false)
RED(red_min_u32, "min.u32", "r"(job.zero), true)
RED(red_max_u32, "max.u32", "r"(job.zero), true)
RED(red_min_s32, "min.s32", "r"(job.zero), true)
RED(red_max_s32, "max.s32", "r"(job.zero), true)
RED(red_and_b32, "and.b32", "r"(job.zero), true)
RED(red_or_b32, "or.b32", "r"(job.zero), true)
RED(red_xor_b32, "xor.b32", "r"(job.zero), false)
/* A constant 1 with no use of the result becomes the counting instruction. */
RED(red_inc_u32, "add.u32", "n"(1), false)

const bw_kernel bw_kernels_atomics[] = {
    BW_TIME_AND_WAIT(BW_OP_ATOM_ADD_U32, atom_add_u32),
    BW_TIME_AND_WAIT(BW_OP_ATOM_MIN_U32, atom_min_u32),
    BW_TIME_AND_WAIT(BW_OP_ATOM_MAX_U32, atom_max_u32),
    BW_TIME_AND_WAIT(BW_OP_ATOM_MIN_S32, atom_min_s32),
    BW_TIME_AND_WAIT(BW_OP_ATOM_MAX_S32, atom_max_s32),
    BW_TIME_AND_WAIT(BW_OP_ATOM_AND_B32, atom_and_b32),
    BW_TIME_AND_WAIT(BW_OP_ATOM_OR_B32, atom_or_b32),
    BW_TIME_AND_WAIT(BW_OP_ATOM_XOR_B32, atom_xor_b32),
    BW_TIME_AND_WAIT(BW_OP_ATOM_INC_U32, atom_inc_u32),
    BW_TIME_AND_WAIT(BW_OP_ATOM_DEC_U32, atom_dec_u32),
    BW_TIME_AND_WAIT(BW_OP_ATOM_EXCH_B32, atom_exch_b32),
    BW_TIME_AND_WAIT(BW_OP_ATOM_CAS_B32, atom_cas_b32),
    BW_TIME_AND_WAIT(BW_OP_ATOM_EXCH_B64, atom_exch_b64),
    BW_TIME_AND_WAIT(BW_OP_ATOM_CAS_B64, atom_cas_b64),
    BW_TIME_ONLY(BW_OP_RED_ADD_U32, red_add_u32),
    BW_TIME_ONLY(BW_OP_RED_MIN_U32, red_min_u32),
    BW_TIME_ONLY(BW_OP_RED_MAX_U32, red_max_u32),
    BW_TIME_ONLY(BW_OP_RED_MIN_S32, red_min_s32),
    BW_TIME_ONLY(BW_OP_RED_MAX_S32, red_max_s32),
    BW_TIME_ONLY(BW_OP_RED_AND_B32, red_and_b32),
    BW_TIME_ONLY(BW_OP_RED_OR_B32, red_or_b32),
    BW_TIME_ONLY(BW_OP_RED_XOR_B32, red_xor_b32),
    BW_TIME_ONLY(BW_OP_RED_INC_U32, red_inc_u32),
};
BW_COUNT_KERNELS(atomics)
