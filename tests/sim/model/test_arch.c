/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of architectures, and what each of them supports. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "bankwise.h"
#include "tap.h"

static bw_status status_of(const char *arch, bw_op op)
{
    bw_request request = {.op = op, .active = UINT32_MAX};
    bw_cost cost;
    return bw_cost_of(bw_arch_find(arch), &request, &cost);
}

START_TEST(test_lookup)
{
    for (size_t i = 0; i < bw_arch_count(); i++)
        ck_assert_ptr_eq(bw_arch_find(bw_arch_at(i)->name), bw_arch_at(i));
    ck_assert_ptr_null(bw_arch_at(bw_arch_count()));
    ck_assert_ptr_null(bw_arch_find("sm_91"));
    ck_assert_ptr_null(bw_arch_find(""));
    ck_assert_ptr_eq(bw_arch_find("sm_90a"), bw_arch_find("sm_90"));
    ck_assert_ptr_eq(bw_arch_find("sm_120f"), bw_arch_find("sm_120"));
    ck_assert_ptr_null(bw_arch_find("sm_80a"));
    ck_assert_ptr_null(bw_arch_find("sm_a"));
    ck_assert_ptr_null(bw_arch_find("sm_90aa"));
    ck_assert_ptr_null(bw_arch_find(NULL));
}
END_TEST

START_TEST(test_all_are_there)
{
    static const char *const names[] = {"sm_10",  "sm_11",  "sm_12",  "sm_13",  "sm_20", "sm_21",
                                        "sm_30",  "sm_35",  "sm_37",  "sm_50",  "sm_52", "sm_53",
                                        "sm_60",  "sm_61",  "sm_62",  "sm_70",  "sm_72", "sm_75",
                                        "sm_80",  "sm_86",  "sm_87",  "sm_88",  "sm_89", "sm_90",
                                        "sm_100", "sm_103", "sm_110", "sm_120", "sm_121"};
    size_t count = sizeof names / sizeof *names;
    for (size_t i = 0; i < count; i++)
        ck_assert_msg(bw_arch_find(names[i]) != NULL, "%s is missing", names[i]);
    ck_assert_uint_ge(bw_arch_count(), count + 3); /* Kepler's 8-byte modes */
}
END_TEST

static bool visit_none(void *context, const bw_wavefront *wavefront)
{
    (void)context, (void)wavefront;
    return true;
}

/* What bw_arch_find answers to a misspelt name can be handed on. */
START_TEST(test_no_architecture)
{
    const bw_arch *none = bw_arch_find("sm_9O");
    bw_request request = {.op = BW_OP_LD_32, .active = 1};
    bw_cost cost = {.wavefronts = 9};
    bw_ncu ncu = {.wavefronts = 9};
    ck_assert_ptr_null(none);
    ck_assert_int_eq(bw_cost_of(none, &request, &cost), BW_INVALID);
    ck_assert_uint_eq(cost.wavefronts, 0);
    ck_assert_int_eq(bw_ncu_of(none, &request, &ncu), BW_INVALID);
    ck_assert_uint_eq(ncu.wavefronts, 0);
    ck_assert_int_eq(bw_schedule(none, &request, visit_none, NULL), BW_INVALID);
    ck_assert_int_eq(bw_schedule(bw_arch_find("sm_90"), &request, NULL, NULL), BW_INVALID);
    ck_assert_uint_eq(bw_period(none), 0);
    ck_assert_int_eq(bw_basis_of(none, BW_OP_LD_32), BW_BASIS_ASSUMED);
}
END_TEST

START_TEST(test_entries_make_sense)
{
    for (size_t i = 0; i < bw_arch_count(); i++) {
        const bw_arch *a = bw_arch_at(i);
        char name[16];
        snprintf(name, sizeof name, "sm_%d", a->cc);
        ck_assert_msg(strncmp(a->name, name, strlen(name)) == 0, "%s has cc %d", a->name, a->cc);
        ck_assert(i == 0 || a->cc >= bw_arch_at(i - 1)->cc);
        ck_assert_uint_eq(a->banks, a->rules == BW_RULES_CC1 ? 16 : 32);
        bool kepler = a->rules == BW_RULES_KEPLER4 || a->rules == BW_RULES_KEPLER8;
        ck_assert_uint_eq(a->bank_bytes, kepler ? 8 : 4);
        ck_assert_uint_le(a->shared_static, a->shared_per_block);
        ck_assert_uint_le(a->shared_per_block + a->shared_reserved, a->shared_per_sm);
        ck_assert_uint_eq(a->shared_reserved, a->cc >= 80 ? 1024 : 0);
        ck_assert_uint_ge(a->warps_per_sm, a->blocks_per_sm);
        ck_assert_uint_gt(strlen(a->rules_source), 10);
        ck_assert_uint_gt(strlen(a->limits_source), 10);
    }
}
END_TEST

