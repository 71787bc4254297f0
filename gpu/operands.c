/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "operands.h"

#include <string.h>

#include "random.h"

static const uint64_t corners_32[] = {
    0,          1,          2,          3,          31,         32,         0x7f,
    0x80,       0xff,       0x8000,     0xffff,     0x10000,    0x5410,     0xfedc,
    0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0x01000001,
};
static const uint64_t corners_64[] = {
    0,
    1,
    7,
    63,
    64,
    UINT64_C(0x7fffffff),
    UINT64_C(0x80000000),
    UINT64_C(0xffffffff),
    UINT64_C(0x100000000),
    UINT64_C(0x7fffffffffffffff),
    UINT64_C(0x8000000000000000),
    UINT64_C(0x8000000000000001),
    UINT64_C(0xffffffff00000000),
    UINT64_C(0xfffffffffffffffe),
    UINT64_C(0xffffffffffffffff),
};
/* 0, the least and the largest subnormal, the least normal, numbers around 1 and around the limits
 * of integers, the largest, infinity, quiet and signalling NaN; and their negatives. */
static const uint64_t corners_float[] = {
    0x00000000, 0x80000000, 0x00000001, 0x807fffff, 0x00800000, 0x3f000000, 0xbf000000,
    0x3f7fffff, 0x3f800000, 0xbf800000, 0x3fc00000, 0x40200000, 0x4b000001, 0x4effffff,
    0x4f000000, 0xcf000000, 0xcf000001, 0x4f7fffff, 0x5f000000, 0x7f7fffff, 0xff7fffff,
    0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffffffff, 0x43800000, 0x477ff000,
};
static const uint64_t corners_double[] = {
    UINT64_C(0x0000000000000000), UINT64_C(0x8000000000000000), UINT64_C(0x0000000000000001),
    UINT64_C(0x800fffffffffffff), UINT64_C(0x0010000000000000), UINT64_C(0x3fe0000000000000),
    UINT64_C(0xbfe0000000000000), UINT64_C(0x3ff0000000000000), UINT64_C(0xbff8000000000000),
    UINT64_C(0x4004000000000000), UINT64_C(0x41dfffffffc00000), UINT64_C(0x41e0000000000000),
    UINT64_C(0xc1e0000000200000), UINT64_C(0x41efffffffe00000), UINT64_C(0x43e0000000000000),
    UINT64_C(0x43f0000000000000), UINT64_C(0x47efffffe0000000), UINT64_C(0x36a0000000000000),
    UINT64_C(0x7fefffffffffffff), UINT64_C(0x7ff0000000000000), UINT64_C(0xfff0000000000000),
    UINT64_C(0x7ff8000000000000), UINT64_C(0x7ff0000000000001), UINT64_C(0xffffffffffffffff),
};
static const uint64_t corners_half[] = {
    0x0000, 0x8000, 0x0001, 0x83ff, 0x0400, 0x3800, 0xb800, 0x3bff, 0x3c00, 0xbc00, 0x3e00,
    0x4100, 0x6400, 0x7800, 0x77ff, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x7c01, 0xffff,
};

/* Integers: any, few bits set or clear, small, small and negative. */
static uint64_t integer(bw_random *random, unsigned bits)
{
    const uint64_t how = bw_random_draw64(random), any = bw_random_draw64(random) >> (64 - bits);
    const uint64_t mask = UINT64_MAX >> (64 - bits),
                   other = bw_random_draw64(random) >> (64 - bits);
    switch (how % 8) {
    case 0: return any & other & (bw_random_draw64(random) >> (64 - bits));
    case 1: return (any | other | bw_random_draw64(random)) & mask;
    case 2: return any >> (how >> 32) % bits;
    case 3: return (0 - (any >> (how >> 32) % bits)) & mask;
    default: return any;
    }
}

/* Floating-point numbers of `digits` bits of significand below `exponents` bits of exponent: near
 * 1, where sums and comparisons matter; integers and halves of them; any bits. */
