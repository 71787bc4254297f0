/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counting instructions in cuobjdump's output. */
#include "sass.h"

#include <string.h>

#include "tap.h"

static bw_sass_count counts[BW_OP_COUNT];

static void read_text(const char *text)
{
    FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    ck_assert_ptr_nonnull(file);
    bw_sass_read(file, counts);
    fclose(file);
}

START_TEST(counts_by_kernel)
{
    read_text("\t\tFunction : bw_time_ld_64\n"
              "        /*0010*/                   LDS.64 R2, [R4] ;          /* 0x0000 */\n"
              "                                                                /* 0x0000 */\n"
              "        /*0020*/               @P0 LDS.64 R2, [R4] ;\n"
              "        /*0030*/              @!P1 LDS.64 R2, [R4] ;\n"
              "        /*0040*/              @!PT LDS.64 RZ, [RZ] ;\n"
              "        /*0050*/                   LDS R2, [R4] ;\n"
              "        /*0060*/                   LDS.128 R2, [R4] ;\n"
              "\t\tFunction : bw_wait_ld_64\n"
              "        /*0010*/                   LDS.64 R2, [R4] ;\n"
              "\t\tFunction : bw_probe_far\n"
              "        /*0010*/                   LDS.64 R2, [R4] ;\n");
    ck_assert_int_eq(counts[BW_OP_LD_64].time, 3);
    ck_assert_int_eq(counts[BW_OP_LD_64].wait, 1);
    ck_assert_int_eq(counts[BW_OP_LD_32].time, -1);
}
END_TEST

START_TEST(nothing_is_nothing)
{
    read_text("cuobjdump fatal: no such file\n");
    for (int op = 0; op < BW_OP_COUNT; op++)
        ck_assert_int_eq(counts[op].time, -1);
}
END_TEST

START_TEST(right_counts)
{
    ck_assert(bw_sass_right(BW_OP_ATOM_ADD_U32, BW_ISSUES));
    ck_assert(!bw_sass_right(BW_OP_ATOM_ADD_U32, BW_ISSUES - 1));
    ck_assert(!bw_sass_right(BW_OP_ATOM_ADD_U32, BW_ISSUES + 1));
    ck_assert(!bw_sass_right(BW_OP_ATOM_ADD_U32, -1));
    ck_assert(bw_sass_right(BW_OP_LD_32, BW_ISSUES + 3)); /* the harness loads too */
    ck_assert(!bw_sass_right(BW_OP_LD_32, BW_ISSUES - 1));
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("sass");
    tcase_add_test(tc, counts_by_kernel);
    tcase_add_test(tc, nothing_is_nothing);
    tcase_add_test(tc, right_counts);
    return tap_run(tc);
}
