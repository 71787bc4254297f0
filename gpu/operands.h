/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * operands: numbers on which the opcode kernels (opcodes.h) are run, drawn so that they reach the
 * corners. The same seed gives the same numbers everywhere, so that recordings need not hold them.
 *
 * Knows no card and no CUDA. Pure functions.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_OPERANDS_H
#define BANKWISE_OPERANDS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum bw_operands {
    BW_OPERANDS_32,     /* integers of 32 bits                     */
    BW_OPERANDS_64,     /* integers of 64 bits                     */
    BW_OPERANDS_FLOAT,  /* floats, as their 32 bits                */
    BW_OPERANDS_DOUBLE, /* doubles, as their 64 bits               */
    BW_OPERANDS_HALF,   /* two half-precision numbers, as 32 bits  */
    BW_OPERANDS_COUNT
} bw_operands;

/* A kernel has three operands, a, b and c. */
#define BW_OPERAND_COUNT 3u

/* "int32", "int64", "float", "double", "half2"; NULL past the end. Static storage. */
const char *bw_operands_name(bw_operands kind);
/* Bytes of one operand: 4 or 8. */
size_t bw_operands_size(bw_operands kind);

/*
 * Writes `count` operands of bw_operands_size() bytes each, in the byte order of this machine, to
 * `to`. `which` is 0, 1 or 2 for a, b, c. The first are pairs of corner values: every corner of a
 * with every corner of b; the rest are random of several kinds.
 */
void bw_operands_make(bw_operands kind, unsigned which, uint64_t seed, size_t count, void *to);

#ifdef __cplusplus
}
#endif
#endif
