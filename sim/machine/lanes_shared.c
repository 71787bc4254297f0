/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What shared memory needs of all lanes at once: addresses and words.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "lanes_inside.h"

static uint32_t place(const bw_placing *p, const bw_vec *base, const bw_vec *more, uint32_t mask,
                      bw_vec *out)
{
    bw_vec bad;
    const uint32_t scale = p->scale, offset = p->offset, begin = p->begin, most = p->most,
                   low = p->low;
    BW_FOR_LANES (l) {
        uint32_t on = 0 - (mask >> l & 1);
        uint32_t a = ((base->v[l] * scale + more->v[l] + offset) & 0xffffff) - begin;
        out->v[l] = a & on;
        bad.v[l] = (a > most || (a & low)) && on ? UINT32_MAX : 0;
    }
    return bw_mask_of(&bad);
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

static uint32_t equal(const bw_vec *v, uint32_t value)
{
    bw_vec flags;
    BW_FOR_LANES (l)
        flags.v[l] = v->v[l] == value ? UINT32_MAX : 0;
    return bw_mask_of(&flags);
}

const bw_lane_tools BW_PASTE(bw, _tools, BW_LANES_NAME) = {place, gather, blend, equal};
