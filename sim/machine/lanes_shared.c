/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What shared memory needs of all lanes at once: addresses and words.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "lanes_inside.h"

static uint32_t equal(const bw_vec *v, uint32_t value)
{
    bw_vec flags;
    BW_FOR_LANES (l)
        flags.v[l] = v->v[l] == value ? UINT32_MAX : 0;
    return bw_mask_of(&flags);
}

#define MOST_BLOCKS 15u /* of a cluster, besides the first */

static uint32_t place(const bw_placing *p, const bw_vec *base, const bw_vec *more, uint32_t mask,
                      bw_vec *out, uint32_t *far)
{
    bw_vec bad, blocks;
    uint32_t any = 0, other = 0;
    const uint32_t scale = p->scale, offset = p->offset, begin = p->begin, most = p->most,
                   low = p->low;
    BW_FOR_LANES (l) {
        uint32_t on = 0 - (mask >> l & 1);
        uint32_t whole = base->v[l] * scale + more->v[l] + offset;
        uint32_t a = (whole & 0xffffff) - begin, block = (whole >> 24) & on;
        uint32_t wrong = ((a > most ? UINT32_MAX : 0) | (a & low)) & on;
        out->v[l] = a & on;
        bad.v[l] = wrong;
        any |= wrong;
        blocks.v[l] = block;
        other |= block;
    }
    *far = 0;
    for (int l = 0; other && l < BW_LANES; l++)
        *far |= (uint32_t)(blocks.v[l] - 1 < MOST_BLOCKS) << l;
    return any ? ~equal(&bad, 0) : 0;
}

static inline uint32_t word_at(const uint8_t *memory)
{
    uint32_t word;
    memcpy(&word, memory, 4);
    return word;
}

/* Eight lanes at places of their own. */
static inline uint32_t fetch_apart(const uint8_t *memory, const uint8_t *unknown,
                                   const uint32_t *at, unsigned words, bw_vec *out, unsigned first)
{
    uint32_t open = 0;
    for (unsigned k = 0; k < words; k++)
        for (unsigned l = 0; l < 8; l++) {
            out[k].v[first + l] = word_at(memory + at[l] + 4 * k);
            open |= word_at(unknown + at[l] + 4 * k);
        }
    return open;
}

#if defined(__AVX2__)
/* Most often eight lanes read one place, or eight words in a row. */
static inline uint32_t fetch_eight(const uint8_t *memory, const uint8_t *unknown,
                                   const uint32_t *at, unsigned words, bw_vec *out, unsigned first)
{
    const __m256i steps = _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28);
    __m256i apart = _mm256_sub_epi32(_mm256_load_si256((const __m256i *)(const void *)at),
                                     _mm256_set1_epi32((int)at[0]));
    uint32_t open = 0;
    if (_mm256_testz_si256(apart, apart)) {
        for (unsigned k = 0; k < words; k++) {
            __m256i word = _mm256_set1_epi32((int)word_at(memory + at[0] + 4 * k));
            _mm256_store_si256((__m256i *)(void *)(out[k].v + first), word);
            open |= word_at(unknown + at[0] + 4 * k);
        }
        return open;
    }
    apart = _mm256_xor_si256(apart, steps);
    if (words > 1 || !_mm256_testz_si256(apart, apart))
        return fetch_apart(memory, unknown, at, words, out, first);
    __m256i row = _mm256_loadu_si256((const __m256i *)(const void *)(memory + at[0]));
    __m256i bits = _mm256_loadu_si256((const __m256i *)(const void *)(unknown + at[0]));
    _mm256_store_si256((__m256i *)(void *)(out[0].v + first), row);
    return !_mm256_testz_si256(bits, bits);
}
#else
static inline uint32_t fetch_eight(const uint8_t *memory, const uint8_t *unknown,
                                   const uint32_t *at, unsigned words, bw_vec *out, unsigned first)
{
    return fetch_apart(memory, unknown, at, words, out, first);
}
#endif

static bool fetch(const uint8_t *memory, const uint8_t *unknown, const bw_vec *at, unsigned words,
                  bw_vec *out)
{
    uint32_t open = 0;
    for (unsigned first = 0; first < BW_LANES; first += 8)
        open |= fetch_eight(memory, unknown, at->v + first, words, out, first);
    return open == 0;
}

static uint32_t gather(const uint8_t *memory, const bw_vec *at, uint32_t offset, bw_vec *out)
{
    uint32_t any = 0;
    for (int l = 0; l < BW_LANES; l++) {
        uint32_t word;
        memcpy(&word, memory + at->v[l] + offset, 4);
        out->v[l] = word;
        any |= word;
    }
    return any;
}

static void blend(bw_vec *to, const bw_vec *values, uint32_t mask)
{
    BW_FOR_LANES (l) {
        uint32_t take = 0 - (mask >> l & 1);
        to->v[l] = (values->v[l] & take) | (to->v[l] & ~take);
    }
}

static bool ones(const bw_vec *v, unsigned words)
{
    uint32_t all = UINT32_MAX;
    for (unsigned k = 0; k < words; k++)
        BW_FOR_LANES (l)
            all &= v[k].v[l];
    return all == UINT32_MAX;
}

const bw_lane_tools BW_PASTE(bw, _tools, BW_LANES_NAME) = {place, gather, fetch,
                                                           ones,  blend,  equal};
