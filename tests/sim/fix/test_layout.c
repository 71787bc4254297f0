/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "layout.h"
#include "tap.h"
#include "traffic_maker.h"

static bw_layout random_layout(uint64_t *state, const bw_array *a)
{
    bw_layout l = {.kind = (bw_layout_kind)(next_random(state) % BW_LAYOUT_KINDS)};
    unsigned turn = (unsigned)next_random(state) % 6;
    for (unsigned d = 0; d < BW_MAX_DIMENSIONS; d++) {
        l.pad[d] = d ? (int16_t)(next_random(state) % 5) : 0;
        l.order[d] = (uint8_t)((d + turn) % (a->dims ? a->dims : 1));
    }
    for (unsigned i = 0; i < a->member_count; i++)
        l.member[i] = (uint8_t)((i + turn) % a->member_count);
    l.row = (uint8_t)(next_random(state) % 2);
    l.bits = (uint8_t)(1 + next_random(state) % 4);
    l.base = (uint8_t)(next_random(state) % 4);
    l.shift = (uint8_t)(next_random(state) % 4);
    l.factor = (uint32_t)(next_random(state) % 16);
    l.distance = (int8_t)((int)(next_random(state) % 17) - 8);
    l.every = (uint32_t)(next_random(state) % 40);
    l.extra = (uint32_t)(next_random(state) % 5) * a->align;
    return l;
}

/* Every byte has a place of its own in the new array, and stays with the bytes of its scalar. */
START_TEST(a_layout_is_one_to_one)
{
    unsigned placed[BW_LAYOUT_KINDS] = {0};
    for (uint64_t round = 0; round < 1500; round++) {
        uint64_t state = round;
        made m;
        bw_placement p;
        make_traffic(&state, &m);
        bw_layout l = random_layout(&state, &m.array);
        if (!bw_layout_place(&p, &l, &m.array))
            continue;
        placed[l.kind]++;
        char *taken = calloc(p.bytes + 1, 1);
        for (uint32_t i = 0; i < m.array.bytes; i++) {
            if (m.array.struct_name) { /* the holes of a struct are nobody's */
                bool hole = true;
                for (unsigned k = 0; k < m.array.member_count; k++)
                    hole &= i % m.array.elem < m.array.members[k].offset ||
                            i % m.array.elem >= m.array.members[k].offset + m.array.members[k].size;
                if (hole)
                    continue;
            }
            uint64_t to = bw_placed_at(&p, i);
            ck_assert_uint_lt(to, p.bytes);
            ck_assert_msg(!taken[to], "round %d: kind %d: two bytes meet", (int)round, l.kind);
            taken[to] = 1;
        }
        free(taken);
    }
    for (int kind = 0; kind < BW_LAYOUT_KINDS; kind++)
        ck_assert_msg(placed[kind] > 5, "kind %d was placed %u times", kind, placed[kind]);
}
END_TEST

START_TEST(known_places)
{
    bw_array a = {.name = "s", .elem = 4, .align = 4, .dims = 2, .dim = {32, 32}, .bytes = 4096};
    bw_layout pad = {.kind = BW_LAYOUT_PAD, .pad = {0, 1}};
    bw_layout xor = {.kind = BW_LAYOUT_XOR, .bits = 3, .base = 2, .factor = 1};
    bw_layout swap = {.kind = BW_LAYOUT_ORDER, .order = {1, 0}};
    bw_layout cute = {.kind = BW_LAYOUT_SWIZZLE, .bits = 5, .base = 0, .distance = 5};
    bw_placement p;
    ck_assert(bw_layout_place(&p, &pad, &a));
    ck_assert_uint_eq(p.bytes, 32 * 33 * 4);
    ck_assert_uint_eq(bw_placed_at(&p, 4 * 32), 4 * 33);
    ck_assert(bw_layout_place(&p, &xor, &a));
    ck_assert_uint_eq(bw_placed_at(&p, 4 * (9 * 32 + 0)), 4 * (9 * 32 + 4));
    ck_assert(bw_layout_place(&p, &swap, &a));
    ck_assert_uint_eq(bw_placed_at(&p, 4 * (3 * 32 + 5)), 4 * (5 * 32 + 3));
    ck_assert(bw_layout_place(&p, &cute, &a));
    ck_assert_uint_eq(bw_placed_at(&p, 4 * (7 * 32 + 1)), 4 * (7 * 32 + 6));
    ck_assert(bw_stays_whole(&p, 0, 4));
    ck_assert(!bw_stays_whole(&p, 4 * 32, 8));
}
END_TEST

