/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ldmatrix and stmatrix. All 32 lanes take part; those beyond 8 * matrices give addresses that the
 * hardware ignores. The compiler knows what ldmatrix does and drops a second one of the same rows,
 * hence an address that it cannot follow.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
/* Sixteen times four registers in flight are more than 1024 threads can have, and a spill would be
 * measured too. */
#define BW_MOST_THREADS 512
#include "harness.cuh"

#define READ(NAME, ...)                                                                            \
    BW_OPERATION(NAME, true, true, true, false, false, __VA_ARGS__)                                \
    BW_TIME_KERNEL(NAME, bw_time_pipe)                                                             \
    BW_WAIT_KERNEL(NAME)

#define READ_1(NAME, TRANS)                                                                        \
    READ(NAME, unsigned v;                                                                         \
         asm volatile("ldmatrix.sync.aligned.m8n8.x1" TRANS ".shared.b16 {%0}, [%1];"              \
                      : "=r"(v)                                                                    \
                      : "r"(a)                                                                     \
                      : "memory");                                                                 \
         return v;)
#define READ_2(NAME, TRANS)                                                                        \
    READ(NAME, uint2 v;                                                                            \
         asm volatile("ldmatrix.sync.aligned.m8n8.x2" TRANS ".shared.b16 {%0, %1}, [%2];"          \
                      : "=r"(v.x), "=r"(v.y)                                                       \
                      : "r"(a)                                                                     \
                      : "memory");                                                                 \
         return v.x;)
#define READ_4(NAME, TRANS)                                                                        \
    READ(NAME, uint4 v;                                                                            \
         asm volatile("ldmatrix.sync.aligned.m8n8.x4" TRANS ".shared.b16 {%0, %1, %2, %3}, [%4];"  \
                      : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)                                 \
                      : "r"(a)                                                                     \
                      : "memory");                                                                 \
         return v.x;)

READ_1(ldmatrix_x1, "")
READ_2(ldmatrix_x2, "")
READ_4(ldmatrix_x4, "")
READ_1(ldmatrix_x1_trans, ".trans")
READ_2(ldmatrix_x2_trans, ".trans")
READ_4(ldmatrix_x4_trans, ".trans")

/* Below sm_90 there is no stmatrix: the host does not launch these there (optable's least_cc). */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define IF_STMATRIX(...) __VA_ARGS__
#else
#define IF_STMATRIX(...) asm volatile("trap;");
#endif

#define WRITE(NAME, ...)                                                                           \
    BW_OPERATION(NAME, true, true, false, false, false, const unsigned z = job.zero; (void)a;      \
                 IF_STMATRIX(asm volatile(__VA_ARGS__::"r"(a), "r"(z)                              \
                                          : "memory");) return z;)                                 \
    BW_TIME_KERNEL(NAME, bw_time_pipe)

WRITE(stmatrix_x1, "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};")
WRITE(stmatrix_x2, "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %1};")
WRITE(stmatrix_x4, "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %1, %1, %1};")
WRITE(stmatrix_x1_trans, "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};")
WRITE(stmatrix_x2_trans, "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %1};")
WRITE(stmatrix_x4_trans, "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %1, %1, %1};")

const bw_kernel bw_kernels_matrix[] = {
    BW_TIME_AND_WAIT(BW_OP_LDMATRIX_X1, ldmatrix_x1),
    BW_TIME_AND_WAIT(BW_OP_LDMATRIX_X2, ldmatrix_x2),
    BW_TIME_AND_WAIT(BW_OP_LDMATRIX_X4, ldmatrix_x4),
    BW_TIME_AND_WAIT(BW_OP_LDMATRIX_X1_TRANS, ldmatrix_x1_trans),
    BW_TIME_AND_WAIT(BW_OP_LDMATRIX_X2_TRANS, ldmatrix_x2_trans),
    BW_TIME_AND_WAIT(BW_OP_LDMATRIX_X4_TRANS, ldmatrix_x4_trans),
    BW_TIME_ONLY(BW_OP_STMATRIX_X1, stmatrix_x1),
    BW_TIME_ONLY(BW_OP_STMATRIX_X2, stmatrix_x2),
    BW_TIME_ONLY(BW_OP_STMATRIX_X4, stmatrix_x4),
    BW_TIME_ONLY(BW_OP_STMATRIX_X1_TRANS, stmatrix_x1_trans),
    BW_TIME_ONLY(BW_OP_STMATRIX_X2_TRANS, stmatrix_x2_trans),
    BW_TIME_ONLY(BW_OP_STMATRIX_X4_TRANS, stmatrix_x4_trans),
};
BW_COUNT_KERNELS(matrix)
