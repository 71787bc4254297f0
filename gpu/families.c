/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "families.h"

#include <string.h>

#include "random.h"

static uint32_t pick(bw_random *r, const uint32_t *choices, uint32_t count)
{
    return choices[bw_random_below(r, count)];
}
#define PICK(r, ...)                                                                               \
    pick(r, (const uint32_t[]){__VA_ARGS__},                                                       \
         (uint32_t)(sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)))

/* Families write element indices of any size; they are folded into `count` elements afterwards. */
typedef struct shape {
    bw_random *random;
    uint32_t count; /* elements that fit                            */
    uint32_t row;   /* elements in one row of the banks (128 bytes) */
    uint32_t *at;   /* one index a lane                             */
} shape;

static void stride(shape *s)
{
    uint32_t step = bw_random_below(s->random, 3)
                        ? bw_random_below(s->random, 2 * s->row + 2)
                        : bw_random_below(s->random, s->count / BW_LANES + 1);
    uint32_t base = bw_random_below(s->random, s->count), down = bw_random_below(s->random, 8) == 0;
    for (uint32_t lane = 0; lane < BW_LANES; lane++)
        s->at[lane] = base + step * (down ? BW_LANES - 1 - lane : lane);
}

/* Some rows of the banks and a few elements. Two draws are never made in one expression: C leaves
 * their order open, and a request must be the same whatever the compiler. */
static uint32_t rows_and_rest(shape *s, uint32_t rows, uint32_t rest)
{
    uint32_t whole = s->row * bw_random_below(s->random, rows);
    return whole + bw_random_below(s->random, rest);
}

/* A lane at random goes anywhere within `range` elements. */
static void move_a_lane(shape *s, uint32_t range)
{
    uint32_t lane = bw_random_below(s->random, BW_LANES);
    s->at[lane] = bw_random_below(s->random, range);
}

static void tile(shape *s)
{
    uint32_t wide = PICK(s->random, 2, 4, 8, 16), base = bw_random_below(s->random, s->row);
    uint32_t across = PICK(s->random, 0, 1, 1, 1, 2, 3, 4, 8, 16, 17, 32, 33);
    uint32_t down = bw_random_below(s->random, 2) ? bw_random_below(s->random, 3 * s->row + 1)
                                                  : rows_and_rest(s, 9, 3);
    for (uint32_t lane = 0; lane < BW_LANES; lane++)
        s->at[lane] = base + lane % wide * across + lane / wide * down;
}

static void permutation(shape *s)
{
    uint32_t step = PICK(s->random, 1, 1, 1, 2, 3, 8), base = bw_random_below(s->random, s->count);
    for (uint32_t lane = 0; lane < BW_LANES; lane++)
        s->at[lane] = lane;
    for (uint32_t lane = BW_LANES - 1; lane; lane--) {
        uint32_t other = bw_random_below(s->random, lane + 1), kept = s->at[lane];
        s->at[lane] = s->at[other];
        s->at[other] = kept;
    }
    for (uint32_t lane = 0; lane < BW_LANES; lane++)
        s->at[lane] = base + step * s->at[lane];
}

static void anywhere(shape *s)
{
    for (uint32_t lane = 0; lane < BW_LANES; lane++)
        s->at[lane] = bw_random_below(s->random, s->count);
}

static void tight(shape *s)
{
    uint32_t range = PICK(s->random, 2, 4, 8, 16, 32, 64, 128, 256),
             base = bw_random_below(s->random, s->row);
    for (uint32_t lane = 0; lane < BW_LANES; lane++)
        s->at[lane] = base + bw_random_below(s->random, range);
}

/* Lanes whose numbers agree outside the bits of `together` share an element. */
static void share(shape *s, uint32_t together, uint32_t range)
{
    for (uint32_t lane = 0; lane < BW_LANES; lane++)
        s->at[lane] = bw_random_below(s->random, range);
    for (uint32_t lane = 0; lane < BW_LANES; lane++)
        s->at[lane] = s->at[lane & ~together];
}

