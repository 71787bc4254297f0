/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows by hash: all are found, in the order in which they were added, and no others. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "index.h"
#include "tap.h"

START_TEST(test_empty)
{
    bw_index index = {.count = 0};
    size_t at = 0;
    ck_assert_uint_eq(bw_index_next(&index, 7, &at), BW_NO_ROW);
}
END_TEST

/* Few hashes, so that rows meet, wrap around and grow together. */
START_TEST(test_order)
{
    enum { ROWS = 5000, HASHES = 7 };
    static const uint32_t hashes[HASHES] = {0, 1, 63, 64, 4095, UINT32_MAX, UINT32_MAX - 1};
    bw_arena arena = {0};
    bw_index index = {.count = 0};
    for (uint32_t row = 0; row < ROWS; row++) {
        uint32_t hash = row % 3 ? bw_hash_number(12345, row) : hashes[row / 3 % HASHES];
        bw_index_add(&arena, &index, hash, row);
        if (row % 97)
            continue;
        for (unsigned k = 0; k < HASHES; k++) {
            size_t at = 0;
            uint32_t next = 3 * k, found;
            while ((found = bw_index_next(&index, hashes[k], &at)) != BW_NO_ROW) {
                ck_assert_uint_eq(found, next);
                next += 3 * HASHES;
            }
            ck_assert_uint_gt(next + 3 * HASHES, row + 3);
        }
    }
    bw_arena_finish(&arena);
}
END_TEST

START_TEST(test_names)
{
    bw_arena arena = {0};
    bw_index index = {.count = 0};
    char name[16];
    for (uint32_t row = 0; row < 3000; row++) {
        snprintf(name, sizeof name, "name%u", row);
        bw_index_add(&arena, &index, bw_hash_text(name, strlen(name)), row);
    }
    for (uint32_t row = 0; row < 3000; row++) {
        snprintf(name, sizeof name, "name%u", row);
        size_t at = 0;
        uint32_t found;
        do
            found = bw_index_next(&index, bw_hash_text(name, strlen(name)), &at);
        while (found != row && found != BW_NO_ROW);
        ck_assert_uint_eq(found, row);
    }
    bw_arena_finish(&arena);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("index");
    tcase_add_test(tc, test_empty);
    tcase_add_test(tc, test_order);
    tcase_add_test(tc, test_names);
    return tap_run(tc);
}