static uint64_t real(bw_random *random, unsigned digits, unsigned exponents)
{
    const unsigned bits = 1 + digits + exponents;
    const uint64_t how = bw_random_draw64(random), any = bw_random_draw64(random) >> (64 - bits);
    const uint64_t bias = (UINT64_C(1) << (exponents - 1)) - 1, sign = any >> (bits - 1);
    const uint64_t fraction = any & ((UINT64_C(1) << digits) - 1);
    uint64_t exponent;
    switch (how % 8) {
    case 0:
    case 1: return any;
    case 2: exponent = bias - 2 + (how >> 32) % 5; break;
    case 3: exponent = (how >> 32) % 3; break;
    case 4: exponent = 2 * bias - 1 + (how >> 32) % 3; break;
    case 5: /* few digits */
        exponent = bias - 3 + (how >> 32) % (digits + 8);
        return sign << (bits - 1) | (exponent & (2 * bias + 1)) << digits |
               (fraction & (how >> 40 & 7) << (digits - 3));
    default: exponent = bias - 8 + (how >> 32) % 48; break;
    }
    return sign << (bits - 1) | (exponent & (2 * bias + 1)) << digits | fraction;
}

#define CORNERS(NAME) corners_##NAME, sizeof corners_##NAME / sizeof *corners_##NAME

static const struct {
    const char *name;
    size_t size;
    const uint64_t *corners;
    size_t corner_count;
    unsigned digits, exponents; /* of reals; exponents is 0 for integers */
} kinds[] = {
    [BW_OPERANDS_32] = {"int32", 4, CORNERS(32), 0, 0},
    [BW_OPERANDS_64] = {"int64", 8, CORNERS(64), 0, 0},
    [BW_OPERANDS_FLOAT] = {"float", 4, CORNERS(float), 23, 8},
    [BW_OPERANDS_DOUBLE] = {"double", 8, CORNERS(double), 52, 11},
    [BW_OPERANDS_HALF] = {"half2", 4, CORNERS(half), 10, 5},
};
_Static_assert(sizeof kinds / sizeof *kinds == BW_OPERANDS_COUNT, "a row for each kind");

const char *bw_operands_name(bw_operands kind)
{
    return kind < BW_OPERANDS_COUNT ? kinds[kind].name : NULL;
}

size_t bw_operands_size(bw_operands kind)
{
    return kinds[kind].size;
}

static uint64_t any_number(bw_operands kind, bw_random *random)
{
    if (!kinds[kind].exponents)
        return integer(random, (unsigned)kinds[kind].size * 8);
    return real(random, kinds[kind].digits, kinds[kind].exponents);
}

/* One number: of a and b the corners in all pairs, as far as they go; c takes them now and then. */
static uint64_t number(bw_operands kind, unsigned which, size_t index, bw_random *random)
{
    const size_t corners = kinds[kind].corner_count;
    if (which == 2 || index >= corners * corners)
        return bw_random_draw64(random) % 16
                   ? any_number(kind, random)
                   : kinds[kind].corners[bw_random_draw64(random) % corners];
    return kinds[kind].corners[which ? index % corners : index / corners];
}

void bw_operands_make(bw_operands kind, unsigned which, uint64_t seed, size_t count, void *to)
{
    for (size_t i = 0; i < count; i++) {
        bw_random random = {bw_random_mix(seed * BW_OPERAND_COUNT + which + 1) +
                            i * UINT64_C(0x632be59bd9b4e019)};
        uint64_t value = number(kind, which, i, &random);
        if (kind == BW_OPERANDS_HALF)
            value |= number(kind, which, count - 1 - i, &random) << 16;
        if (kinds[kind].size == 8)
            memcpy((char *)to + 8 * i, &value, 8);
        else
            memcpy((char *)to + 4 * i, &(uint32_t){(uint32_t)value}, 4);
    }
}
