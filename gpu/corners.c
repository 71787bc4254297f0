/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "corners.h"

#include <stdlib.h>

#include "random.h"

#define LANES BW_COPY_LANES
#define LINE UINT64_C(128)
#define SECTOR UINT64_C(32)

static void price_all(size_t count, bw_copies *copies)
{
    bw_cache *cache = calloc(1, sizeof *cache);
    copies->wavefronts = copies->tag_passes = 0;
    copies->open = false;
    for (copies->count = 0; cache && copies->count < count; copies->count++) {
        const bw_copy_cost cost = bw_copy_price(&copies->copy[copies->count], cache);
        copies->wavefronts += cost.wavefronts;
        copies->tag_passes =
            cost.tag_passes > copies->tag_passes ? cost.tag_passes : copies->tag_passes;
        copies->open = copies->open || (cost.mixed && cost.tag_passes > BW_COPIES_MIXED_PASSES);
    }
    free(cache);
}

/* Another place in the sector of `from`. */
static uint64_t beside(bw_random *r, uint64_t from, uint32_t bytes)
{
    return (from & ~(SECTOR - 1)) + bytes * bw_random_below(r, (uint32_t)SECTOR / bytes);
}

void bw_corner_mixed(uint64_t seed, uint64_t number, uint64_t source, bw_copies *copies)
{
    bw_random random = {bw_random_mix(seed ^ bw_random_mix(number))};
    static const uint32_t sizes[] = {4, 8, 16};
    const uint32_t bytes = sizes[bw_random_below(&random, 3)],
                   seed_of_first = bw_random_draw(&random);
    bw_copy *first = &copies->copy[0], *second = &copies->copy[1];
    bw_copy_make(seed_of_first, number, bytes, source, first);
    bw_copy_make(seed_of_first, number + 1, bytes, source, second);
    const uint32_t lines = number % 2 ? 4096 : 1 + bw_random_below(&random, 12),
                   hits = bw_random_below(&random, 9), zeros = bw_random_below(&random, 5);
    const uint64_t away = source + BW_COPIES_SOURCE / 2;
    first->active = UINT32_MAX;
    for (uint32_t lane = 0; lane < LANES; lane++) {
        const uint32_t place = bw_random_below(&random, lines);
        first->from[lane] = source + LINE * place + bytes * bw_random_below(&random, 128 / bytes);
    }
    for (uint32_t lane = 0; lane < LANES; lane++) {
        const uint32_t other = bw_random_below(&random, LANES),
                       place = bw_random_below(&random, lines),
                       unit = bw_random_below(&random, 128 / bytes);
        const bool hit = bw_random_below(&random, 8) < hits;
        const uint64_t held = beside(&random, first->from[other], bytes);
        second->from[lane] = hit ? held : away + LINE * place + bytes * unit;
        second->zero |= (uint32_t)(bw_random_below(&random, 8) < zeros) << lane;
    }
    price_all(2, copies);
}

bool bw_corner_bit(unsigned bit, unsigned change, uint64_t number, uint64_t source,
                   bw_copies *copies)
{
    /* Bits whose part is known: they change nothing, the low bit of the set, the high one, both. */
    static const uint64_t known[] = {0, UINT64_C(1) << 12, UINT64_C(1) << 13, UINT64_C(1) << 14};
    const uint64_t first = source + (bw_random_mix(number) & (BW_CORNER_SOURCE - 1) & ~(LINE - 1)),
                   second = first ^ UINT64_C(1) << bit ^ known[change & 3];
    bw_copy *copy = &copies->copy[0];
    *copy = (bw_copy){.bytes = 4, .active = 3, .to = {0, 4}};
    for (uint32_t lane = 0; lane < LANES; lane++)
        copy->from[lane] = first;
    copy->from[1] = second + 4;
    price_all(1, copies);
    return first >= source && second >= source && second < source + BW_CORNER_SOURCE &&
           first < source + BW_CORNER_SOURCE;
}

void bw_corner_evicted(unsigned filled, uint64_t source, bw_copies *copies)
{
    for (unsigned k = 0; k <= filled; k++) {
        bw_copy *copy = &copies->copy[k];
        *copy = (bw_copy){.bytes = 4, .active = UINT32_MAX};
        for (uint32_t lane = 0; lane < LANES; lane++) {
            copy->to[lane] = 4 * lane;
            copy->from[lane] = source + LINE * (LANES * (k % filled) + lane) + 4 * lane;
        }
    }
    price_all(filled + 1, copies);
}