/* From 8.0 on a block can have all of an SM but the reserved KiB; before, 48 KiB, or all. */
START_TEST(test_shared_memory)
{
    for (size_t i = 0; i < bw_arch_count(); i++) {
        const bw_arch *a = bw_arch_at(i);
        if (a->cc >= 70)
            ck_assert_uint_eq(a->shared_per_block + a->shared_reserved, a->shared_per_sm);
        else
            ck_assert_uint_eq(a->shared_per_block, a->shared_static);
    }
    ck_assert_uint_eq(bw_arch_find("sm_90")->shared_per_block, 227 * 1024);
    ck_assert_uint_eq(bw_arch_find("sm_75")->shared_per_block, 64 * 1024);
    ck_assert_uint_eq(bw_arch_find("sm_86")->shared_per_sm, 100 * 1024);
}
END_TEST

/* The documents once more, by another hand: the programming guides' table "Technical Specifications
 * per Compute Capability" (4.2 for 1.x and 2.x, 8.0 to 6.x, 12.0 and 13.0 for the rest). */
START_TEST(test_numbers_of_the_guides)
{
    static const struct {
        int first, last; /* compute capability * 10 */
        unsigned warps, blocks, sm_kib, block_kib, static_kib;
    } rows[] = {
        {10, 11, 24, 8, 16, 16, 16},      {12, 13, 32, 8, 16, 16, 16},
        {20, 21, 48, 8, 48, 48, 48},      {30, 35, 64, 16, 48, 48, 48},
        {37, 37, 64, 16, 112, 48, 48},    {50, 50, 64, 32, 64, 48, 48},
        {52, 52, 64, 32, 96, 48, 48},     {53, 60, 64, 32, 64, 48, 48},
        {61, 61, 64, 32, 96, 48, 48},     {62, 62, 64, 32, 64, 48, 48},
        {70, 72, 64, 32, 96, 96, 48},     {75, 75, 32, 16, 64, 64, 48},
        {80, 80, 64, 32, 164, 163, 48},   {86, 86, 48, 16, 100, 99, 48},
        {87, 87, 48, 16, 164, 163, 48},   {88, 88, 48, 16, 100, 99, 48},
        {89, 89, 48, 24, 100, 99, 48},    {90, 103, 64, 32, 228, 227, 48},
        {110, 110, 48, 24, 228, 227, 48}, {120, 121, 48, 24, 100, 99, 48},
    };
    size_t checked = 0;
    for (size_t i = 0; i < bw_arch_count(); i++) {
        const bw_arch *a = bw_arch_at(i);
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            if (a->cc < rows[k].first || a->cc > rows[k].last)
                continue;
            checked++;
            ck_assert_msg(a->warps_per_sm == rows[k].warps, "%s: warps", a->name);
            ck_assert_msg(a->blocks_per_sm == rows[k].blocks, "%s: blocks", a->name);
            ck_assert_msg(a->shared_per_sm == rows[k].sm_kib * 1024, "%s: SM", a->name);
            ck_assert_msg(a->shared_per_block == rows[k].block_kib * 1024, "%s: block", a->name);
            ck_assert_msg(a->shared_static == rows[k].static_kib * 1024, "%s: static", a->name);
        }
    }
    ck_assert_uint_eq(checked, bw_arch_count());
}
END_TEST

