/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tallies: sums, the worst request, and the remembered cost, which must never show.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "families.h"
#include "tally.h"
#include "tap.h"

static void add_uncached(bw_counts *sum, const bw_arch *arch, const bw_request *request,
                         uint64_t copies)
{
    bw_cost cost;
    bw_ncu ncu;
    bw_cost_of(arch, request, &cost);
    bw_ncu_of(arch, request, &ncu);
    uint32_t again = cost.wavefronts_changing - cost.wavefronts;
    sum->requests += copies;
    sum->wavefronts += copies * cost.wavefronts_changing;
    sum->ideal += copies * cost.ideal;
    sum->cycles += copies * (cost.cycles + again);
    sum->wavefronts_staying += copies * cost.wavefronts;
    sum->excess_layout += copies * cost.excess_layout;
    sum->excess_serial += copies * (cost.excess_serial + again);
    sum->ncu_wavefronts += copies * (ncu.wavefronts + again);
    sum->ncu_conflicts += copies * ncu.conflicts;
    sum->ncu_sass_wavefronts += copies * ncu.sass_wavefronts;
    sum->ncu_sass_ideal += copies * ncu.sass_ideal;
    sum->ncu_inexact += ncu.sass_exact ? 0 : copies;
    sum->at_least += cost.at_least ? copies : 0;
}

/* Changes a request as loops do (moves it), or nearly so, or not at all. */
static void vary(rng *r, bw_request *request)
{
    uint32_t bytes = bw_op_get(request->op)->bytes, by = bytes * rng_below(r, 100);
    switch (rng_below(r, 5)) {
    case 0: break;
    case 1:
        for (int lane = 0; lane < 32; lane++)
            request->addr[lane] += 256 * rng_below(r, 2) + by;
        break;
    case 2:
        for (int lane = 0; lane < 32; lane++)
            request->addr[lane] += by;
        break;
    case 3:
        if (bw_op_get(request->op)->kind == BW_KIND_WGMMA)
            request->columns = 8 * (1 + rng_below(r, 32));
        if (bw_op_get(request->op)->kind == BW_KIND_STORE)
            request->registers = rng_below(r, 2);
        request->addr[rng_below(r, 32)] += by;
        break;
    default: request->active ^= 1u << rng_below(r, 32); break;
    }
}

/* All architectures, all operations they have; a run of like requests, summed with the cache and
 * without. */
START_TEST(test_cache_does_not_show)
{
    rng r = {20260201};
    for (int run = 0; run < 1500; run++) {
        const bw_arch *arch = bw_arch_at(rng_below(&r, (uint32_t)bw_arch_count()));
        bw_request request;
        bw_cost cost;
        bw_tally tally;
        bw_counts expected = {0};
        family_request(&r, (bw_op)rng_below(&r, BW_OP_COUNT), &request);
        if (bw_cost_of(arch, &request, &cost) != BW_OK)
            continue;
        bw_tally_init(&tally, arch);
        for (int i = 0; i < 40; i++) {
            uint64_t copies = 1 + rng_below(&r, 3);
            vary(&r, &request);
            if (bw_request_lanes(&request) == 0)
                request.active = UINT32_MAX;
            add_uncached(&expected, arch, &request, copies);
            if (!bw_tally_add(&tally, 2, 0, 0, &request, copies))
                ck_abort_msg("%s", bw_status_text(tally.status));
        }
        bw_counts total = bw_tally_total(&tally);
        if (memcmp(&total, &expected, sizeof total) != 0) {
            family_print(&request);
            ck_abort_msg("%s: %lu wavefronts with the cache, %lu without", arch->name,
                         (unsigned long)total.wavefronts, (unsigned long)expected.wavefronts);
        }
        bw_tally_finish(&tally);
    }
}
END_TEST

static bw_request stride(uint32_t bytes)
{
    bw_request request = {.op = BW_OP_LD_32, .active = UINT32_MAX};
    for (uint32_t i = 0; i < 32; i++)
        request.addr[i] = i * bytes;
    return request;
}

