/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "block.h"

#include "bankwise.h"

uint64_t bw_shape_blocks(const bw_shape *shape)
{
    return (uint64_t)shape->grid[0] * shape->grid[1] * shape->grid[2];
}

static uint64_t threads_of(const bw_shape *shape)
{
    return (uint64_t)shape->block[0] * shape->block[1] * shape->block[2];
}

uint32_t bw_shape_warps(const bw_shape *shape)
{
    return (uint32_t)((threads_of(shape) + BW_LANES - 1) / BW_LANES);
}

uint32_t bw_shape_lanes(const bw_shape *shape, uint32_t warp)
{
    uint64_t left = threads_of(shape) - (uint64_t)warp * BW_LANES;
    return left >= BW_LANES ? UINT32_MAX : (1u << left) - 1;
}

void bw_shape_place(const bw_shape *shape, uint64_t block, uint32_t index[3])
{
    index[0] = (uint32_t)(block % shape->grid[0]);
    index[1] = (uint32_t)(block / shape->grid[0] % shape->grid[1]);
    index[2] = (uint32_t)(block / shape->grid[0] / shape->grid[1]);
}

/* All warps have stopped: those that wait must wait at one barrier, and the others have left. */
static bool meet(const bw_turns *s, bool *done)
{
    uint32_t first = s->warps;
    for (uint32_t k = 0; k < s->warps && first == s->warps; k++)
        if (s->turn(s->context, k)->state == BW_WARP_WAITS)
            first = k;
    *done = first == s->warps;
    for (uint32_t k = 0; !*done && k < s->warps; k++) {
        const bw_turn *t = s->turn(s->context, k);
        bool left = t->state == BW_WARP_DONE && t->left;
        bool same = t->state == BW_WARP_WAITS && t->barrier == s->turn(s->context, first)->barrier;
        if (left || same)
            continue;
        s->apart(s->context, first, k);
        return false;
    }
    for (uint32_t k = first; k < s->warps; k++)
        if (s->turn(s->context, k)->state == BW_WARP_WAITS)
            s->turn(s->context, k)->state = BW_WARP_READY;
    return true;
}

bool bw_turns_run(const bw_turns *s)
{
    for (bool done = false; !done;) {
        for (uint32_t k = 0; k < s->warps && !s->ended(s->context); k++)
            s->run(s->context, k);
        if (s->ended(s->context) || !meet(s, &done))
            return false;
    }
    return true;
}

void bw_shape_run(const bw_shape *shape, bool alike,
                  bool (*each)(void *context, uint64_t block, uint64_t copies), void *context)
{
    uint64_t blocks = bw_shape_blocks(shape);
    for (uint64_t k = 0; k < (alike ? 1 : blocks); k++)
        if (!each(context, k, alike ? blocks : 1))
            break;
}

/* SplitMix64: the same on every machine. */
static uint64_t scramble(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

void bw_shape_run_sample(const bw_shape *shape, uint64_t parts, uint64_t seed,
                         bool (*each)(void *context, uint64_t block, uint64_t copies),
                         void *context)
{
    uint64_t blocks = bw_shape_blocks(shape), part = blocks / parts;
    uint64_t longer = blocks % parts; /* the first parts have one block more */
    for (uint64_t k = 0, from = 0; k < parts; k++) {
        uint64_t size = part + (k < longer);
        if (!each(context, from + scramble(seed ^ scramble(k)) % size, size))
            break;
        from += size;
    }
}