/* Which rules a generation has, and what 4-byte banks make of its period. */
START_TEST(test_rules_of_generations)
{
    for (size_t i = 0; i < bw_arch_count(); i++) {
        const bw_arch *a = bw_arch_at(i);
        bool wide = strstr(a->name, "8byte") != NULL;
        bw_rules rules = a->cc < 20   ? BW_RULES_CC1
                         : a->cc < 30 ? BW_RULES_FERMI
                         : a->cc < 50 ? (wide ? BW_RULES_KEPLER8 : BW_RULES_KEPLER4)
                                      : BW_RULES_MODERN;
        ck_assert_msg(a->rules == rules, "%s", a->name);
        ck_assert_uint_eq(bw_period(a), rules == BW_RULES_KEPLER4   ? 256
                                        : rules == BW_RULES_KEPLER8 ? 8
                                                                    : 4);
    }
    ck_assert_ptr_null(bw_arch_find("sm_90-"));
    ck_assert_ptr_null(bw_arch_find("sm_90b"));
    ck_assert_ptr_null(bw_arch_find("sm_9"));
    ck_assert_ptr_null(bw_arch_find("sm_:a"));
    ck_assert_ptr_null(bw_card_at(100));
    ck_assert_ptr_nonnull(bw_card_at(0));
    ck_assert_ptr_null(bw_card_of(NULL));
    ck_assert_ptr_null(bw_card_of(bw_arch_find("sm_80")));
    ck_assert_ptr_eq(bw_card_of(bw_arch_find("sm_90")), bw_card_at(0));
    ck_assert_str_eq(bw_basis_name((bw_basis)3), "unknown");
    ck_assert_int_eq(bw_basis_of(bw_arch_find("sm_90"), BW_OP_COUNT), BW_BASIS_ASSUMED);
    ck_assert_int_eq(bw_basis_of(bw_arch_find("sm_35-8byte"), BW_OP_LD_128), BW_BASIS_ASSUMED);
    ck_assert_int_eq(bw_basis_of(bw_arch_find("sm_20"), BW_OP_COUNT), BW_BASIS_ASSUMED);
}
END_TEST

START_TEST(test_operations_come_with_architectures)
{
    ck_assert_int_eq(status_of("sm_72", BW_OP_LDMATRIX_X4), BW_UNSUPPORTED);
    ck_assert_int_eq(status_of("sm_75", BW_OP_LDMATRIX_X4), BW_OK);
    ck_assert_int_eq(status_of("sm_75", BW_OP_CP_ASYNC_16), BW_UNSUPPORTED);
    ck_assert_int_eq(status_of("sm_80", BW_OP_CP_ASYNC_16), BW_OK);
    ck_assert_int_eq(status_of("sm_89", BW_OP_STMATRIX_X1), BW_UNSUPPORTED);
    ck_assert_int_eq(status_of("sm_90", BW_OP_STMATRIX_X1), BW_OK);
    ck_assert_int_eq(status_of("sm_37", BW_OP_ATOM_ADD_U32), BW_UNSUPPORTED);
    ck_assert_int_eq(status_of("sm_20", BW_OP_ATOM_ADD_F32), BW_UNSUPPORTED);
    ck_assert_int_eq(status_of("sm_50", BW_OP_ATOM_ADD_U32), BW_OK);
}
END_TEST

START_TEST(test_basis)
{
    const bw_arch *h200 = bw_arch_find("sm_90");
    ck_assert_int_eq(bw_basis_of(h200, BW_OP_LD_32), BW_BASIS_MEASURED);
    ck_assert_int_eq(bw_basis_of(h200, BW_OP_ATOM_MIN_U32), BW_BASIS_MEASURED);
    ck_assert_int_eq(bw_basis_of(h200, BW_OP_ATOM_XOR_B32), BW_BASIS_MEASURED);
    ck_assert_int_eq(bw_basis_of(h200, BW_OP_CP_ASYNC_8), BW_BASIS_MEASURED);
    ck_assert_int_eq(bw_basis_of(h200, BW_OP_CP_ASYNC_16), BW_BASIS_ASSUMED);
    ck_assert_int_eq(bw_basis_of(bw_arch_find("sm_80"), BW_OP_LD_32), BW_BASIS_ASSUMED);
    ck_assert_int_eq(bw_basis_of(bw_arch_find("sm_20"), BW_OP_LD_128), BW_BASIS_DOCUMENTED);
    ck_assert_int_eq(bw_basis_of(bw_arch_find("sm_35"), BW_OP_LD_64), BW_BASIS_DOCUMENTED);
    ck_assert_int_eq(bw_basis_of(bw_arch_find("sm_35"), BW_OP_LD_128), BW_BASIS_ASSUMED);
    ck_assert_str_eq(bw_basis_name(BW_BASIS_MEASURED), "measured");
    ck_assert_str_eq(bw_basis_name(BW_BASIS_ASSUMED), "assumed");
    ck_assert_str_eq(bw_basis_name(BW_BASIS_DOCUMENTED), "documented");
}
END_TEST