static uint32_t some_range(shape *s)
{
    uint32_t range = PICK(s->random, 4, 16, 64, 256, 1024, UINT32_MAX);
    return range < s->count ? range : s->count;
}

static void groups(shape *s)
{
    uint32_t range = some_range(s);
    share(s, PICK(s->random, 1, 1, 2, 2, 3, 4, 5, 6, 7, 8, 12, 15, 16, 17, 24, 28, 30), range);
}

/* Pairs that share, but for a few lanes that break the rule. */
static void nearly_groups(shape *s)
{
    uint32_t range = some_range(s), breaks = 1 + bw_random_below(s->random, 3);
    share(s, PICK(s->random, 1, 2, 3), range);
    for (; breaks; breaks--)
        move_a_lane(s, range);
}

/* Neighbours share in one part of the warp, next-but-one neighbours in the other. */
static void mixed_groups(shape *s)
{
    uint32_t first[BW_LANES], bit = PICK(s->random, 4, 8, 16), range = some_range(s);
    share(s, 1, range);
    memcpy(first, s->at, sizeof first);
    share(s, 2, range);
    for (uint32_t lane = 0; lane < BW_LANES; lane++)
        if (lane & bit)
            s->at[lane] = first[lane];
}

static void swizzle(shape *s)
{
    uint32_t wide = PICK(s->random, 4, 8, 16, 32), mask = bw_random_below(s->random, 32);
    uint32_t shift = bw_random_below(s->random, 3), column = bw_random_below(s->random, 32);
    uint32_t by_column = bw_random_below(s->random, 2), pitch = PICK(s->random, 8, 16, 32, 64);
    for (uint32_t lane = 0; lane < BW_LANES; lane++) {
        uint32_t r = by_column ? lane : lane / wide, c = by_column ? column : lane % wide;
        s->at[lane] = r * pitch + ((c ^ (r >> shift & mask)) % pitch);
    }
}

static void outliers(shape *s)
{
    uint32_t count = 1 + bw_random_below(s->random, 6), base = bw_random_below(s->random, s->count);
    for (uint32_t lane = 0; lane < BW_LANES; lane++)
        s->at[lane] = base + lane;
    for (; count; count--)
        move_a_lane(s, s->count);
}

static void few_words(shape *s)
{
    uint32_t words[8] = {0}, count = 1 + bw_random_below(s->random, 8);
    for (uint32_t i = 0; i < count; i++)
        words[i] = bw_random_below(s->random, s->count);
    for (uint32_t lane = 0; lane < BW_LANES; lane++)
        s->at[lane] = words[bw_random_below(s->random, count)];
}

static void few_banks(shape *s)
{
    uint32_t banks = 1 + bw_random_below(s->random, 3), base = bw_random_below(s->random, s->row);
    uint32_t rows = 1 + bw_random_below(s->random, s->count / s->row);
    if (bw_random_below(s->random, 2) && rows > 40)
        rows = 40;
    for (uint32_t lane = 0; lane < BW_LANES; lane++) {
        uint32_t bank = bw_random_below(s->random, banks);
        s->at[lane] = base + bank + s->row * bw_random_below(s->random, rows);
    }
}

/* Eight lanes (or four, or sixteen) at random, and the others the same somewhere else. */
static void repeats(shape *s)
{
    uint32_t period = PICK(s->random, 4, 8, 16), step = bw_random_below(s->random, 2 * s->row + 1);
    tight(s);
    for (uint32_t lane = period; lane < BW_LANES; lane++)
        s->at[lane] = s->at[lane % period] + lane / period * step;
}

static void scramble(shape *s)
{
    uint32_t factor = bw_random_below(s->random, 32) | 1, flip = bw_random_below(s->random, 32);
    uint32_t base = bw_random_below(s->random, s->count), step = 1 + bw_random_below(s->random, 4);
    for (uint32_t lane = 0; lane < BW_LANES; lane++)
        s->at[lane] = base + step * ((lane * factor % BW_LANES) ^ flip);
}

