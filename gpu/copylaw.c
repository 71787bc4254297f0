/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "copylaw.h"

#define LANES BW_COPY_LANES
#define SETS 4u

static unsigned parity(uint64_t x)
{
    return (unsigned)__builtin_parityll(x);
}

unsigned bw_tag_set(uint64_t address)
{
    return parity(address & UINT64_C(0xaf7bd5a80)) + 2 * parity(address & UINT64_C(0x75d6aed00));
}

static uint64_t line_of(uint64_t address)
{
    return address / 128;
}

/* The sectors of its line that a lane reads. */
static unsigned sectors_of(const bw_copy *copy, unsigned lane)
{
    const unsigned first = copy->from[lane] % 128 / 32,
                   last = (copy->from[lane] + copy->bytes - 1) % 128 / 32;
    return (2u << last) - (1u << first);
}

/* The lanes of one tag pass: in order, unless an earlier one of the pass has another line of the
 * same set. */
static uint32_t tag_pass(const bw_copy *copy, uint32_t waiting)
{
    uint64_t line[SETS];
    uint32_t taken = 0;
    bool used[SETS] = {false};
    for (unsigned lane = 0; lane < LANES; lane++) {
        if (!(waiting >> lane & 1))
            continue;
        const unsigned set = bw_tag_set(copy->from[lane]);
        if (used[set] && line[set] != line_of(copy->from[lane]))
            continue;
        used[set] = true;
        line[set] = line_of(copy->from[lane]);
        taken |= 1u << lane;
    }
    return taken;
}

/* Where `line` is, or count where it is not. */
static unsigned find(const bw_cache *cache, uint64_t line)
{
    unsigned at = 0;
    while (at < cache->count && cache->line[at] != line)
        at++;
    return at;
}

static unsigned held(const bw_cache *cache, uint64_t line)
{
    const unsigned at = find(cache, line);
    return at < cache->count ? cache->sectors[at] : 0;
}

static void take(bw_cache *cache, uint64_t line, unsigned sectors)
{
    const unsigned at = find(cache, line);
    if (at == BW_CACHE_LINES)
        return;
    if (at == cache->count) {
        cache->line[cache->count++] = line;
        cache->sectors[at] = 0;
    }
    cache->sectors[at] |= (uint8_t)sectors;
}

/* Lanes whose line holds all that the whole request wants of it. */
static uint32_t hits(const bw_copy *copy, uint32_t lanes, const bw_cache *cache)
{
    uint32_t hit = 0;
    for (unsigned lane = 0; lane < LANES; lane++) {
        unsigned wanted = 0;
        if (!(lanes >> lane & 1))
            continue;
        for (unsigned other = 0; other < LANES; other++)
            if (lanes >> other & 1 && line_of(copy->from[other]) == line_of(copy->from[lane]))
                wanted |= sectors_of(copy, other);
        if ((held(cache, line_of(copy->from[lane])) & wanted) == wanted)
            hit |= 1u << lane;
    }
    return hit;
}

static uint32_t bank_bit(uint64_t address)
{
    return 1u << (address / 4 % 32);
}

/* One wavefront of `waiting`: lanes in order, unless an earlier one, served or waiting, has the
 * bank of the lane's destination, or that of its source. Returns those that are served. */
static uint32_t wavefront(const bw_copy *copy, uint32_t waiting)
{
    uint32_t to = 0, from = 0, served = 0;
    for (unsigned lane = 0; lane < LANES; lane++) {
        if (!(waiting >> lane & 1))
            continue;
        const uint32_t into = bank_bit(copy->to[lane]),
                       out_of = copy->zero >> lane & 1 ? 0 : bank_bit(copy->from[lane]);
        if (!(to & into) && !(from & out_of))
            served |= 1u << lane;
        to |= into;
        from |= out_of;
    }
    return served;
}

/* A group is served by phases: the lanes that move 128 bytes. */
static unsigned serve(const bw_copy *copy, uint32_t group)
{
    const unsigned width = LANES * 4 / copy->bytes;
    unsigned count = 0;
    for (unsigned first = 0; first < LANES; first += width) {
        uint32_t waiting = group & (uint32_t)(((UINT64_C(1) << width) - 1) << first);
        for (; waiting; count++)
            waiting &= ~wavefront(copy, waiting);
    }
    return count;
}

bw_copy_cost bw_copy_price(const bw_copy *copy, bw_cache *cache)
{
    const uint32_t reading = copy->active & ~copy->zero, hit = hits(copy, reading, cache);
    bw_copy_cost cost = {0, 0, false};
    for (uint32_t waiting = reading; waiting; cost.tag_passes++) {
        const uint32_t taken = tag_pass(copy, waiting);
        cost.wavefronts += serve(copy, taken & ~hit);
        waiting &= ~taken;
    }
    cost.wavefronts += serve(copy, hit | (copy->active & copy->zero));
    cost.mixed = hit && hit != reading;
    for (unsigned lane = 0; lane < LANES; lane++)
        if (reading >> lane & 1)
            take(cache, line_of(copy->from[lane]), sectors_of(copy, lane));
    return cost;
}
