/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tensors: what wgmma instructions read of shared memory, by the law of gpu/MEASURED.md, and random
 * places for their operands. Knows no card.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_TENSORS_H
#define BANKWISE_TENSORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where a matrix lies: the fields of the instruction's descriptor. Bytes from the start of the
 * block's shared memory; `mode` 0 none, 1 128-byte, 2 64-byte, 3 32-byte swizzle. */
typedef struct bw_tensor_place {
    uint32_t start, leading, stride;
    uint32_t mode, offset;
} bw_tensor_place;

typedef struct bw_tensor {
    bw_tensor_place a, b; /* a is not used where A comes from registers */
} bw_tensor;

/* Shared memory that any of them stays within, in bytes. */
#define BW_TENSOR_SHARED 212992u

/* Places number `index` of `seed` for the kernel `name`. */
void bw_tensor_make(uint64_t seed, const char *name, uint64_t index, bw_tensor *tensor);
/* The descriptor of a place, shared memory beginning at `base`. */
uint64_t bw_tensor_descriptor(const bw_tensor_place *place, uint32_t base);

/* Wavefronts of one instruction of a warpgroup: 16 where A is in shared memory, and N / 4 for B, or
 * N / 2 where A is sparse. */
unsigned bw_tensor_wavefronts(unsigned n, bool a_shared, bool sparse);
/* Cycles of it where others follow: the tensor cores' N / 2, or the wavefronts. Where A is in
 * registers and n is at most 40, or 160, it may be more. */
unsigned bw_tensor_cycles(unsigned n, bool a_shared, bool sparse);

#ifdef __cplusplus
}
#endif
#endif
