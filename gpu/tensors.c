/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "tensors.h"

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static uint32_t below(uint64_t *state, uint32_t n)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)((mix(*state) >> 32) * n >> 32);
}

/* A matrix has at most 32 core matrices in either direction, so that steps of up to 2,560 bytes
 * stay within 32 × (2,560 + 2,560) of the start. */
#define MOST_STEP 2560u
#define MOST_START 32768u

static uint32_t step(uint64_t *state)
{
    static const uint32_t usual[] = {16, 32, 64, 128, 256, 512, 1024, 2048};
    if (below(state, 2))
        return usual[below(state, sizeof usual / sizeof *usual)];
    return 16 * below(state, MOST_STEP / 16 + 1);
}

static void make_place(uint64_t *state, bw_tensor_place *place)
{
    static const uint32_t alignments[] = {16, 16, 128, 1024};
    const uint32_t alignment = alignments[below(state, sizeof alignments / sizeof *alignments)];
    place->start = alignment * below(state, MOST_START / alignment);
    place->leading = step(state);
    place->stride = step(state);
    place->mode = below(state, 4);
    place->offset = below(state, 3) ? 0 : below(state, 8);
}

void bw_tensor_make(uint64_t seed, const char *name, uint64_t index, bw_tensor *tensor)
{
    uint64_t state = mix(seed) ^ mix(index + 1);
    for (; *name; name++)
        state = mix(state ^ (unsigned char)*name);
    make_place(&state, &tensor->a);
    make_place(&state, &tensor->b);
}

uint64_t bw_tensor_descriptor(const bw_tensor_place *place, uint32_t base)
{
    return (uint64_t)((base + place->start) / 16 & 0x3fff) |
           (uint64_t)(place->leading / 16 & 0x3fff) << 16 |
           (uint64_t)(place->stride / 16 & 0x3fff) << 32 | (uint64_t)(place->offset & 7) << 49 |
           (uint64_t)place->mode << 62;
}

unsigned bw_tensor_wavefronts(unsigned n, bool a_shared, bool sparse)
{
    return (a_shared ? 16 : 0) + n / (sparse ? 2 : 4);
}

unsigned bw_tensor_cycles(unsigned n, bool a_shared, bool sparse)
{
    const unsigned wavefronts = bw_tensor_wavefronts(n, a_shared, sparse);
    return wavefronts > n / 2 ? wavefronts : n / 2;
}
