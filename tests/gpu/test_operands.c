/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recordings of opcodes hold no operands: these must stay what they were. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "operands.h"
#include "tap.h"

#define COUNT 8192u

static uint64_t operand(bw_operands kind, const void *from, size_t index)
{
    uint32_t half;
    uint64_t whole;
    if (bw_operands_size(kind) == 4) {
        memcpy(&half, (const char *)from + 4 * index, 4);
        return half;
    }
    memcpy(&whole, (const char *)from + 8 * index, 8);
    return whole;
}

/* FNV-1a over the operands a, b and c of seed 1, low byte first, as on the day of the recording. */
static const uint64_t recorded[BW_OPERANDS_COUNT] = {
    UINT64_C(0xe8d8811129887a6a), UINT64_C(0xfc510fc849b7e163), UINT64_C(0x4e316070f03a410d),
    UINT64_C(0x7eb54e74e12eb37b), UINT64_C(0xc520704836c86177),
};

START_TEST(unchanged)
{
    const bw_operands kind = (bw_operands)_i;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    uint64_t *to = malloc(COUNT * sizeof *to);
    for (unsigned which = 0; which < BW_OPERAND_COUNT; which++) {
        bw_operands_make(kind, which, 1, COUNT, to);
        for (size_t i = 0; i < COUNT; i++)
            for (size_t byte = 0; byte < bw_operands_size(kind); byte++)
                hash =
                    (hash ^ (operand(kind, to, i) >> (8 * byte) & 0xff)) * UINT64_C(0x100000001b3);
    }
    free(to);
    ck_assert_msg(hash == recorded[kind], "%s: 0x%016llx", bw_operands_name(kind),
                  (unsigned long long)hash);
}
END_TEST

/* Of a and b every pair of corners comes once, before anything else. */
START_TEST(corners_come_first)
{
    const bw_operands kind = (bw_operands)_i;
    uint64_t *a = malloc(COUNT * sizeof *a), *b = malloc(COUNT * sizeof *b);
    size_t corners = 1;
    bw_operands_make(kind, 0, 1, COUNT, a);
    bw_operands_make(kind, 1, 1, COUNT, b);
    const uint64_t mask = kind == BW_OPERANDS_HALF ? 0xffff : UINT64_MAX;
    while ((operand(kind, a, corners) & mask) == (operand(kind, a, 0) & mask))
        corners++;
    ck_assert_uint_ge(corners, 15);
    for (size_t i = 0; i < corners * corners; i++) {
        ck_assert((operand(kind, a, i) & mask) == (operand(kind, b, i / corners) & mask));
        ck_assert((operand(kind, b, i) & mask) == (operand(kind, b, i % corners) & mask));
    }
    free(a);
    free(b);
}
END_TEST

/* A shorter row is the beginning of a longer one, but for halves, whose upper part comes from the
 * other end; another seed is another row. */
START_TEST(rows_are_pure)
{
    uint32_t some[64], more[128], others[64];
    bw_operands_make(BW_OPERANDS_32, 2, 7, 64, some);
    bw_operands_make(BW_OPERANDS_32, 2, 7, 128, more);
    bw_operands_make(BW_OPERANDS_32, 2, 8, 64, others);
    ck_assert_mem_eq(some, more, sizeof some);
    ck_assert_mem_ne(some, others, sizeof some);
    ck_assert_ptr_null(bw_operands_name(BW_OPERANDS_COUNT));
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("operands");
    tcase_add_loop_test(tc, unchanged, 0, BW_OPERANDS_COUNT);
    tcase_add_loop_test(tc, corners_come_first, 0, BW_OPERANDS_COUNT);
    tcase_add_test(tc, rows_are_pure);
    return tap_run(tc);
}
