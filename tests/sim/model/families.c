/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "families.h"

#include <stdio.h>

#define LIMIT (228u * 1024)

/* splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014). */
static uint64_t next(rng *r)
{
    uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

uint32_t rng_below(rng *r, uint32_t n)
{
    return (uint32_t)((next(r) >> 32) * n >> 32);
}

/* ---- masks ---- */

static uint32_t group_mask(rng *r, unsigned width)
{
    uint32_t mask = 0, groups = rng_below(r, 1u << (32 / width));
    for (unsigned lane = 0; lane < 32; lane++)
        mask |= (groups >> lane / width & 1) << lane;
    return mask;
}

static uint32_t sparse_mask(rng *r)
{
    uint32_t mask = 0;
    for (uint32_t n = 1 + rng_below(r, 5); n > 0; n--)
        mask |= 1u << rng_below(r, 32);
    return mask;
}

static uint32_t random_mask(rng *r)
{
    switch (rng_below(r, 8)) {
    case 0: return (uint32_t)next(r);
    case 1: return (uint32_t)(next(r) | next(r) >> 32); /* three quarters of the lanes */
    case 2: return sparse_mask(r);
    case 3: return group_mask(r, 8);
    case 4: return group_mask(r, 16);
    case 5: return UINT32_MAX >> rng_below(r, 32) << rng_below(r, 8);
    case 6: return rng_below(r, 2) ? 0x55555555 : 0x33333333;
    default: return UINT32_MAX;
    }
}

/* ---- element numbers by lane ---- */

static void strided(rng *r, uint32_t *e)
{
    uint32_t stride = rng_below(r, 70), base = rng_below(r, 64);
    for (unsigned i = 0; i < 32; i++)
        e[i] = base + i * stride;
}

static void scattered(rng *r, uint32_t *e)
{
    static const uint32_t ranges[] = {2, 5, 12, 32, 40, 100, 1000, 14000};
    uint32_t range = ranges[rng_below(r, 8)];
    for (unsigned i = 0; i < 32; i++)
        e[i] = rng_below(r, range);
}

static void permuted(rng *r, uint32_t *e)
{
    for (unsigned i = 0; i < 32; i++)
        e[i] = i;
    for (unsigned i = 31; i > 0; i--) {
        unsigned j = rng_below(r, i + 1);
        uint32_t swap = e[i];
        e[i] = e[j];
        e[j] = swap;
    }
}

static void tiled(rng *r, uint32_t *e)
{
    uint32_t width = 1u << rng_below(r, 6), pitch = 1 + rng_below(r, 130);
    uint32_t turn = rng_below(r, 2);
    for (unsigned i = 0; i < 32; i++) {
        uint32_t x = i % width, y = i / width;
        e[i] = turn ? x * pitch + y : y * pitch + x;
    }
}

static void swizzled(rng *r, uint32_t *e)
{
    uint32_t pitch = 4u << rng_below(r, 4), shift = rng_below(r, 3);
    for (unsigned i = 0; i < 32; i++) {
        uint32_t row = i >> shift, column = i * 5 % pitch;
        e[i] = row * pitch + (column ^ (row % pitch));
    }
}

/* Few values, so that lanes share words and several words share a bank. */
static void few(rng *r, uint32_t *e)
{
    uint32_t values[6] = {0}, n = 1 + rng_below(r, 6), range = rng_below(r, 2) ? 64 : 14000;
    for (unsigned i = 0; i < n; i++)
        values[i] = rng_below(r, range);
    for (unsigned i = 0; i < 32; i++)
        e[i] = values[rng_below(r, n)];
}

static void column(rng *r, uint32_t *e)
{
    for (unsigned i = 0; i < 32; i++)
        e[i] = 32 * rng_below(r, 40) + rng_below(r, 3);
}

/* ---- what is done to them afterwards ---- */

/* Makes lanes at a distance share: throughout, or differently in either half. */
static void share(rng *r, uint32_t *e)
{
    static const unsigned clears[] = {1, 2, 3, 4, 7, 16};
    unsigned lower = clears[rng_below(r, 6)], upper = lower;
    if (rng_below(r, 3) == 0)
        upper = clears[rng_below(r, 6)];
    for (unsigned i = 0; i < 32; i++)
        e[i] = e[i & ~(i < 16 ? lower : upper)];
}

/* Moves a few lanes elsewhere: what almost merges or almost is free. */
static void displace(rng *r, uint32_t *e)
{
    for (uint32_t n = 1 + rng_below(r, 2); n > 0; n--)
        e[rng_below(r, 32)] = rng_below(r, 200);
}

typedef void (*filler)(rng *r, uint32_t *e);
static const filler fillers[] = {strided, scattered, permuted, tiled, swizzled, few, column};

void family_request(rng *r, bw_op op, bw_request *request)
{
    uint32_t e[32], bytes = bw_op_get(op)->bytes;
    fillers[rng_below(r, sizeof fillers / sizeof *fillers)](r, e);
    if (rng_below(r, 3) == 0)
        share(r, e);
    if (rng_below(r, 4) == 0)
        displace(r, e);
    request->op = op;
    request->sources = NULL;
    for (unsigned i = 0; i < 32; i++)
        request->addr[i] = e[i] * bytes % LIMIT;
    do
        request->active = random_mask(r);
    while (bw_request_lanes(request) == 0);
    if (bw_op_get(op)->kind == BW_KIND_WGMMA)
        request->columns = 8 * (1 + rng_below(r, 32));
}

void family_print(const bw_request *request)
{
    printf("# %s,%08x", bw_op_get(request->op)->name, request->active);
    for (unsigned i = 0; i < 32; i++)
        printf(",%u", request->addr[i]);
    printf("\n");
}
