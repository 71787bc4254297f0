/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "pagelaw.h"

#define LANES 32u

static uint32_t span(unsigned first, unsigned count)
{
    return (uint32_t)(((UINT64_C(1) << count) - 1) << first);
}

/* The most different words that `lanes` ask of one bank. */
static unsigned distinct(unsigned bytes, uint32_t lanes, const uint32_t address[LANES])
{
    unsigned most = 0;
    for (unsigned bank = 0; bank < 32; bank++) {
        uint32_t seen[LANES];
        unsigned count = 0;
        for (unsigned lane = 0; lane < LANES; lane++) {
            const uint32_t first = address[lane] / 4, word = first + (bank - first) % 32;
            unsigned i = 0;
            if (!(lanes >> lane & 1) || word >= first + bytes / 4)
                continue;
            while (i < count && seen[i] != word)
                i++;
            if (i == count)
                seen[count++] = word;
        }
        most = count > most ? count : most;
    }
    return most;
}

/* Whether each lane's neighbour at distance `bit` is off or has the same address. */
static bool paired(uint32_t lanes, const uint32_t address[LANES], unsigned bit)
{
    for (unsigned lane = 0; lane < LANES; lane++)
        if (lanes >> lane & 1 && lanes >> (lane ^ bit) & 1 && address[lane] != address[lane ^ bit])
            return false;
    return true;
}

static bool merges(uint32_t lanes, const uint32_t address[LANES])
{
    return paired(lanes, address, 1) || paired(lanes, address, 2);
}

static bool all_same(uint32_t lanes, const uint32_t address[LANES])
{
    const uint32_t first = address[__builtin_ctz(lanes)];
    for (unsigned lane = 0; lane < LANES; lane++)
        if (lanes >> lane & 1 && address[lane] != first)
            return false;
    return true;
}

/* A part of a request is merged where that makes it one wavefront, and only then. */
static unsigned part(unsigned bytes, uint32_t lanes, const uint32_t address[LANES], unsigned first,
                     unsigned count, bool merged)
{
    const unsigned whole = distinct(bytes, lanes & span(first, count), address);
    if (merged && whole == 1)
        return 1;
    return distinct(bytes, lanes & span(first, count / 2), address) +
           distinct(bytes, lanes & span(first + count / 2, count / 2), address);
}

/* Of 16-byte loads each half-warp is looked at by itself. The first half's test is not of its own
 * lanes' mask: with lane 31 off it is always met; with lane 31 on, lanes that are off count as on,
 * all at one address that no other has. */
static bool first_half_merges(uint32_t active, const uint32_t address[LANES])
{
    uint32_t seen[LANES];
    if (!(active >> 31))
        return true;
    for (unsigned lane = 0; lane < LANES; lane++)
        seen[lane] = active >> lane & 1 ? address[lane] : UINT32_MAX;
    return merges(span(0, 16), seen);
}

static unsigned wide_load(uint32_t active, const uint32_t address[LANES])
{
    if (all_same(active, address))
        return __builtin_popcount(active) > 16 ? 2 : 1;
    return part(16, active, address, 0, 16, first_half_merges(active, address)) +
           part(16, active, address, 16, 16, merges(active & span(16, 16), address));
}

bw_page_cost bw_page_load(unsigned bytes, uint32_t active, const uint32_t address[LANES])
{
    bw_page_cost cost;
    const unsigned lanes = (unsigned)__builtin_popcount(active);
    cost.wavefronts = bytes == 8 ? part(8, active, address, 0, LANES, merges(active, address))
                                 : wide_load(active, address);
    cost.ideal = (lanes * bytes + 127) / 128;
    if (cost.wavefronts < cost.ideal)
        cost.ideal = cost.wavefronts;
    return cost;
}

/* Lanes that are the first to write their chunk: the others do not count. */
static uint32_t first_writers(const bw_copy *copy)
{
    uint32_t first = 0;
    for (unsigned lane = 0; lane < LANES; lane++) {
        bool is_first = copy->active >> lane & 1;
        for (unsigned other = 0; is_first && other < lane; other++)
            is_first = !(first >> other & 1) || copy->to[other] != copy->to[lane];
        if (is_first)
            first |= UINT32_C(1) << lane;
    }
    return first;
}

/* Which chunks of its sector of 32 bytes a lane's wavefront moves: both, where another lane moves
 * the other one alike, or the lower or the upper one. */
static unsigned sector_part(const bw_copy *copy, uint32_t lanes, unsigned lane)
{
    for (unsigned other = 0; other < LANES; other++)
        if (lanes >> other & 1 && copy->to[other] == (copy->to[lane] ^ 16) &&
            copy->from[other] == (copy->from[lane] ^ 16))
            return 3;
    return 1 + (copy->from[lane] >> 4 & 1);
}

/* Lanes go together that move chunks from one line to one line, the same part of each sector, with
 * the same change of the two lowest bits of the chunk's place; but no chunk is read twice. */
bw_page_cost bw_page_bypass(const bw_copy *copy)
{
    const uint32_t lanes = first_writers(copy);
    uint32_t left = lanes;
    bw_page_cost cost = {0, 0};
    while (left) {
        const unsigned leader = (unsigned)__builtin_ctz(left);
        uint32_t together = 0;
        unsigned most = 0;
        for (unsigned lane = 0; lane < LANES; lane++)
            if (left >> lane & 1 && copy->to[lane] / 128 == copy->to[leader] / 128 &&
                copy->from[lane] / 128 == copy->from[leader] / 128 &&
                sector_part(copy, lanes, lane) == sector_part(copy, lanes, leader) &&
                ((copy->to[lane] ^ copy->from[lane] ^ copy->to[leader] ^ copy->from[leader]) >> 4 &
                 3) == 0)
                together |= 1u << lane;
        for (unsigned lane = 0; lane < LANES; lane++) {
            unsigned readers = 0;
            for (unsigned other = 0; other < LANES; other++)
                readers += together >> lane & together >> other & 1 &&
                           copy->from[other] == copy->from[lane];
            most = readers > most ? readers : most;
        }
        cost.wavefronts += most;
        left &= ~together;
    }
    cost.ideal = ((unsigned)__builtin_popcount(lanes) + 7) / 8;
    if (cost.wavefronts < cost.ideal)
        cost.ideal = cost.wavefronts;
    return cost;
}