START_TEST(impossible_layouts)
{
    bw_array odd = {.name = "s", .elem = 4, .align = 4, .dims = 2, .dim = {32, 33}, .bytes = 4224};
    bw_array flat = {.name = "s", .elem = 4, .align = 4, .dims = 1, .dim = {64}, .bytes = 256};
    bw_array opaque = {.name = "s", .elem = 4, .align = 4, .dims = 0, .bytes = 256};
    bw_placement p;
    bw_layout l = {.kind = BW_LAYOUT_XOR, .bits = 1, .factor = 1};
    ck_assert(!bw_layout_place(&p, &l, &odd));
    ck_assert(!bw_layout_place(&p, &l, &flat));
    l = (bw_layout){.kind = BW_LAYOUT_PAD};
    ck_assert(!bw_layout_place(&p, &l, &opaque));
    l = (bw_layout){.kind = BW_LAYOUT_SWIZZLE, .bits = 3, .base = 0, .distance = 2};
    ck_assert(!bw_layout_place(&p, &l, &flat));
    l = (bw_layout){.kind = BW_LAYOUT_SWIZZLE, .bits = 3, .base = 0, .distance = -6};
    ck_assert(!bw_layout_place(&p, &l, &flat));
    l = (bw_layout){.kind = BW_LAYOUT_SOA};
    ck_assert(!bw_layout_place(&p, &l, &flat));
    l = (bw_layout){.kind = BW_LAYOUT_ORDER, .order = {0, 0}};
    ck_assert(!bw_layout_place(&p, &l, &odd));
}
END_TEST

/* struct { float2 pair; int tail[2]; char c; }: 20 bytes of 4-byte scalars, and one of 1. */
static const bw_array_member members[] = {
    {.name = "pair", .offset = 0, .size = 8, .align = 8, .elem = 8},
    {.name = "tail", .offset = 8, .size = 8, .align = 4, .elem = 4, .dims = 1, .dim = {2}},
    {.name = "c", .offset = 16, .size = 1, .align = 1, .elem = 1},
};
static const bw_array structs = {.name = "p",
                                 .elem = 24,
                                 .align = 8,
                                 .dims = 1,
                                 .dim = {4},
                                 .bytes = 96,
                                 .struct_name = "P",
                                 .members = members,
                                 .member_count = 3};

/* Of a struct of arrays, scalars stay together and nothing else does, but what meets again. */
START_TEST(pieces_of_a_struct_of_arrays)
{
    bw_layout soa = {.kind = BW_LAYOUT_SOA};
    bw_placement p;
    ck_assert(bw_layout_place(&p, &soa, &structs));
    /* pair[4] at 0, tail[2][4] at 32, c[4] at 64; the whole is aligned as its widest member is */
    ck_assert_uint_eq(p.bytes, 72);
    ck_assert_uint_eq(bw_placed_at(&p, 24 * 3 + 4), 8 * 3 + 4);
    ck_assert_uint_eq(bw_placed_at(&p, 24 * 2 + 8), 32 + 4 * 2);
    ck_assert_uint_eq(bw_placed_at(&p, 24 * 2 + 12), 32 + 4 * (4 + 2));
    ck_assert_uint_eq(bw_placed_at(&p, 24 * 1 + 16), 64 + 1);
    ck_assert_uint_eq(bw_placed_at(&p, 96 + 5), 72 + 5); /* past the end */
    ck_assert(bw_stays_whole(&p, 24, 8));
    ck_assert(bw_stays_whole(&p, 24 + 4, 4));
    ck_assert(!bw_stays_whole(&p, 24 + 4, 8)); /* of pair into tail */
    ck_assert(bw_stays_whole(&p, 8, 4));
    ck_assert(!bw_stays_whole(&p, 8, 8)); /* tail[0] and tail[1] part */
    ck_assert(!bw_stays_whole(&p, 8, 5));
    ck_assert(bw_stays_whole(&p, 16, 1));
    ck_assert(!bw_stays_whole(&p, 12, 5)); /* of tail into c */
}
END_TEST

