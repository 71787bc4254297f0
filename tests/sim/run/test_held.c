/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What L1 holds along a stream: a block's second copy of the same lines hits, another block's does
 * not. */
#include <check.h>

#include "held.h"
#include "tap.h"

START_TEST(a_block_reads_again)
{
    static bw_held held;
    bw_sources sources = {.placed = true};
    bw_request copy = {.op = BW_OP_CP_ASYNC_4, .active = UINT32_MAX, .sources = &sources};
    for (unsigned lane = 0; lane < BW_LANES; lane++) {
        copy.addr[lane] = 4 * lane;
        sources.addr[lane] = 128 * lane;
        sources.bytes[lane] = 4;
    }
    bw_held_see(&held, 1, 0, &copy, &sources);
    ck_assert_uint_eq(sources.cached, 0);
    bw_held_see(&held, 1, 0, &copy, &sources);
    ck_assert_uint_eq(sources.cached, UINT32_MAX);
    bw_held_see(&held, 1, 1, &copy, &sources);
    ck_assert_uint_eq(sources.cached, 0);
    bw_held_see(&held, 2, 1, &copy, &sources);
    ck_assert_uint_eq(sources.cached, 0);
    bw_held_see(&held, 2, 1, &copy, &sources);
    ck_assert_uint_eq(sources.cached, UINT32_MAX);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("held");
    tcase_add_test(tc, a_block_reads_again);
    return tap_run(tc);
}
