/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * random: the generator of random requests, operands and data, the same on every machine.
 *
 * Knows nothing of requests. The caller owns the state; one state a thread. What it draws must
 * never change: recordings name their seeds.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_RANDOM_H
#define BANKWISE_RANDOM_H

#include <stdint.h>

/* Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014: a counter
 * through a mixing function, so that any start is as good as any other. */
typedef struct bw_random {
    uint64_t state;
} bw_random;

static inline uint64_t bw_random_mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* What the counter goes on by: 2^64 / the golden ratio, made odd. */
#define BW_RANDOM_STEP UINT64_C(0x9e3779b97f4a7c15)

/* The next 64 random bits, and the upper 32 of them. */
static inline uint64_t bw_random_draw64(bw_random *random)
{
    random->state += BW_RANDOM_STEP;
    return bw_random_mix(random->state);
}

static inline uint32_t bw_random_draw(bw_random *random)
{
    return (uint32_t)(bw_random_draw64(random) >> 32);
}

/* 0 ... n - 1, n at least 1. */
static inline uint32_t bw_random_below(bw_random *random, uint32_t n)
{
    return (uint32_t)((uint64_t)bw_random_draw(random) * n >> 32);
}

#endif