START_TEST(test_bad_requests)
{
    const bw_arch *arch = bw_arch_find("sm_90");
    bw_cost cost = {.wavefronts = 7};
    bw_request request = {.op = BW_OP_LD_64, .active = 2};
    request.addr[1] = 4;
    ck_assert_int_eq(bw_cost_of(arch, &request, &cost), BW_MISALIGNED);
    ck_assert_uint_eq(cost.wavefronts, 0);
    request.active = 0;
    ck_assert_int_eq(bw_cost_of(arch, &request, &cost), BW_NO_LANES);
    request = (bw_request){.op = BW_OP_LDMATRIX_X1, .active = 0xffffff00};
    ck_assert_int_eq(bw_cost_of(arch, &request, &cost), BW_NO_LANES);
    request.op = BW_OP_COUNT;
    ck_assert_int_eq(bw_cost_of(arch, &request, &cost), BW_INVALID);
    for (bw_status s = BW_OK; s <= BW_OVERFLOW; s++)
        ck_assert_str_ne(bw_status_text(s), "unknown status");
    ck_assert_str_eq(bw_status_text((bw_status)99), "unknown status");
}
END_TEST

/* ---- the guides' own examples ---- */

static bw_cost strided(const char *arch, bw_op op, uint32_t stride)
{
    bw_request request = {.op = op, .active = UINT32_MAX};
    bw_cost cost;
    for (uint32_t i = 0; i < 32; i++)
        request.addr[i] = i * stride;
    ck_assert_int_eq(bw_cost_of(bw_arch_find(arch), &request, &cost), BW_OK);
    return cost;
}

/* CUDA C Programming Guide 4.2, F.3.3: no conflicts for odd strides, 2-way for stride 2; bytes in
 * sequence collide, every fourth byte does not; doubles in sequence are 2-way in either pass. */
START_TEST(test_cc1)
{
    ck_assert_uint_eq(strided("sm_10", BW_OP_LD_32, 4).wavefronts, 2);
    ck_assert_uint_eq(strided("sm_10", BW_OP_LD_32, 12).degree, 1);
    ck_assert_uint_eq(strided("sm_10", BW_OP_LD_32, 8).degree, 2);
    ck_assert_uint_eq(strided("sm_10", BW_OP_LD_32, 64).degree, 16);
    ck_assert_uint_eq(strided("sm_10", BW_OP_LD_32, 0).degree, 1); /* broadcast */
    ck_assert_uint_gt(strided("sm_10", BW_OP_LD_8, 1).degree, 1);
    ck_assert_uint_eq(strided("sm_10", BW_OP_LD_8, 4).degree, 1);
    ck_assert_uint_eq(strided("sm_10", BW_OP_ST_8, 1).degree, 4);
    ck_assert_uint_eq(strided("sm_10", BW_OP_ST_32, 0).degree, 1); /* one lane writes */
    bw_cost doubles = strided("sm_13", BW_OP_LD_64, 8);
    ck_assert_uint_eq(doubles.degree, 2);
    ck_assert_uint_eq(doubles.phases, 4);
    ck_assert_uint_eq(doubles.wavefronts, 8);
}
END_TEST

/* Two shared words in two banks: one broadcast a step, so a second step; no layout cures it. */
START_TEST(test_cc1_broadcasts_one_word)
{
    bw_request request = {.op = BW_OP_LD_32, .active = 0xf};
    bw_cost cost;
    request.addr[2] = request.addr[3] = 4;
    ck_assert_int_eq(bw_cost_of(bw_arch_find("sm_10"), &request, &cost), BW_OK);
    ck_assert_uint_eq(cost.wavefronts, 2);
    ck_assert_uint_eq(cost.excess_serial, 1);
    ck_assert_uint_eq(cost.excess_layout, 0);
}
END_TEST

/* F.4.3: bytes in sequence and doubles in sequence are free; 16-byte accesses are 2-way. */
START_TEST(test_fermi)
{
    ck_assert_uint_eq(strided("sm_20", BW_OP_LD_8, 1).wavefronts, 1);
    ck_assert_uint_eq(strided("sm_20", BW_OP_LD_32, 8).degree, 2);
    ck_assert_uint_eq(strided("sm_20", BW_OP_LD_64, 8).degree, 1);
    ck_assert_uint_eq(strided("sm_20", BW_OP_LD_64, 8).wavefronts, 2);
    bw_cost wide = strided("sm_20", BW_OP_LD_128, 16);
    ck_assert_uint_eq(wide.degree, 2);
    ck_assert_uint_eq(wide.wavefronts, 8);
    ck_assert_uint_eq(wide.excess_serial, 4);
    ck_assert_uint_eq(strided("sm_20", BW_OP_LD_32, 0).wavefronts, 1);
    ck_assert_uint_eq(strided("sm_20", BW_OP_LD_64, 0).wavefronts, 2); /* lane pairs: modern */
}
END_TEST

