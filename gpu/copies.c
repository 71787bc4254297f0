/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "copies.h"

#include <stdlib.h>

#include "families.h"
#include "random.h"

#define LANES BW_COPY_LANES

/* What the sources of one request are drawn from. Offsets are in units of the copy's size. */
typedef struct shape {
    bw_random *random;
    uint32_t row; /* units in a line */
    const uint32_t *to;
    uint32_t bytes;
    uint32_t *at;
} shape;

static void neighbours(shape *s)
{
    const uint32_t first = bw_random_below(s->random, 2 * s->row),
                   step = bw_random_below(s->random, 6) ? 1 : bw_random_below(s->random, 5);
    for (uint32_t lane = 0; lane < LANES; lane++)
        s->at[lane] = first + step * lane;
}

static void rows(shape *s)
{
    const uint32_t wide = 1u << bw_random_below(s->random, 5),
                   skew = bw_random_below(s->random, 3) ? 0 : bw_random_below(s->random, s->row);
    const uint32_t pitch = s->row * (1 + bw_random_below(s->random, 24)) + skew;
    for (uint32_t lane = 0; lane < LANES; lane++)
        s->at[lane] = lane / wide * pitch + lane % wide;
}

static void shuffled(shape *s)
{
    const uint32_t step = 1 + bw_random_below(s->random, 2);
    for (uint32_t lane = 0; lane < LANES; lane++)
        s->at[lane] = lane;
    for (uint32_t lane = LANES - 1; lane; lane--) {
        const uint32_t other = bw_random_below(s->random, lane + 1), kept = s->at[lane];
        s->at[lane] = s->at[other];
        s->at[other] = kept;
    }
    for (uint32_t lane = 0; lane < LANES; lane++)
        s->at[lane] *= step;
}

static void within(shape *s)
{
    const uint32_t range = s->row << bw_random_below(s->random, 5);
    for (uint32_t lane = 0; lane < LANES; lane++)
        s->at[lane] = bw_random_below(s->random, range);
}

static void few_places(shape *s)
{
    uint32_t places[8] = {0};
    const uint32_t count = 1 + bw_random_below(s->random, 8),
                   range = s->row << bw_random_below(s->random, 9);
    for (uint32_t i = 0; i < count; i++)
        places[i] = bw_random_below(s->random, range);
    for (uint32_t lane = 0; lane < LANES; lane++)
        s->at[lane] = places[bw_random_below(s->random, count)];
}

/* As the destinations lie, in lines of their own order. */
static void mirrored(shape *s)
{
    const uint32_t turn = bw_random_below(s->random, 2) ? 0 : bw_random_below(s->random, s->row),
                   lines = 1 + bw_random_below(s->random, 12);
    for (uint32_t lane = 0; lane < LANES; lane++) {
        const uint32_t unit = s->to[lane] / s->bytes;
        s->at[lane] = unit / s->row % lines * s->row + (unit + turn) % s->row;
    }
}

static void (*const shapes[])(shape *) = {neighbours, rows, shuffled, within, few_places, mirrored};

static bw_op op_of(uint32_t bytes)
{
    return bytes == 4 ? BW_OP_CP_ASYNC_4 : bytes == 8 ? BW_OP_CP_ASYNC_8 : BW_OP_CP_ASYNC_16_CA;
}

/* A base for the sources: anywhere, or where an earlier copy of the launch read. */
static uint64_t some_base(bw_random *r, const bw_copies *copies)
{
    const uint64_t line = (uint64_t)bw_random_draw(r) << 7 & (BW_COPIES_SOURCE / 2 - 1);
    if (copies->count == 0 || bw_random_below(r, 3))
        return line;
    const bw_copy *earlier = &copies->copy[bw_random_below(r, (uint32_t)copies->count)];
    return (earlier->from[bw_random_below(r, LANES)] & ~UINT64_C(127)) & (BW_COPIES_SOURCE / 2 - 1);
}

static uint32_t few_lanes(bw_random *r)
{
    const uint32_t half = bw_random_draw(r);
    return half & bw_random_draw(r);
}

