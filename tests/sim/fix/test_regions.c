/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Regions of shared memory, found from requests alone, and what cures them. */
#include <check.h>
#include <string.h>

#include "regions.h"
#include "../../common/tap.h"

static bw_regions regions;

static void set_up(void)
{
    bw_regions_begin(&regions, bw_arch_find("sm_90"));
}

static void tear_down(void)
{
    bw_regions_finish(&regions);
}

/* A request of all lanes: lane i at base + i * step. */
static bw_request steps(bw_op op, uint32_t base, uint32_t step)
{
    bw_request r = {.op = op, .active = UINT32_MAX};
    for (uint32_t i = 0; i < BW_LANES; i++)
        r.addr[i] = base + i * step;
    return r;
}

static void add(uint32_t access, bw_op op, uint32_t base, uint32_t step)
{
    bw_request r = steps(op, base, step);
    bw_regions_add(&regions, access, &r, 1);
}

/* The transpose: rows are stored, columns loaded, of 32 x 32 words at `base`. */
static void transpose(uint32_t base)
{
    for (uint32_t i = 0; i < 32; i++) {
        add(0, BW_OP_ST_32, base + 128 * i, 4);
        add(1, BW_OP_LD_32, base + 4 * i, 128);
    }
}

START_TEST(a_column_is_cured)
{
    transpose(0x100);
    bw_regions_solve(&regions, NULL, 0);
    ck_assert_uint_eq(regions.count, 1);
    const bw_region *r = &regions.regions[0];
    ck_assert_uint_eq(r->base, 0x100);
    ck_assert_uint_eq(r->bytes, 4096);
    ck_assert_uint_eq(r->wavefronts, 32 + 1024);
    ck_assert_uint_eq(r->excessive, 992);
    ck_assert_int_eq(r->verdict, BW_REGION_CURED);
    const bw_cure *pad = &r->cures[BW_CURE_PAD], *swizzle = &r->cures[BW_CURE_SWIZZLE];
    ck_assert(pad->found && swizzle->found);
    ck_assert_uint_eq(pad->excessive, 0);
    ck_assert_uint_eq(pad->layout.every * r->elem, 128);
    ck_assert_uint_eq(pad->layout.extra * r->elem, 4);
    ck_assert_uint_eq(swizzle->excessive, 0);
    ck_assert_uint_eq(swizzle->layout.bits, 5);
    ck_assert_ptr_eq(bw_region_of(&regions, 0), r);
    ck_assert_ptr_eq(bw_region_of(&regions, 1), r);
    ck_assert_ptr_null(bw_region_of(&regions, 2));
}
END_TEST

/* What is said to be left is what the moved addresses cost, counted here anew. */
START_TEST(what_is_left_is_so)
{
    transpose(0);
    for (uint32_t i = 0; i < 8; i++)
        add(2, BW_OP_LD_128, 512 * i, 16); /* which keeps pads to multiples of 16 bytes */
    bw_regions_solve(&regions, NULL, 0);
    const bw_region *r = &regions.regions[0];
    const bw_cure *pad = &r->cures[BW_CURE_PAD];
    ck_assert(pad->found);
    uint32_t every = pad->layout.every * r->elem, extra = pad->layout.extra * r->elem;
    ck_assert_uint_eq(extra % 16, 0);
    uint64_t left = 0;
    for (uint32_t i = 0; i < 32; i++) {
        bw_request column = steps(BW_OP_LD_32, 4 * i, 128), row = steps(BW_OP_ST_32, 128 * i, 4);
        for (unsigned lane = 0; lane < BW_LANES; lane++) {
            column.addr[lane] += column.addr[lane] / every * extra;
            row.addr[lane] += row.addr[lane] / every * extra;
        }
        bw_cost cost;
        ck_assert_int_eq(bw_cost_of(bw_arch_find("sm_90"), &column, &cost), BW_OK);
        left += cost.wavefronts - cost.ideal;
        ck_assert_int_eq(bw_cost_of(bw_arch_find("sm_90"), &row, &cost), BW_OK);
        left += cost.wavefronts - cost.ideal;
    }
    ck_assert_uint_eq(pad->excessive, left);
    ck_assert_uint_lt(left, r->excessive);
}
END_TEST

