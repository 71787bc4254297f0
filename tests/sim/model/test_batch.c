/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Requests priced eight at a time against bw_cost_of, one by one: every member of every cost, by
 * each of the ways that the code is compiled.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <check.h>
#include <stdlib.h>

#include "batch.h"
#include "families.h"
#include "tap.h"

#define REQUESTS 5003 /* not a multiple of eight, and more than one window */

static bw_request requests[REQUESTS];
static bw_cost found[REQUESTS];
static bw_status statuses[REQUESTS];

static int batches(void)
{
    const char *given = getenv("BANKWISE_TEST_BATCHES"); /* 100000: half a thousand million */
    return given ? atoi(given) : (int)tap_rounds(200);
}

static bool is_same(const bw_cost *a, const bw_cost *b)
{
    return a->wavefronts == b->wavefronts && a->ideal == b->ideal && a->cycles == b->cycles &&
           a->degree == b->degree && a->phases == b->phases && a->rounds == b->rounds &&
           a->excess_layout == b->excess_layout && a->excess_serial == b->excess_serial &&
           a->merged == b->merged && a->wavefronts_changing == b->wavefronts_changing &&
           a->basis == b->basis;
}

/* Four rows of eight neighbours, near each other or far: tiles, and rows that overlap. */
static void rows_request(rng *r, bw_request *request)
{
    uint32_t bytes = bw_op_get(request->op)->bytes, reach = rng_below(r, 2) ? 40 : 3000;
    request->active = UINT32_MAX;
    for (uint32_t row = 0; row < 4; row++) {
        uint32_t first = rng_below(r, reach);
        for (uint32_t i = 0; i < 8; i++)
            request->addr[8 * row + i] = (first + i) * bytes;
    }
}

static void strided_request(rng *r, bw_request *request)
{
    uint32_t bytes = bw_op_get(request->op)->bytes, stride = rng_below(r, 70) * bytes;
    uint32_t first = rng_below(r, 100) * bytes;
    if (rng_below(r, 50) == 0)
        stride = UINT32_MAX - stride + 1; /* downwards */
    if (rng_below(r, 50) == 0)
        stride = 1u << rng_below(r, 32); /* may wrap, or be misaligned */
    request->active = UINT32_MAX;
    for (uint32_t i = 0; i < BW_LANES; i++)
        request->addr[i] = first + i * stride;
}

/* What no cost can be given for. */
static void invalid_request(rng *r, bw_request *request)
{
    switch (rng_below(r, 3)) {
    case 0: request->active = 0; break;
    case 1: request->addr[rng_below(r, 32)]++; break;
    default: request->op = (bw_op)(BW_OP_COUNT + rng_below(r, 3)); break;
    }
}

static void fill(rng *r)
{
    /* Few operations at a time, so that there are eight of each; sometimes all. */
    uint32_t from = rng_below(r, BW_OP_COUNT), kinds = rng_below(r, 4) ? 3 : BW_OP_COUNT;
    for (int i = 0; i < REQUESTS; i++) {
        bw_op op = (bw_op)((from + rng_below(r, kinds)) % BW_OP_COUNT);
        family_request(r, op, &requests[i]);
        uint32_t dice = rng_below(r, 8);
        if (dice == 0)
            rows_request(r, &requests[i]);
        else if (dice == 1)
            strided_request(r, &requests[i]);
        if (rng_below(r, 200) == 0)
            invalid_request(r, &requests[i]);
    }
}

static void expect_same(const bw_arch *arch, bw_batch_function *batch)
{
    size_t bad = batch(arch, requests, REQUESTS, found, statuses), expected_bad = 0;
    for (int i = 0; i < REQUESTS; i++) {
        bw_cost expected;
        bw_status status = bw_cost_of(arch, &requests[i], &expected);
        expected_bad += status != BW_OK;
        if (status == statuses[i] && is_same(&found[i], &expected))
            continue;
        family_print(&requests[i]);
        ck_abort_msg("request %d: wavefronts %u, not %u; degree %u, not %u; status %d, not %d", i,
                     found[i].wavefronts, expected.wavefronts, found[i].degree, expected.degree,
                     (int)statuses[i], (int)status);
    }
    ck_assert_uint_eq(bad, expected_bad);
}

static void all_batches(bw_batch_function *batch, uint64_t seed)
{
    rng r = {seed};
    const bw_arch *arch = bw_arch_find("sm_90");
    for (int i = 0; i < batches(); i++) {
        fill(&r);
        expect_same(arch, batch);
    }
}

START_TEST(test_portable)
{
    all_batches(bw_batch_portable, 20261130);
}
END_TEST

START_TEST(test_vectors)
{
    all_batches(bw_cost_batch, 20261201); /* what this machine takes */
}
END_TEST

START_TEST(test_other_architectures)
{
    static const char *const names[] = {"sm_13",       "sm_20", "sm_35",
                                        "sm_35-8byte", "sm_75", "sm_120"};
    rng r = {20261202};
    for (unsigned n = 0; n < sizeof names / sizeof *names; n++) {
        fill(&r);
        expect_same(bw_arch_find(names[n]), bw_cost_batch);
    }
    expect_same(NULL, bw_cost_batch);
}
END_TEST

START_TEST(test_few_and_none)
{
    rng r = {20261203};
    bw_cost one, expected;
    const bw_arch *arch = bw_arch_find("sm_90");
    ck_assert_uint_eq(bw_cost_batch(arch, NULL, 0, NULL, NULL), 0);
    for (int op = 0; op < BW_OP_COUNT; op++) {
        bw_request request;
        family_request(&r, (bw_op)op, &request);
        ck_assert_uint_eq(bw_cost_batch(arch, &request, 1, &one, NULL), 0);
        bw_cost_of(arch, &request, &expected);
        ck_assert(is_same(&one, &expected));
    }
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("batch");
    tcase_set_timeout(cases, 0);
    tcase_add_test(cases, test_portable);
    tcase_add_test(cases, test_vectors);
    tcase_add_test(cases, test_other_architectures);
    tcase_add_test(cases, test_few_and_none);
    return tap_run(cases);
}