START_TEST(test_rows)
{
    bw_tally tally;
    bw_request one = stride(4), two = stride(8), four = stride(16);
    bw_tally_init(&tally, bw_arch_find("sm_90"));
    ck_assert(bw_tally_add(&tally, 1, 0, 0, &one, 5));
    ck_assert(bw_tally_add(&tally, 1, 3, 9, &four, 1));
    ck_assert(bw_tally_add(&tally, 1, 4, 9, &four, 1));
    ck_assert(bw_tally_add(&tally, 0, 0, 0, &two, 10));
    ck_assert_uint_eq(tally.count, 2);
    const bw_tally_row *row = &tally.rows[1];
    ck_assert_uint_eq(row->counts.requests, 7);
    ck_assert_uint_eq(row->counts.wavefronts, 5 + 4 + 4);
    ck_assert_uint_eq(bw_counts_excessive(&row->counts), 6);
    ck_assert_uint_eq(row->degree, 4);
    ck_assert_double_eq(row->degree_sum, 5 + 4 + 4);
    ck_assert_uint_eq(row->degrees[1], 5);
    ck_assert_uint_eq(row->degrees[4], 2);
    ck_assert_uint_eq(row->worst_warp, 3);
    ck_assert_uint_eq(row->worst_block, 9);
    ck_assert_uint_eq(row->worst_index, 5);
    ck_assert_mem_eq(&row->worst, &four, sizeof four);
    ck_assert_int_eq(row->basis, BW_BASIS_MEASURED);
    ck_assert_int_eq(row->op, BW_OP_LD_32);
    ck_assert_uint_eq(bw_tally_total(&tally).wavefronts, 13 + 20);
    bw_tally_finish(&tally);
    bw_tally_finish(&tally); /* twice is harmless */
}
END_TEST

START_TEST(test_failure_is_kept)
{
    bw_tally tally;
    bw_request good = stride(4), bad = stride(4);
    bad.addr[7] = 3;
    bw_tally_init(&tally, bw_arch_find("sm_90"));
    ck_assert(bw_tally_add(&tally, 0, 0, 0, &good, 1));
    ck_assert(!bw_tally_add(&tally, 4, 0, 0, &bad, 1));
    ck_assert(!bw_tally_add(&tally, 0, 0, 0, &good, 1));
    ck_assert_int_eq(tally.status, BW_MISALIGNED);
    ck_assert_uint_eq(tally.failed_row, 4);
    ck_assert_mem_eq(&tally.failed, &bad, sizeof bad);
    bw_tally_finish(&tally);
}
END_TEST

/* A moved request that lost its alignment must not pass for its aligned predecessor. */
START_TEST(test_misaligned_after_aligned)
{
    bw_tally tally;
    bw_request request = {.op = BW_OP_LD_128, .active = UINT32_MAX};
    bw_tally_init(&tally, bw_arch_find("sm_90"));
    ck_assert(bw_tally_add(&tally, 0, 0, 0, &request, 1));
    for (int i = 0; i < 32; i++)
        request.addr[i] += 8;
    ck_assert(!bw_tally_add(&tally, 0, 0, 0, &request, 1));
    ck_assert_int_eq(tally.status, BW_MISALIGNED);
    bw_tally_finish(&tally);
}
END_TEST

/* A request mirrored is not one that moved: of bytes in one bank, the mirror can have others. */
START_TEST(test_mirrored)
{
    static const uint32_t masks[] = {UINT32_MAX, UINT32_MAX >> 1};
    for (int k = 0; k < 2; k++) {
        bw_request request = {.op = BW_OP_LD_8, .active = masks[k], .addr = {0, 129}};
        bw_tally tally;
        bw_tally_init(&tally, bw_arch_find("sm_90"));
        ck_assert(bw_tally_add(&tally, 0, 0, 0, &request, 1));
        ck_assert_uint_eq(bw_tally_total(&tally).wavefronts, 2);
        for (int i = 0; i < 32; i++)
            request.addr[i] = 1024 - request.addr[i];
        ck_assert(bw_tally_add(&tally, 0, 0, 0, &request, 1));
        ck_assert_uint_eq(bw_tally_total(&tally).wavefronts, 3);
        bw_tally_finish(&tally);
    }
}
END_TEST

