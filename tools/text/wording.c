/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "wording.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Items of a list that a person reads through; longer ones are cut after FEWER of them. */
#define MOST 8
#define FEWER 6
/* Items from which on an even step is written with dots. */
#define DOTS 5

/* A stretch of neighbouring numbers. */
typedef struct stretch {
    uint32_t first, last;
} stretch;

/* Whether all values lie one step apart. */
static bool is_even(const uint32_t *values, unsigned count)
{
    for (unsigned i = 2; i < count; i++)
        if (values[i] - values[i - 1] != values[1] - values[0])
            return false;
    return count >= 2 && values[0] != values[1];
}

static const char *dotted(bw_arena *arena, const uint32_t *values, unsigned count)
{
    return bw_arena_format(arena, "%" PRIu32 ", %" PRIu32 ", %" PRIu32 ", ... %" PRIu32, values[0],
                           values[1], values[2], values[count - 1]);
}

static const char *stretch_text(bw_arena *arena, stretch s)
{
    if (s.first == s.last)
        return bw_arena_format(arena, "%" PRIu32, s.first);
    return bw_arena_format(arena, "%" PRIu32 "-%" PRIu32, s.first, s.last);
}

/* The first stretches of `total` numbers, parted by commas, and how many numbers are left. */
static const char *joined(bw_arena *arena, const stretch *items, unsigned count, unsigned total)
{
    const char *text = "";
    unsigned left = total;
    for (unsigned i = 0; i < count; i++)
        left -= items[i].last - items[i].first + 1;
    for (unsigned i = 0; i < count; i++) {
        const char *part = i == 0 ? "" : i + 1 == count && !left ? " and " : ", ";
        text = bw_arena_format(arena, "%s%s%s", text, part, stretch_text(arena, items[i]));
    }
    return left ? bw_arena_format(arena, "%s and %u more", text, left) : text;
}

const char *bw_words_sequence(bw_arena *arena, const uint32_t *values, unsigned count)
{
    stretch items[MOST];
    if (count >= 3 && is_even(values, count) && values[1] == values[0] + 1)
        return stretch_text(arena, (stretch){values[0], values[count - 1]});
    if (count >= DOTS && is_even(values, count))
        return dotted(arena, values, count);
    unsigned shown = count <= MOST ? count : FEWER;
    for (unsigned i = 0; i < shown; i++)
        items[i] = (stretch){values[i], values[i]};
    return joined(arena, items, shown, count);
}

/* Cuts ascending values into stretches of neighbours; `items` has room for one each. */
static unsigned stretches(const uint32_t *values, unsigned count, stretch *items)
{
    unsigned found = 0;
    for (unsigned i = 0; i < count; i++) {
        if (found && items[found - 1].last + 1 == values[i])
            items[found - 1].last = values[i];
        else
            items[found++] = (stretch){values[i], values[i]};
    }
    return found;
}

const char *bw_words_set(bw_arena *arena, const uint32_t *values, unsigned count)
{
    stretch *items = bw_arena_alloc(arena, count * sizeof *items);
    if (count >= DOTS && is_even(values, count) && values[1] != values[0] + 1)
        return dotted(arena, values, count);
    unsigned found = stretches(values, count, items);
    return joined(arena, items, found <= MOST ? found : FEWER, count);
}

/* All are named: which lanes take part is no detail. */
const char *bw_words_mask(bw_arena *arena, uint32_t mask)
{
    uint32_t values[32];
    stretch items[32];
    unsigned count = 0;
    for (uint32_t left = mask; left; left &= left - 1)
        values[count++] = (uint32_t)__builtin_ctz(left);
    if (count >= DOTS && is_even(values, count) && values[1] != values[0] + 1)
        return dotted(arena, values, count);
    return joined(arena, items, stretches(values, count, items), count);
}

const char *bw_words_lanes_briefly(bw_arena *arena, uint32_t mask, unsigned most)
{
    const char *text = bw_words_lanes(arena, mask);
    if (strlen(text) <= most)
        return text;
    return bw_arena_format(arena, "%d lanes", __builtin_popcount(mask));
}

const char *bw_words_lanes(bw_arena *arena, uint32_t mask)
{
    return bw_arena_format(arena, "lane%s %s", mask & (mask - 1) ? "s" : "",
                           bw_words_mask(arena, mask));
}

const char *bw_words_count(bw_arena *arena, uint64_t count, const char *noun)
{
    return bw_arena_format(arena, "%" PRIu64 " %s%s", count, noun, count == 1 ? "" : "s");
}

const char *bw_words_number(bw_arena *arena, double number, int decimals)
{
    return bw_arena_format(arena, "%.*f", number == floor(number) ? 0 : decimals, number);
}

const char *bw_words_shape(bw_arena *arena, const uint32_t shape[3])
{
    if (shape[2] != 1)
        return bw_arena_format(arena, "%" PRIu32 "x%" PRIu32 "x%" PRIu32, shape[0], shape[1],
                               shape[2]);
    if (shape[1] != 1)
        return bw_arena_format(arena, "%" PRIu32 "x%" PRIu32, shape[0], shape[1]);
    return bw_arena_format(arena, "%" PRIu32, shape[0]);
}
