/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the files of evaluators share: loops over lanes, masks of lanes, sources of evaluators.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_MACHINE_LANES_INSIDE_H
#define BANKWISE_MACHINE_LANES_INSIDE_H

#include <string.h>

#include "lanes.h"
#if defined(__AVX2__)
#include <immintrin.h>
#endif

/* Lanes are independent: a result may lie where a source does. */
#if defined(__clang__)
#define BW_FOR_LANES(l)                                                                            \
    _Pragma("clang loop vectorize(assume_safety)") for (int l = 0; l < BW_LANES; l++)
#else
#define BW_FOR_LANES(l) _Pragma("GCC ivdep") for (int l = 0; l < BW_LANES; l++)
#endif

#define BW_EVALUATOR(name)                                                                         \
    void BW_EVALUATOR_NAME(name)(const bw_ins *i, const bw_vec *a, const bw_vec *b,                \
                                 const bw_vec *c, bw_vec *d, bw_io *io);                           \
    void BW_EVALUATOR_NAME(name)(                                                                  \
        __attribute__((unused)) const bw_ins *i, __attribute__((unused)) const bw_vec *a,          \
        __attribute__((unused)) const bw_vec *b, __attribute__((unused)) const bw_vec *c,          \
        __attribute__((unused)) bw_vec *d, __attribute__((unused)) bw_io *io)

/* Each build of the files has names of its own. */
#define BW_PASTE_INSIDE(a, b, c) a##b##_##c
#define BW_PASTE(a, b, c) BW_PASTE_INSIDE(a, b, c)
#define BW_EVALUATOR_NAME(name) BW_PASTE(bw_ev_, BW_LANES_NAME, name)

/* Bit l: whether word l of *flags is not 0. Words are 0 or UINT32_MAX. */
static inline uint32_t bw_mask_of(const bw_vec *flags)
{
    uint32_t mask = 0;
#if defined(__AVX2__)
    for (int k = 0; k < 4; k++) {
        __m256i word = _mm256_load_si256((const __m256i *)(const void *)(flags->v + 8 * k));
        mask |= (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(word)) << (8 * k);
    }
#else
    for (int l = 0; l < BW_LANES; l++)
        mask |= (flags->v[l] & 1u) << l;
#endif
    return mask;
}

static inline uint64_t bw_pair(const bw_vec *v, int lane)
{
    return (uint64_t)v[1].v[lane] << 32 | v[0].v[lane];
}

static inline float bw_as_float(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static inline uint32_t bw_float_bits(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static inline double bw_as_double(uint64_t bits)
{
    double f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static inline uint64_t bw_double_bits(double f)
{
    uint64_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

#endif
