/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * opcodes.cuh: the frame of the kernels whose results a reader of machine code is held against.
 *
 * A kernel of expressions computes a list of slots for each operand i: out[i * slots + slot]. The
 * list is an X-macro, `LIST(X, X2)`: X(expression) is one 32-bit slot, X2(expression) a 64-bit one
 * that takes two (low, then high). From the same list come the kernel and the names of the slots,
 * so that a wrong one can be named. In an expression a, b, c are 32-bit operands and A, B, C 64-bit
 * ones, sa … and SA … the same as signed.
 *
 * Machine code for older cards has other instructions for the same expression; what is newer than
 * sm_75 is written so that every architecture gives the same result.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_OPCODES_CUH
#define BANKWISE_OPCODES_CUH

#include <cstdint>

#include "opcodes_private.h"

#define BW_SLOT_STORE(...) *to++ = (uint32_t)(__VA_ARGS__);
#define BW_SLOT_STORE2(...)                                                                        \
    {                                                                                              \
        const uint64_t both = (uint64_t)(__VA_ARGS__);                                             \
        *to++ = (uint32_t)both;                                                                    \
        *to++ = (uint32_t)(both >> 32);                                                            \
    }
#define BW_SLOT_NAME(...) #__VA_ARGS__,
#define BW_SLOT_NAME2(...) #__VA_ARGS__ " low", #__VA_ARGS__ " high",

/* A kernel of expressions on 32-bit operands. The rest declares what the slots use besides. */
#define BW_OPCODES_32(NAME, LIST, ...)                                                             \
    static const char *const bw_slots_##NAME[] = {LIST(BW_SLOT_NAME, BW_SLOT_NAME2)};              \
    enum { BW_COUNT_##NAME = sizeof bw_slots_##NAME / sizeof *bw_slots_##NAME };                   \
    extern "C" __global__ void __launch_bounds__(128)                                              \
        op_##NAME(const uint32_t *pa, const uint32_t *pb, const uint32_t *pc, uint32_t *out)       \
    {                                                                                              \
        const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;                                  \
        const uint32_t a = pa[i], b = pb[i], c = pc[i];                                            \
        [[maybe_unused]] const int32_t sa = (int32_t)a, sb = (int32_t)b, sc = (int32_t)c;          \
        __VA_ARGS__ uint32_t *to = out + i * BW_COUNT_##NAME;                                      \
        LIST(BW_SLOT_STORE, BW_SLOT_STORE2)                                                        \
    }

/* The same on 64-bit operands. */
#define BW_OPCODES_64(NAME, LIST, ...)                                                             \
    static const char *const bw_slots_##NAME[] = {LIST(BW_SLOT_NAME, BW_SLOT_NAME2)};              \
    enum { BW_COUNT_##NAME = sizeof bw_slots_##NAME / sizeof *bw_slots_##NAME };                   \
    extern "C" __global__ void __launch_bounds__(128)                                              \
        op_##NAME(const uint64_t *pa, const uint64_t *pb, const uint64_t *pc, uint32_t *out)       \
    {                                                                                              \
        const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;                                  \
        const uint64_t A = pa[i], B = pb[i], C = pc[i];                                            \
        [[maybe_unused]] const int64_t SA = (int64_t)A, SB = (int64_t)B, SC = (int64_t)C;          \
        [[maybe_unused]] const uint32_t a = (uint32_t)A, b = (uint32_t)B, c = (uint32_t)C;         \
        __VA_ARGS__ uint32_t *to = out + i * BW_COUNT_##NAME;                                      \
        LIST(BW_SLOT_STORE, BW_SLOT_STORE2)                                                        \
    }

/* Its row in a table (opcodes_private.h). */
#define BW_OPCODES_ROW(NAME, OPERANDS)                                                             \
    {                                                                                              \
#NAME, (const void *)op_##NAME, OPERANDS, 8, 128, 75, BW_COUNT_##NAME, bw_slots_##NAME     \
    }

/* What PTX has and CUDA C has not: u32 NAME(u32 …), one instruction each. */
#define PTX1(NAME, INSTRUCTION)                                                                    \
    static __device__ __forceinline__ uint32_t NAME(uint32_t x)                                    \
    {                                                                                              \
        uint32_t r;                                                                                \
        asm(INSTRUCTION " %0, %1;" : "=r"(r) : "r"(x));                                            \
        return r;                                                                                  \
    }
#define PTX2(NAME, INSTRUCTION)                                                                    \
    static __device__ __forceinline__ uint32_t NAME(uint32_t x, uint32_t y)                        \
    {                                                                                              \
        uint32_t r;                                                                                \
        asm(INSTRUCTION " %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y));                                \
        return r;                                                                                  \
    }
#define PTX3(NAME, INSTRUCTION)                                                                    \
    static __device__ __forceinline__ uint32_t NAME(uint32_t x, uint32_t y, uint32_t z)            \
    {                                                                                              \
        uint32_t r;                                                                                \
        asm(INSTRUCTION " %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z));                    \
        return r;                                                                                  \
    }
#define PTX4(NAME, INSTRUCTION)                                                                    \
    static __device__ __forceinline__ uint32_t NAME(uint32_t x, uint32_t y, uint32_t z,            \
                                                    uint32_t w)                                    \
    {                                                                                              \
        uint32_t r;                                                                                \
        asm(INSTRUCTION " %0, %1, %2, %3, %4;" : "=r"(r) : "r"(x), "r"(y), "r"(z), "r"(w));        \
        return r;                                                                                  \
    }

#endif
