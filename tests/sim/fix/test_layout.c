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

int main(void)
{
    TCase *tc = tcase_create("layout");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, a_layout_is_one_to_one);
    tcase_add_test(tc, known_places);
    tcase_add_test(tc, impossible_layouts);
    return tap_run(tc);
}
