/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>

#include "wording.h"
#include "../common/tap.h"

static bw_arena arena;

static void tear_down(void)
{
    bw_arena_finish(&arena);
}

#define VALUES(...) (const uint32_t[]){__VA_ARGS__}, sizeof(uint32_t[]){__VA_ARGS__} / 4

START_TEST(sequences_keep_their_order)
{
    ck_assert_str_eq(bw_words_sequence(&arena, VALUES(7)), "7");
    ck_assert_str_eq(bw_words_sequence(&arena, VALUES(0, 1)), "0 and 1");
    ck_assert_str_eq(bw_words_sequence(&arena, VALUES(0, 1, 2)), "0-2");
    ck_assert_str_eq(bw_words_sequence(&arena, VALUES(0, 8, 16, 24)), "0, 8, 16 and 24");
    ck_assert_str_eq(bw_words_sequence(&arena, VALUES(0, 8, 16, 24, 32)), "0, 8, 16, ... 32");
    ck_assert_str_eq(bw_words_sequence(&arena, VALUES(9, 3, 5)), "9, 3 and 5");
    ck_assert_str_eq(bw_words_sequence(&arena, VALUES(40, 30, 20, 10, 0)), "40, 30, 20, ... 0");
    ck_assert_str_eq(bw_words_sequence(&arena, VALUES(5, 5, 5, 5, 5, 5)), "5, 5, 5, 5, 5 and 5");
    ck_assert_str_eq(bw_words_sequence(&arena, VALUES(1, 2, 4, 8, 16, 32, 64, 128)),
                     "1, 2, 4, 8, 16, 32, 64 and 128");
    ck_assert_str_eq(bw_words_sequence(&arena, VALUES(1, 2, 4, 8, 16, 32, 64, 128, 256)),
                     "1, 2, 4, 8, 16, 32 and 3 more");
}
END_TEST

START_TEST(sets_are_stretches)
{
    ck_assert_str_eq(bw_words_set(&arena, VALUES(3)), "3");
    ck_assert_str_eq(bw_words_set(&arena, VALUES(3, 4)), "3-4");
    ck_assert_str_eq(bw_words_set(&arena, VALUES(0, 1, 2, 3, 8, 9, 31)), "0-3, 8-9 and 31");
    ck_assert_str_eq(bw_words_set(&arena, VALUES(0, 1, 2, 3, 4)), "0-4");
    ck_assert_str_eq(bw_words_set(&arena, VALUES(1, 3, 5, 7, 9)), "1, 3, 5, ... 9");
    ck_assert_str_eq(bw_words_set(&arena, VALUES(0, 1, 10, 20, 30, 50, 60, 80, 90, 93)),
                     "0-1, 10, 20, 30, 50, 60 and 3 more");
}
END_TEST

START_TEST(lanes_are_all_named)
{
    ck_assert_str_eq(bw_words_lanes(&arena, 1), "lane 0");
    ck_assert_str_eq(bw_words_lanes(&arena, UINT32_MAX), "lanes 0-31");
    ck_assert_str_eq(bw_words_lanes(&arena, 0x80000001u), "lanes 0 and 31");
    ck_assert_str_eq(bw_words_lanes(&arena, 0x55555555u), "lanes 0, 2, 4, ... 30");
    ck_assert_str_eq(bw_words_mask(&arena, 0x92492493u),
                     "0-1, 4, 7, 10, 13, 16, 19, 22, 25, 28 and 31");
    ck_assert_str_eq(bw_words_lanes_briefly(&arena, 0x92492493u, 20), "12 lanes");
    ck_assert_str_eq(bw_words_lanes_briefly(&arena, 0xff, 20), "lanes 0-7");
}
END_TEST

START_TEST(whole_numbers_have_no_places)
{
    ck_assert_str_eq(bw_words_number(&arena, 1024, 2), "1024");
    ck_assert_str_eq(bw_words_number(&arena, 0, 1), "0");
    ck_assert_str_eq(bw_words_number(&arena, -3, 1), "-3");
    ck_assert_str_eq(bw_words_number(&arena, 3.14159, 2), "3.14");
}
END_TEST

START_TEST(one_has_no_s)
{
    ck_assert_str_eq(bw_words_count(&arena, 1, "wavefront"), "1 wavefront");
    ck_assert_str_eq(bw_words_count(&arena, 0, "wavefront"), "0 wavefronts");
    ck_assert_str_eq(bw_words_count(&arena, 4294967296, "byte"), "4294967296 bytes");
}
END_TEST

START_TEST(shapes_end_where_ones_begin)
{
    ck_assert_str_eq(bw_words_shape(&arena, (const uint32_t[]){32, 1, 1}), "32");
    ck_assert_str_eq(bw_words_shape(&arena, (const uint32_t[]){32, 8, 1}), "32x8");
    ck_assert_str_eq(bw_words_shape(&arena, (const uint32_t[]){1, 1, 4294967295}),
                     "1x1x4294967295");
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("wording");
    tcase_add_checked_fixture(tests, NULL, tear_down);
    tcase_add_test(tests, sequences_keep_their_order);
    tcase_add_test(tests, sets_are_stretches);
    tcase_add_test(tests, lanes_are_all_named);
    tcase_add_test(tests, whole_numbers_have_no_places);
    tcase_add_test(tests, one_has_no_s);
    tcase_add_test(tests, shapes_end_where_ones_begin);
    return tap_run(tests);
}
