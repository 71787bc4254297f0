/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fuzzer finds what is wrong and nothing else, and reduces it to what matters. */
#include "fuzz.h"

#include "pretend.h"
#include "reduce.h"
#include "tap.h"

static bw_fuzz_report report;

static bool fuzz(pretend *p, bw_op op, uint64_t count)
{
    bw_meter meter = pretend_meter(p);
    bw_fuzz_options options = {.arch = bw_arch_find("sm_90"),
                               .count = count,
                               .seed = 5,
                               .threads = 2,
                               .timing = BW_TIMING_QUICK,
                               .again = BW_POLICY_CAREFUL};
    bool ok = bw_fuzz(&meter, op, &options, &report);
    pretend_finish(p);
    return ok;
}

START_TEST(agreement_is_agreement)
{
    pretend p = {.noise = 0.1};
    ck_assert(fuzz(&p, BW_OP_LD_64, 20000));
    ck_assert_uint_eq(report.requests, 20000);
    ck_assert_uint_eq(report.mismatches, 0);
    ck_assert_uint_eq(report.again, 0);
    ck_assert_double_lt(report.error_max, 0.11);
    ck_assert_uint_gt(report.merged, 100);
    ck_assert_uint_gt(report.masked, 1000);
    ck_assert_uint_eq(report.cycles_max, 32);
}
END_TEST

/* More than two batches, the last one short: every request is looked at once. */
START_TEST(batches_add_up)
{
    pretend p = {0};
    uint64_t count = 2 * BW_BATCH + 17;
    ck_assert(fuzz(&p, BW_OP_ST_8, count));
    ck_assert_uint_eq(report.requests, count);
    ck_assert_uint_eq(p.submitted, 3);
    ck_assert_uint_eq(report.mismatches, 0);
}
END_TEST

/* A card on which lanes 3 and 17 cost a cycle more when they share a word. */
static double odd_pair(const bw_request *request)
{
    bool both = request->active >> 3 & 1 && request->active >> 17 & 1;
    return both && request->addr[3] / 4 == request->addr[17] / 4 ? 1 : 0;
}

START_TEST(disagreement_is_found)
{
    pretend p = {.deviate = odd_pair, .noise = 0.02};
    ck_assert(fuzz(&p, BW_OP_LD_32, 20000));
    ck_assert_uint_gt(report.mismatches, 100);
    ck_assert_uint_eq(report.mismatches, report.again);
    ck_assert_uint_eq(report.kept_count, BW_FUZZ_KEPT);
    for (size_t i = 0; i < report.kept_count; i++)
        ck_assert_double_gt(odd_pair(&report.kept[i].request), 0);
}
END_TEST

START_TEST(disagreement_is_reduced)
{
    pretend p = {.deviate = odd_pair};
    bw_meter meter = pretend_meter(&p);
    bw_policy policy = BW_POLICY_CAREFUL;
    bw_request start = {.op = BW_OP_LD_32, .active = UINT32_MAX};
    bw_reduced reduced;
    for (unsigned lane = 0; lane < BW_LANES; lane++)
        start.addr[lane] = 4000 + 4 * (lane % 14);
    ck_assert(bw_reduce(&meter, bw_arch_find("sm_90"), &start, &policy, &reduced));
    ck_assert(reduced.confirmed);
    ck_assert_uint_eq(reduced.request.active, 1u << 3 | 1u << 17);
    ck_assert_uint_lt(reduced.request.addr[3], 128);
    ck_assert_uint_eq(reduced.request.addr[3], reduced.request.addr[17]);
    ck_assert_double_eq(reduced.measured.cycles, 2);
    ck_assert_uint_eq(reduced.predicted, 1);
    pretend_finish(&p);
}
END_TEST

START_TEST(nothing_wrong_is_not_confirmed)
{
    pretend p = {0};
    bw_meter meter = pretend_meter(&p);
    bw_policy policy = BW_POLICY_CAREFUL;
    bw_request start = {.op = BW_OP_LD_32, .active = 1};
    bw_reduced reduced;
    ck_assert(bw_reduce(&meter, bw_arch_find("sm_90"), &start, &policy, &reduced));
    ck_assert(!reduced.confirmed);
    pretend_finish(&p);
}
END_TEST

START_TEST(a_failing_meter_ends_it)
{
    pretend p = {.fail_after = 1};
    ck_assert(!fuzz(&p, BW_OP_LD_32, 2 * BW_BATCH));
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("fuzz");
    tcase_set_timeout(tc, 100);
    tcase_add_test(tc, agreement_is_agreement);
    tcase_add_test(tc, batches_add_up);
    tcase_add_test(tc, disagreement_is_found);
    tcase_add_test(tc, disagreement_is_reduced);
    tcase_add_test(tc, nothing_wrong_is_not_confirmed);
    tcase_add_test(tc, a_failing_meter_ends_it);
    return tap_run(tc);
}
