/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * families: random requests that reach the corners.
 *
 * Uniformly random addresses almost never share a word, merge or lie all in one bank, so requests
 * are drawn from families that do: strides, tiles, permutations, swizzles, shared pairs and quads
 * (also nearly shared), few words, few banks, outliers, tight and wide ranges; each under masks of
 * all kinds. A request is a pure function of seed, operation and index, so that any one of them can
 * be made again.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_FAMILIES_H
#define BANKWISE_FAMILIES_H

#include "request.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How many families there are, and what they are called (static storage, NULL past the end). */
size_t bw_family_count(void);
const char *bw_family_name(size_t family);

/*
 * Makes request `index` of the sequence `seed` for `op` within `limit` bytes of shared memory (at
 * least 4096). It is aligned, within the limit and has an active lane; matrix operations have all.
 * Returns the family it is from.
 */
size_t bw_family_request(bw_op op, uint64_t seed, uint64_t index, uint32_t limit,
                         bw_request *request);

#ifdef __cplusplus
}
#endif
#endif
