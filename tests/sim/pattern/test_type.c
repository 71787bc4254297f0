/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Types: conversions, names, 16-bit floats. Sizes and alignments are in golden/layout.pat, whose
 * assertions nvcc checks too.
 */
#include <math.h>
#include <string.h>

#include "../../common/tap.h"
#include "type.h"

static const bw_type *named(const char *name)
{
    return bw_type_named(name, strlen(name));
}

/* C's usual arithmetic conversions on an LP64 machine, written out (C11 6.3.1.8). */
START_TEST(test_common)
{
    static const struct {
        const bw_type *a, *b, *common;
    } rows[] = {
        {&bw_ty_char, &bw_ty_char, &bw_ty_int},       {&bw_ty_ushort, &bw_ty_short, &bw_ty_int},
        {&bw_ty_bool, &bw_ty_uchar, &bw_ty_int},      {&bw_ty_int, &bw_ty_uint, &bw_ty_uint},
        {&bw_ty_uint, &bw_ty_long, &bw_ty_long},      {&bw_ty_ulong, &bw_ty_llong, &bw_ty_ulong},
        {&bw_ty_int, &bw_ty_float, &bw_ty_float},     {&bw_ty_ulong, &bw_ty_float, &bw_ty_float},
        {&bw_ty_float, &bw_ty_double, &bw_ty_double}, {&bw_ty_half, &bw_ty_float, &bw_ty_float},
        {&bw_ty_half, &bw_ty_half, &bw_ty_half},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ck_assert_msg(bw_type_same(bw_type_common(rows[i].a, rows[i].b), rows[i].common), "row %zu",
                      i);
        ck_assert_msg(bw_type_same(bw_type_common(rows[i].b, rows[i].a), rows[i].common), "row %zu",
                      i);
    }
}
END_TEST

START_TEST(test_names)
{
    bw_arena arena = {0};
    const bw_type *row = bw_type_array(&arena, &bw_ty_float, 33);
    ck_assert_str_eq(bw_type_name(&arena, bw_type_array(&arena, row, 32)), "float [32][33]");
    ck_assert_str_eq(bw_type_name(&arena, bw_type_array(&arena, row, -1)), "float [][33]");
    ck_assert_str_eq(bw_type_name(&arena, bw_type_pointer(&arena, named("float4"))), "float4 *");
    ck_assert_ptr_null(named("quad"));
    ck_assert_ptr_eq(named("half2"), named("__half2"));
    ck_assert_ptr_eq(bw_type_vector(&bw_ty_float, 4), named("float4"));
    ck_assert_ptr_null(bw_type_vector(&bw_ty_bool, 2));
    bw_arena_finish(&arena);
}
END_TEST

/* An aligned variable keeps its size: CUDA pads types, not variables. */
START_TEST(test_aligned)
{
    bw_arena arena = {0};
    const bw_type *array = bw_type_array(&arena, named("float3"), 32);
    const bw_type *aligned = bw_type_aligned(&arena, array, 16);
    ck_assert_uint_eq(aligned->size, 384);
    ck_assert_uint_eq(aligned->align, 16);
    ck_assert_uint_eq(aligned->elem->size, 12);
    ck_assert_uint_eq(aligned->elem->align, 4); /* 12 bytes apart: not every one is at 16 */
    ck_assert_ptr_eq(bw_type_aligned(&arena, array, 4), array);
    bw_arena_finish(&arena);
}
END_TEST

START_TEST(test_leaves)
{
    bw_arena arena = {0};
    bw_member both[] = {{.name = "v", .type = named("float4")},
                        {.name = "f", .type = bw_type_array(&arena, &bw_ty_float, 4)},
                        {.name = "n", .type = &bw_ty_int, .offset = 16}};
    bw_type u = {.kind = BW_TY_STRUCT, .size = 16, .align = 16};
    bw_type_set_members(&u, both, 3);
    ck_assert(!both[0].overlaid);
    ck_assert(both[1].overlaid);
    ck_assert(!both[2].overlaid);
    ck_assert_uint_eq(bw_type_leaves(&u), 5);
    bw_type_set_members(&u, both, 2);
    ck_assert_uint_eq(bw_type_leaves(&u), 4);
    const bw_type *huge = bw_type_array(&arena, bw_type_array(&arena, &u, 65536), 65536);
    ck_assert_uint_eq(bw_type_leaves(huge), BW_TOO_MANY_LEAVES);
    bw_arena_finish(&arena);
}
END_TEST

/* Every half, and the ties between neighbours: to even. */
START_TEST(test_half)
{
    for (uint32_t bits = 0; bits < 0x10000; bits++) {
        float v = bw_half_value((uint16_t)bits);
        if (isnan(v)) {
            ck_assert(isnan(bw_half_round(v)));
            continue;
        }
        ck_assert_uint_eq(bw_half_bits(v), bits);
        if ((bits & 0x7fff) >= 0x7bff)
            continue;
        float next = bw_half_value((uint16_t)(bits + 1)), middle = v / 2 + next / 2;
        ck_assert_uint_eq(bw_half_bits(middle), bits + (bits & 1));
        ck_assert_uint_eq(bw_half_bits(nextafterf(middle, v)), bits);
        ck_assert_uint_eq(bw_half_bits(nextafterf(middle, next)), bits + 1);
    }
    ck_assert_uint_eq(bw_half_bits(65519.0f), 0x7bff);
    ck_assert_uint_eq(bw_half_bits(65520.0f), 0x7c00);
    ck_assert_uint_eq(bw_half_bits(-1e-8f), 0x8000);
    ck_assert(bw_bfloat_round(1.00390625f) == 1.0f); /* a tie */
    ck_assert(bw_bfloat_round(1.01171875f) == 1.015625f);
    ck_assert(isinf(bw_bfloat_round(3.4e38f)));
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("type");
    tcase_add_test(tc, test_common);
    tcase_add_test(tc, test_names);
    tcase_add_test(tc, test_aligned);
    tcase_add_test(tc, test_leaves);
    tcase_add_test(tc, test_half);
    return tap_run(tc);
}