/* Copies whose arrays lie anywhere: the range is that of the places, each taken for all copies. */
START_TEST(test_range_of_places)
{
    const bw_arch *arch = bw_arch_find("sm_90");
    unsigned varying = 0;
    for (uint32_t step = 16; step <= 4096; step *= 2) {
        bw_sources sources = {.placed = false};
        bw_request request = {.op = BW_OP_CP_ASYNC_4, .active = UINT32_MAX, .sources = &sources};
        for (uint32_t i = 0; i < BW_LANES; i++) {
            request.addr[i] = 4 * i;
            sources.addr[i] = ((uint64_t)(i % 3) << 40) + step * i; /* three arrays */
            sources.bytes[i] = 4;
        }
        uint32_t places[BW_PLACES];
        if (bw_copy_places(arch, &request, places) != BW_OK)
            continue;
        bw_tally tally;
        bw_tally_init(&tally, arch);
        ck_assert(bw_tally_add(&tally, 0, 0, 0, &request, 2));
        ck_assert(bw_tally_add(&tally, 0, 0, 0, &request, 3));
        uint64_t least, most, wanted_least = places[0], wanted_most = places[0];
        for (unsigned i = 0; i < BW_PLACES; i++) {
            wanted_least = places[i] < wanted_least ? places[i] : wanted_least;
            wanted_most = places[i] > wanted_most ? places[i] : wanted_most;
        }
        bw_counts total = bw_tally_total(&tally);
        bw_counts_range(&total, &least, &most);
        varying += wanted_least < wanted_most;
        ck_assert_uint_eq(total.wavefronts, 5 * (uint64_t)places[0]);
        ck_assert_uint_eq(least, 5 * wanted_least);
        ck_assert_uint_eq(most, 5 * wanted_most);
        bw_tally_finish(&tally);
    }
    ck_assert_uint_gt(varying, 0);
}
END_TEST

START_TEST(test_overflow)
{
    bw_tally tally;
    bw_request request = stride(128);
    bw_tally_init(&tally, bw_arch_find("sm_90"));
    ck_assert(bw_tally_add(&tally, 0, 0, 0, &request, UINT64_C(1) << 40));
    ck_assert_uint_eq(tally.rows[0].counts.wavefronts, UINT64_C(32) << 40);
    ck_assert(!bw_tally_add(&tally, 0, 0, 0, &request, UINT64_MAX));
    ck_assert_int_eq(tally.status, BW_OVERFLOW);
    bw_tally_finish(&tally);
}
END_TEST

START_TEST(test_weakest_basis)
{
    bw_tally tally;
    bw_request request = {.op = BW_OP_ATOM_ADD_U32, .active = 1};
    bw_tally_init(&tally, bw_arch_find("sm_90"));
    ck_assert(bw_tally_add(&tally, 0, 0, 0, &request, 1));
    ck_assert_int_eq(tally.rows[0].basis, BW_BASIS_MEASURED);
    request.op = BW_OP_CP_ASYNC_16;
    ck_assert(bw_tally_add(&tally, 0, 0, 0, &request, 1));
    request.op = BW_OP_ATOM_ADD_U32;
    ck_assert(bw_tally_add(&tally, 0, 0, 0, &request, 1));
    ck_assert_int_eq(tally.rows[0].basis, BW_BASIS_ASSUMED);
    bw_tally_finish(&tally);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("tally");
    tcase_add_test(tc, test_cache_does_not_show);
    tcase_add_test(tc, test_rows);
    tcase_add_test(tc, test_failure_is_kept);
    tcase_add_test(tc, test_misaligned_after_aligned);
    tcase_add_test(tc, test_mirrored);
    tcase_add_test(tc, test_range_of_places);
    tcase_add_test(tc, test_overflow);
    tcase_add_test(tc, test_weakest_basis);
    return tap_run(tc);
}