static void make_one(bw_random *r, uint32_t bytes, uint64_t source, bw_copies *copies)
{
    bw_copy *copy = &copies->copy[copies->count];
    bw_request request;
    uint32_t at[LANES];
    /* One draw a statement: the order of arguments is the compiler's, and recordings hold gcc's. */
    const uint64_t high = (uint64_t)bw_random_draw(r) << 32, index = high | bw_random_draw(r);
    const uint32_t seed = bw_random_draw(r);
    bw_family_request(op_of(bytes), seed, index, BW_COPIES_SHARED, &request);
    copy->bytes = bytes;
    copy->active = request.active;
    copy->zero = bw_random_below(r, 6) ? 0 : few_lanes(r);
    shape s = {r, 128 / bytes, request.addr, bytes, at};
    shapes[bw_random_below(r, sizeof shapes / sizeof *shapes)](&s);
    const uint64_t base = some_base(r, copies);
    for (uint32_t lane = 0; lane < LANES; lane++) {
        copy->to[lane] = request.addr[lane];
        copy->from[lane] = source + base + (uint64_t)at[lane] * bytes;
    }
}

/* Prices the copy that was made last, and counts it. */
static void price(bw_copies *copies, bw_cache *cache)
{
    const bw_copy_cost cost = bw_copy_price(&copies->copy[copies->count++], cache);
    copies->wavefronts += cost.wavefronts;
    copies->tag_passes =
        cost.tag_passes > copies->tag_passes ? cost.tag_passes : copies->tag_passes;
    copies->open = copies->open || (cost.mixed && cost.tag_passes > BW_COPIES_MIXED_PASSES);
}

static void start(bw_copies *copies)
{
    copies->count = 0;
    copies->wavefronts = copies->tag_passes = 0;
    copies->open = false;
}

void bw_copies_make(uint64_t seed, uint64_t number, uint64_t source, bw_copies *copies)
{
    bw_random random = {bw_random_mix(seed ^ bw_random_mix(number))};
    static const uint32_t sizes[] = {4, 8, 16};
    const uint32_t bytes = sizes[bw_random_below(&random, 3)],
                   wanted = 1 + bw_random_below(&random, BW_COPIES_MOST);
    bw_cache *cache = calloc(1, sizeof *cache);
    start(copies);
    while (cache && copies->count < wanted &&
           (!copies->count || cache->count + LANES <= BW_COPIES_LINES)) {
        make_one(&random, bytes, source, copies);
        price(copies, cache);
    }
    free(cache);
}

void bw_copies_make_pair(uint64_t seed, uint64_t number, uint64_t source, bool scattered,
                         bw_copies *copies)
{
    bw_random random = {bw_random_mix(seed ^ bw_random_mix(number))};
    static const uint32_t sizes[] = {4, 8, 16};
    const uint32_t bytes = sizes[bw_random_below(&random, 3)],
                   lines = scattered ? 4096 : 2 + bw_random_below(&random, 4);
    bw_cache *cache = calloc(1, sizeof *cache);
    start(copies);
    make_one(&random, bytes, source, copies);
    bw_copy *first = &copies->copy[0], *second = &copies->copy[1];
    copies->count = 1;
    make_one(&random, bytes, source, copies);
    copies->count = 0;
    first->zero = second->zero = 0;
    for (uint32_t lane = 0; lane < LANES; lane++) {
        const uint64_t line = 128 * (uint64_t)bw_random_below(&random, lines);
        const uint64_t base = second->from[0] & ~UINT64_C(127);
        second->from[lane] = base + line + bytes * bw_random_below(&random, 128 / bytes);
        if (bw_random_below(&random, 16) <= number % 16)
            first->from[lane] = second->from[lane];
    }
    while (cache && copies->count < 2)
        price(copies, cache);
    free(cache);
}

void bw_copy_make(uint64_t seed, uint64_t index, uint32_t bytes, uint64_t source, bw_copy *copy)
{
    bw_random random = {bw_random_mix(seed ^ bw_random_mix(index))};
    bw_copies *copies = calloc(1, sizeof *copies);
    *copy = (bw_copy){.bytes = bytes};
    if (copies) {
        make_one(&random, bytes, source, copies);
        *copy = copies->copy[0];
        copy->zero = 0;
    }
    free(copies);
}