START_TEST(pieces_of_reordered_members)
{
    bw_layout swap = {.kind = BW_LAYOUT_MEMBERS, .member = {1, 0, 2}};
    bw_placement p;
    ck_assert(bw_layout_place(&p, &swap, &structs));
    ck_assert_uint_eq(p.elem, 24); /* tail at 0, pair at 8, c at 16, rounded up to 8 */
    ck_assert_uint_eq(bw_placed_at(&p, 24 + 0), 24 + 8);
    ck_assert_uint_eq(bw_placed_at(&p, 24 + 12), 24 + 4);
    ck_assert(bw_stays_whole(&p, 8, 8));
    ck_assert(!bw_stays_whole(&p, 4, 8));
    swap = (bw_layout){.kind = BW_LAYOUT_MEMBERS, .member = {2, 1, 0}};
    ck_assert(bw_layout_place(&p, &swap, &structs)); /* c at 0, tail at 4, pair at 16 */
    ck_assert_uint_eq(bw_placed_at(&p, 8), 4);
    ck_assert_uint_eq(bw_placed_at(&p, 0), 16);
    swap = (bw_layout){.kind = BW_LAYOUT_MEMBERS, .member = {0, 3, 1}};
    ck_assert(!bw_layout_place(&p, &swap, &structs));
    swap = (bw_layout){.kind = BW_LAYOUT_MEMBERS, .member = {0, 1, 1}};
    ck_assert(!bw_layout_place(&p, &swap, &structs));
}
END_TEST

/* Elements part where something is put between them, and only there. */
START_TEST(pieces_of_elements)
{
    bw_array flat = {.name = "s", .elem = 4, .align = 4, .dims = 1, .dim = {64}, .bytes = 256};
    bw_layout every = {.kind = BW_LAYOUT_EVERY, .every = 4, .extra = 1};
    bw_placement p;
    ck_assert(bw_layout_place(&p, &every, &flat));
    ck_assert_uint_eq(p.bytes, (64 + 16) * 4);
    ck_assert_uint_eq(bw_placed_at(&p, 4 * 9 + 3), 4 * 11 + 3);
    ck_assert(bw_stays_whole(&p, 0, 16));
    ck_assert(!bw_stays_whole(&p, 4, 16));
    ck_assert(bw_stays_whole(&p, 2, 14)); /* begins within an element */
    ck_assert(!bw_stays_whole(&p, 2, 15));
    bw_layout grow = {.kind = BW_LAYOUT_STRUCT, .extra = 8};
    ck_assert(bw_layout_place(&p, &grow, &structs));
    ck_assert_uint_eq(p.bytes, 4 * 32);
    ck_assert_uint_eq(bw_placed_at(&p, 24 + 5), 32 + 5);
    grow.extra = 4;
    ck_assert(!bw_layout_place(&p, &grow, &structs)); /* no multiple of the alignment */
}
END_TEST

/* An array of one dimension of `count` elements of `elem` bytes. */
static bw_array flat_of(uint32_t elem, uint32_t count)
{
    return (bw_array){.name = "s",
                      .elem = elem,
                      .align = 1,
                      .dims = 1,
                      .dim = {count},
                      .bytes = elem * count,
                      .struct_name = "P",
                      .members = members + 2,
                      .member_count = 1};
}

/* A layout has 1 GiB at most, to the byte, whatever makes it grow. */
START_TEST(sizes_at_their_limit)
{
    const uint32_t gib = 1u << 30;
    bw_placement p;
    bw_layout pad = {.kind = BW_LAYOUT_PAD, .pad = {1}};
    bw_layout every = {.kind = BW_LAYOUT_EVERY, .every = 1u << 29, .extra = 2};
    bw_layout grow = {.kind = BW_LAYOUT_STRUCT, .extra = 1};
    bw_layout soa = {.kind = BW_LAYOUT_SOA};
    bw_array a = flat_of(1, gib - 1), b = flat_of(1, gib);
    ck_assert(bw_layout_place(&p, &pad, &a));
    ck_assert_uint_eq(p.bytes, gib);
    ck_assert(!bw_layout_place(&p, &pad, &b));
    a = flat_of(1, gib - 2);
    b = flat_of(1, gib - 1);
    ck_assert(bw_layout_place(&p, &every, &a));
    ck_assert_uint_eq(p.bytes, gib);
    ck_assert(!bw_layout_place(&p, &every, &b));
    a = flat_of(1, gib / 2);
    b = flat_of(1, gib / 2 + 1);
    ck_assert(bw_layout_place(&p, &grow, &a));
    ck_assert_uint_eq(p.bytes, gib);
    ck_assert(!bw_layout_place(&p, &grow, &b));
    a = flat_of(1, gib);
    b = flat_of(1, gib + 1);
    a.members = b.members = (const bw_array_member[]){{"c", 0, 1, 1, 1, 0, {0}, "char"}};
    ck_assert(bw_layout_place(&p, &soa, &a));
    ck_assert(!bw_layout_place(&p, &soa, &b));
}
END_TEST