/* F.5.3: a stride of two words is free in both modes, of three in 4-byte mode; 8 bytes go in one
 * pass.
 */
START_TEST(test_kepler)
{
    static const char *const modes[] = {"sm_30", "sm_30-8byte"};
    for (int i = 0; i < 2; i++) {
        ck_assert_uint_eq(strided(modes[i], BW_OP_LD_32, 4).wavefronts, 1);
        ck_assert_uint_eq(strided(modes[i], BW_OP_LD_32, 8).wavefronts, 1);
        ck_assert_uint_eq(strided(modes[i], BW_OP_LD_64, 8).wavefronts, 1);
        ck_assert_uint_eq(strided(modes[i], BW_OP_LD_128, 16).wavefronts, 2);
    }
    ck_assert_uint_eq(strided("sm_30", BW_OP_LD_32, 12).wavefronts, 1);
    ck_assert_uint_eq(strided("sm_30-8byte", BW_OP_LD_32, 12).wavefronts, 2); /* words 3 and 66 */
    /* Stride 4 words: 4-byte mode uses banks 0, 4, … for 4 words each, two of them a row. */
    ck_assert_uint_eq(strided("sm_30", BW_OP_LD_32, 16).degree, 2);
    ck_assert_uint_eq(strided("sm_30-8byte", BW_OP_LD_32, 16).degree, 2);
    ck_assert_uint_eq(strided("sm_30", BW_OP_LD_32, 128).degree, 16);
    ck_assert_uint_eq(strided("sm_30-8byte", BW_OP_LD_32, 128).degree, 16);
    ck_assert_uint_eq(strided("sm_30", BW_OP_LD_32, 256).degree, 32);
}
END_TEST

/* What everybody knows of today's cards. */
START_TEST(test_modern)
{
    static const uint32_t gcd[] = {32, 1, 2, 1, 4, 1, 2, 1, 8, 1, 2, 1, 4, 1, 2, 1, 16};
    for (uint32_t k = 1; k <= 16; k++) {
        ck_assert_uint_eq(strided("sm_90", BW_OP_LD_32, 4 * k).degree, gcd[k]);
        ck_assert_uint_eq(strided("sm_70", BW_OP_ST_32, 4 * k).wavefronts, gcd[k]);
    }
    ck_assert_uint_eq(strided("sm_90", BW_OP_LD_32, 128).wavefronts, 32);
    ck_assert_uint_eq(strided("sm_90", BW_OP_LD_128, 128).wavefronts, 32);
    bw_cost add = strided("sm_90", BW_OP_ATOM_ADD_U32, 0);
    ck_assert_uint_eq(add.wavefronts, 32);
    ck_assert_uint_eq(add.excess_serial, 31);
    ck_assert_uint_eq(strided("sm_90", BW_OP_RED_INC_U32, 0).wavefronts, 1);
    bw_cost loop = strided("sm_90", BW_OP_ATOM_ADD_F32, 0);
    ck_assert_uint_eq(loop.wavefronts, 96);
    ck_assert_uint_eq(loop.rounds, 32);
    ck_assert_uint_eq(loop.excess_serial, 93);
    ck_assert_uint_eq(strided("sm_90", BW_OP_ATOM_ADD_U64, 0).wavefronts, 80);
    ck_assert_uint_eq(strided("sm_90", BW_OP_ATOM_ADD_F32, 16).wavefronts, 18);
    ck_assert_uint_eq(strided("sm_90", BW_OP_LD_128, 0).cycles, 2);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("arch");
    tcase_add_test(tc, test_lookup);
    tcase_add_test(tc, test_all_are_there);
    tcase_add_test(tc, test_no_architecture);
    tcase_add_test(tc, test_entries_make_sense);
    tcase_add_test(tc, test_shared_memory);
    tcase_add_test(tc, test_numbers_of_the_guides);
    tcase_add_test(tc, test_rules_of_generations);
    tcase_add_test(tc, test_operations_come_with_architectures);
    tcase_add_test(tc, test_basis);
    tcase_add_test(tc, test_bad_requests);
    tcase_add_test(tc, test_cc1);
    tcase_add_test(tc, test_cc1_broadcasts_one_word);
    tcase_add_test(tc, test_fermi);
    tcase_add_test(tc, test_kepler);
    tcase_add_test(tc, test_modern);
    return tap_run(tc);
}
