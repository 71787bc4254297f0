/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "tensors.h"

#include "random.h"

/* A matrix has at most 32 core matrices in either direction, so that steps of up to 2,560 bytes
 * stay within 32 × (2,560 + 2,560) of the start. */
#define MOST_STEP 2560u
#define MOST_START 32768u

static uint32_t step(bw_random *random)
{
    static const uint32_t usual[] = {16, 32, 64, 128, 256, 512, 1024, 2048};
    if (bw_random_below(random, 2))
        return usual[bw_random_below(random, sizeof usual / sizeof *usual)];
    return 16 * bw_random_below(random, MOST_STEP / 16 + 1);
}

static void make_place(bw_random *random, bw_tensor_place *place)
{
    static const uint32_t alignments[] = {16, 16, 128, 1024};
    const uint32_t alignment =
        alignments[bw_random_below(random, sizeof alignments / sizeof *alignments)];
    place->start = alignment * bw_random_below(random, MOST_START / alignment);
    place->leading = step(random);
    place->stride = step(random);
    place->mode = bw_random_below(random, 4);
    place->offset = bw_random_below(random, 3) ? 0 : bw_random_below(random, 8);
}

void bw_tensor_make(uint64_t seed, const char *name, uint64_t index, bw_tensor *tensor)
{
    bw_random random = {bw_random_mix(seed) ^ bw_random_mix(index + 1)};
    for (; *name; name++)
        random.state = bw_random_mix(random.state ^ (unsigned char)*name);
    make_place(&random, &tensor->a);
    make_place(&random, &tensor->b);
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
