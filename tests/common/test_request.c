/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lanes of a request that count, and the arena. */
#include <check.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "request.h"
#include "tap.h"

START_TEST(test_lanes)
{
    bw_request request = {.op = BW_OP_LDMATRIX_X1, .active = UINT32_MAX};
    ck_assert_uint_eq(bw_request_lanes(&request), 0xff);
    request.op = BW_OP_STMATRIX_X2_TRANS;
    ck_assert_uint_eq(bw_request_lanes(&request), 0xffff);
    request.op = BW_OP_LDMATRIX_X4;
    ck_assert_uint_eq(bw_request_lanes(&request), UINT32_MAX);
    request.op = BW_OP_LD_8;
    request.active = 0x12345678;
    ck_assert_uint_eq(bw_request_lanes(&request), 0x12345678);
    request.op = BW_OP_COUNT;
    ck_assert_uint_eq(bw_request_lanes(&request), 0);
}
END_TEST

START_TEST(test_bad_lanes)
{
    bw_request request = {.op = BW_OP_LD_64, .active = 0xf0};
    request.addr[0] = 1; /* inactive */
    ck_assert_int_eq(bw_request_bad_lane(&request, 8), -1);
    request.addr[5] = 8;
    ck_assert_int_eq(bw_request_bad_lane(&request, 16), -1);
    ck_assert_int_eq(bw_request_bad_lane(&request, 15), 5);
    ck_assert_int_eq(bw_request_bad_lane(&request, 0), -1);
    request.addr[6] = 0xfffffff8;
    ck_assert_int_eq(bw_request_bad_lane(&request, 0xfffffff9), 6); /* no wrap */
    request.addr[4] = 4;
    ck_assert_int_eq(bw_request_bad_lane(&request, 0), 4);
}
END_TEST

START_TEST(test_arena)
{
    bw_arena arena = {0};
    for (size_t size = 0; size < 3000; size += 7) {
        unsigned char *memory = bw_arena_alloc(&arena, size);
        ck_assert_uint_eq((uintptr_t)memory % _Alignof(max_align_t), 0);
        for (size_t i = 0; i < size; i++)
            if (memory[i] != 0)
                ck_abort_msg("byte %zu of %zu is not zero", i, size);
        memset(memory, 0xff, size);
    }
    unsigned char *large = bw_arena_alloc(&arena, (size_t)1 << 20);
    memset(large, 1, (size_t)1 << 20);
    ck_assert_str_eq(bw_arena_copy(&arena, "abcdef", 3), "abc");
    ck_assert_str_eq(bw_arena_format(&arena, "%d-%s", 7, "x"), "7-x");
    bw_arena_finish(&arena);
    ck_assert_ptr_null(arena.head);
}
END_TEST

START_TEST(test_grow)
{
    int *items = NULL;
    size_t count = 0, capacity = 0;
    for (int i = 0; i < 1000; i++) {
        BW_GROW(items, count, capacity);
        items[count++] = i;
    }
    for (int i = 0; i < 1000; i++)
        ck_assert_int_eq(items[i], i);
    free(items);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("request");
    tcase_add_test(tc, test_lanes);
    tcase_add_test(tc, test_bad_lanes);
    tcase_add_test(tc, test_arena);
    tcase_add_test(tc, test_grow);
    return tap_run(tc);
}