START_TEST(regions_are_told_apart)
{
    transpose(0);
    add(2, BW_OP_ST_32, 4096, 4); /* another array, without excess */
    add(3, BW_OP_LD_32, 8192 + 40, 4);
    bw_regions_solve(&regions, NULL, 0);
    ck_assert_uint_eq(regions.count, 3);
    ck_assert_uint_eq(regions.regions[1].base, 4096);
    ck_assert_int_eq(regions.regions[1].verdict, BW_REGION_CLEAN);
    ck_assert_uint_eq(regions.regions[2].base, 8192);
    ck_assert_uint_eq(regions.regions[2].bytes, 256);
    ck_assert_int_eq(regions.regions[0].verdict, BW_REGION_CURED);
}
END_TEST

START_TEST(names_are_those_of_arrays)
{
    static const bw_shared_array arrays[] = {
        {"first", 0, 128}, {"tile", 128, 4096}, {"far", 8000, 8}};
    add(2, BW_OP_ST_32, 0, 4);
    for (uint32_t i = 0; i < 8; i++)
        add(1, BW_OP_LD_32, 128 + 4 * i, 128);
    bw_regions_solve(&regions, arrays, 3);
    ck_assert_uint_eq(regions.count, 2);
    ck_assert_str_eq(regions.regions[0].name, "first");
    ck_assert_str_eq(regions.regions[1].name, "tile");
    ck_assert_uint_eq(regions.regions[1].bytes, 4096);
}
END_TEST

START_TEST(a_request_across_arrays_has_no_name)
{
    static const bw_shared_array arrays[] = {{"first", 0, 128}, {"second", 128, 128}};
    add(0, BW_OP_LD_32, 0, 8);
    bw_regions_solve(&regions, arrays, 2);
    ck_assert_uint_eq(regions.count, 1);
    ck_assert_ptr_null(regions.regions[0].name);
    ck_assert_uint_eq(regions.regions[0].bytes, 256);
}
END_TEST

/* Atomics on one word: turns that no layout saves. */
START_TEST(turns_are_no_layout)
{
    add(0, BW_OP_ATOM_ADD_U32, 0, 0);
    bw_regions_solve(&regions, NULL, 0);
    ck_assert_uint_gt(regions.regions[0].excessive, 0);
    ck_assert_int_eq(regions.regions[0].verdict, BW_REGION_PROVED);
    ck_assert(!regions.regions[0].cures[BW_CURE_PAD].found);
}
END_TEST

/* Places drawn at random: what a layout gains there is chance, and told as no cure. */
START_TEST(chance_is_no_cure)
{
    uint32_t state = 1;
    for (int i = 0; i < 400; i++) {
        bw_request r = {.op = BW_OP_LD_32, .active = UINT32_MAX};
        for (unsigned lane = 0; lane < BW_LANES; lane++) {
            state = state * 1664525 + 1013904223;
            r.addr[lane] = 4 * (state >> 20);
        }
        bw_regions_add(&regions, 0, &r, 1);
    }
    bw_regions_solve(&regions, NULL, 0);
    ck_assert_uint_gt(regions.regions[0].excessive, 400);
    ck_assert_int_eq(regions.regions[0].verdict, BW_REGION_OPEN);
}
END_TEST

START_TEST(steps_of_lanes)
{
    int64_t stride;
    bw_request r = steps(BW_OP_LD_32, 4096, 256);
    ck_assert(bw_request_stride(&r, &stride));
    ck_assert_int_eq(stride, 256);
    ck_assert_uint_eq(bw_request_meeting(&r), 256);
    r.active = 0x80000003u;
    ck_assert(!bw_request_stride(&r, &stride));
    r = steps(BW_OP_LD_32, 0, 4);
    ck_assert_uint_eq(bw_request_meeting(&r), 0);
    for (unsigned i = 0; i < BW_LANES; i++)
        r.addr[i] = 4096 - 8 * i;
    ck_assert(bw_request_stride(&r, &stride));
    ck_assert_int_eq(stride, -8);
    ck_assert_uint_eq(bw_request_meeting(&r), 128);
    r.active = 4;
    ck_assert(!bw_request_stride(&r, &stride));
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("regions");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_column_is_cured);
    tcase_add_test(tests, what_is_left_is_so);
    tcase_add_test(tests, regions_are_told_apart);
    tcase_add_test(tests, names_are_those_of_arrays);
    tcase_add_test(tests, a_request_across_arrays_has_no_name);
    tcase_add_test(tests, turns_are_no_layout);
    tcase_add_test(tests, chance_is_no_cure);
    tcase_add_test(tests, steps_of_lanes);
    return tap_run(tests);
}