/* What an XOR and a swizzle may move: bits that the row, or the array, has. */
START_TEST(bits_at_their_limit)
{
    bw_placement p;
    bw_array wide = {
        .name = "s", .elem = 1, .align = 1, .dims = 2, .dim = {2, 1u << 17}, .bytes = 1u << 18};
    bw_layout x = {.kind = BW_LAYOUT_XOR, .bits = 8, .base = 8, .factor = 1};
    ck_assert(bw_layout_place(&p, &x, &wide));
    x.base = 9;
    ck_assert(!bw_layout_place(&p, &x, &wide));
    x = (bw_layout){.kind = BW_LAYOUT_XOR, .bits = 1, .shift = 16, .factor = 1};
    ck_assert(bw_layout_place(&p, &x, &wide));
    x.shift = 17;
    ck_assert(!bw_layout_place(&p, &x, &wide));
    x = (bw_layout){.kind = BW_LAYOUT_XOR, .bits = 1, .row = 1, .factor = 1};
    ck_assert(!bw_layout_place(&p, &x, &wide)); /* the last dimension gives no row */
    bw_array long_one = {
        .name = "s", .elem = 1, .align = 1, .dims = 1, .dim = {1u << 25}, .bytes = 1u << 25};
    bw_layout s = {.kind = BW_LAYOUT_SWIZZLE, .bits = 8, .base = 8, .distance = 8};
    ck_assert(bw_layout_place(&p, &s, &long_one));
    s.base = 9;
    ck_assert(!bw_layout_place(&p, &s, &long_one));
    s = (bw_layout){.kind = BW_LAYOUT_SWIZZLE, .bits = 3, .distance = 3};
    ck_assert(bw_layout_place(&p, &s, &long_one));
    s.bits = 0;
    ck_assert(!bw_layout_place(&p, &s, &long_one));
    bw_array small = {.name = "s", .elem = 4, .align = 4, .dims = 1, .dim = {64}, .bytes = 256};
    s = (bw_layout){.kind = BW_LAYOUT_SWIZZLE, .bits = 3, .distance = -3};
    ck_assert(bw_layout_place(&p, &s, &small)); /* writes bits 3 to 5 of 6 */
    ck_assert_uint_eq(bw_placed_at(&p, 4 * 9), 4 * (9 ^ 1 << 3));
    s.base = 1;
    ck_assert(!bw_layout_place(&p, &s, &small));
}
END_TEST

/* 32 members are moved, and not 33; members that lie on each other are not. */
START_TEST(members_at_their_limit)
{
    bw_array_member many[BW_MAX_MEMBERS + 1];
    bw_layout soa = {.kind = BW_LAYOUT_SOA};
    bw_placement p;
    for (unsigned i = 0; i <= BW_MAX_MEMBERS; i++)
        many[i] = (bw_array_member){"m", i, 1, 1, 1, 0, {0}, "char"};
    bw_array a = flat_of(BW_MAX_MEMBERS + 1, 4);
    a.members = many;
    a.member_count = BW_MAX_MEMBERS;
    ck_assert(bw_layout_place(&p, &soa, &a));
    a.member_count = BW_MAX_MEMBERS + 1;
    ck_assert(!bw_layout_place(&p, &soa, &a));
    a.member_count = 2;
    ck_assert(bw_layout_place(&p, &soa, &a));
    many[1].offset = 0; /* a union */
    ck_assert(!bw_layout_place(&p, &soa, &a));
    many[1].offset = 1;
    many[1].dims = BW_MAX_DIMENSIONS - 1; /* one more is the array's */
    ck_assert(bw_layout_place(&p, &soa, &a));
    many[1].dims = BW_MAX_DIMENSIONS;
    ck_assert(!bw_layout_place(&p, &soa, &a));
    many[1].dims = 0;
    many[1].elem = 0;
    ck_assert(!bw_layout_place(&p, &soa, &a));
    a.struct_name = NULL;
    ck_assert(!bw_layout_place(&p, &soa, &a));
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("layout");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, a_layout_is_one_to_one);
    tcase_add_test(tc, known_places);
    tcase_add_test(tc, impossible_layouts);
    tcase_add_test(tc, pieces_of_a_struct_of_arrays);
    tcase_add_test(tc, pieces_of_reordered_members);
    tcase_add_test(tc, pieces_of_elements);
    tcase_add_test(tc, sizes_at_their_limit);
    tcase_add_test(tc, bits_at_their_limit);
    tcase_add_test(tc, members_at_their_limit);
    return tap_run(tc);
}