static const struct {
    const char *name;
    void (*make)(shape *s);
} families[] = {
    {"stride", stride},
    {"tile", tile},
    {"permutation", permutation},
    {"anywhere", anywhere},
    {"tight", tight},
    {"groups", groups},
    {"nearly-groups", nearly_groups},
    {"mixed-groups", mixed_groups},
    {"swizzle", swizzle},
    {"outliers", outliers},
    {"few-words", few_words},
    {"few-banks", few_banks},
    {"repeats", repeats},
    {"scramble", scramble},
};
#define FAMILIES (sizeof families / sizeof *families)

size_t bw_family_count(void)
{
    return FAMILIES;
}

const char *bw_family_name(size_t family)
{
    return family < FAMILIES ? families[family].name : NULL;
}

/* One lane of each pair that differs in `bit`; now and then both. */
static uint32_t one_of_pairs(bw_random *r, uint32_t bit)
{
    uint32_t choice = bw_random_draw(r), mask = 0,
             both = bw_random_below(r, 4) ? 0 : 1u << bw_random_below(r, BW_LANES);
    for (uint32_t lane = 0; lane < BW_LANES; lane++)
        if ((choice >> (lane & ~bit) & 1) == !(lane & bit))
            mask |= 1u << lane;
    return mask | both;
}

/* Whole groups of four, eight or sixteen lanes. */
static uint32_t some_groups(bw_random *r)
{
    uint32_t size = PICK(r, 4, 8, 16), choice = bw_random_draw(r), mask = 0;
    for (uint32_t lane = 0; lane < BW_LANES; lane++)
        if (choice >> lane / size & 1)
            mask |= 1u << lane;
    return mask;
}

static uint32_t every_nth(bw_random *r)
{
    uint32_t n = 2 + bw_random_below(r, 15), first = bw_random_below(r, n), mask = 0;
    for (uint32_t lane = first; lane < BW_LANES; lane += n)
        mask |= 1u << lane;
    return mask;
}

static uint32_t thinned(bw_random *r, uint32_t mask)
{
    return mask & bw_random_draw(r);
}

static uint32_t some_mask(bw_random *r)
{
    uint32_t mask;
    switch (bw_random_below(r, 18)) {
    case 0: return bw_random_draw(r);
    case 1: mask = bw_random_draw(r), mask &= bw_random_draw(r); return mask & bw_random_draw(r);
    case 2: mask = bw_random_draw(r), mask |= bw_random_draw(r); return mask | bw_random_draw(r);
    case 3: return UINT32_MAX >> bw_random_below(r, BW_LANES);
    case 4: return UINT32_MAX << bw_random_below(r, BW_LANES);
    case 5: return some_groups(r);
    case 6: return thinned(r, some_groups(r));
    case 7: return 1u << bw_random_below(r, BW_LANES);
    case 8: return one_of_pairs(r, 1);
    case 9: return one_of_pairs(r, 2);
    case 10: return every_nth(r);
    default: return UINT32_MAX;
    }
}

/* How many operations there were when sequences were first recorded (gpu-loops.csv names some by
 * seed and index): as a number that stays, so that a further operation changes none of them. */
#define SEQUENCE_STEP 71u

size_t bw_family_request(bw_op op, uint64_t seed, uint64_t index, uint32_t limit,
                         bw_request *request)
{
    const bw_op_info *info = bw_op_get(op);
    uint32_t bytes = info ? info->bytes : 4;
    bw_random random = {bw_random_mix(seed ^ bw_random_mix(index * SEQUENCE_STEP + (uint64_t)op))};
    shape s = {&random, limit / bytes, 128 / bytes, request->addr};
    size_t family = bw_random_below(&random, FAMILIES);
    families[family].make(&s);
    for (uint32_t lane = 0; lane < BW_LANES; lane++)
        request->addr[lane] = request->addr[lane] % s.count * bytes;
    request->op = op;
    request->sources = NULL;
    request->active = info && info->matrices ? UINT32_MAX : some_mask(&random);
    if (!request->active)
        request->active = 1u << bw_random_below(&random, BW_LANES);
    if (info && info->kind == BW_KIND_WGMMA)
        request->columns = 8 * (1 + bw_random_below(&random, 32));
    return family;
}
