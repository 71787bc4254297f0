/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * batch_lanes.h for processors with AVX2: called only where there is one (batch.c).
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "rules.h" /* before the target changes: its inline functions serve all */

#if defined(__x86_64__) || defined(__i386__)
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC target("avx2")
#endif
#endif

#define BATCH_FUNCTION bw_batch_avx2
#include "batch_lanes.h"

#if defined(__clang__) && (defined(__x86_64__) || defined(__i386__))
#pragma clang attribute pop
#endif
