/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Medians and spreads; repeating what disagrees, and marking what keeps disagreeing. */
#include "measure.h"

#include <math.h>

#include "pretend.h"
#include "tap.h"

START_TEST(medians)
{
    double odd[] = {3, 1, 2}, even[] = {4, 1, 3, 2}, one[] = {7};
    ck_assert_double_eq(bw_median(odd, 3), 2);
    ck_assert_double_eq(bw_median(even, 4), 2.5);
    ck_assert_double_eq(bw_median(one, 1), 7);
    ck_assert_double_eq(bw_median(NULL, 0), 0);
}
END_TEST

START_TEST(settling)
{
    double close[] = {4.02, 3.99, 4.00}, far[] = {4.0, 4.5, 4.1}, large[] = {100.0, 100.4, 100.2};
    bw_measured m = bw_settle(close, 3);
    ck_assert_double_eq_tol(m.cycles, 4.0, 1e-9);
    ck_assert_double_eq_tol(m.spread, 0.03, 1e-9);
    ck_assert(m.stable);
    m = bw_settle(far, 3);
    ck_assert_double_eq_tol(m.cycles, 4.1, 1e-9);
    ck_assert(!m.stable);
    ck_assert(bw_settle(large, 3).stable); /* within half a per cent */
}
END_TEST

static bw_request ways(unsigned n)
{
    bw_request request = {.op = BW_OP_LD_32, .active = UINT32_MAX};
    for (unsigned lane = 0; lane < BW_LANES; lane++)
        request.addr[lane] = lane % n * 128;
    return request;
}

START_TEST(results_keep_their_order)
{
    pretend p = {.noise = 0.01};
    bw_meter meter = pretend_meter(&p);
    bw_policy policy = BW_POLICY_CAREFUL;
    bw_request requests[BW_LANES];
    bw_measured results[BW_LANES];
    for (unsigned n = 1; n <= BW_LANES; n++)
        requests[n - 1] = ways(n);
    ck_assert(bw_measure(&meter, BW_OP_LD_32, requests, BW_LANES, &policy, results));
    for (unsigned n = 1; n <= BW_LANES; n++) {
        ck_assert_int_eq(lround(results[n - 1].cycles), n);
        ck_assert(results[n - 1].stable);
    }
    ck_assert_uint_eq(p.submitted, policy.repeats);
    pretend_finish(&p);
}
END_TEST

START_TEST(disagreement_is_repeated)
{
    pretend p = {.wild = 3}; /* three of the first five values are nonsense */
    bw_meter meter = pretend_meter(&p);
    bw_policy policy = BW_POLICY_CAREFUL;
    bw_request request = ways(4);
    bw_measured result;
    ck_assert(bw_measure(&meter, BW_OP_LD_32, &request, 1, &policy, &result));
    ck_assert(result.stable);
    ck_assert_double_eq(result.cycles, 4);
    ck_assert_uint_eq(p.submitted, 2 * policy.repeats);
    pretend_finish(&p);
}
END_TEST

START_TEST(lasting_disagreement_is_marked)
{
    pretend p = {.noise = 3};
    bw_meter meter = pretend_meter(&p);
    bw_policy policy = BW_POLICY_CAREFUL;
    bw_request request = ways(4);
    bw_measured result;
    srand(1);
    ck_assert(bw_measure(&meter, BW_OP_LD_32, &request, 1, &policy, &result));
    ck_assert(!result.stable);
    ck_assert_uint_eq(p.submitted, (policy.retries + 1) * policy.repeats);
    pretend_finish(&p);
}
END_TEST

START_TEST(a_failing_meter_is_reported)
{
    pretend p = {.fail_after = 2};
    bw_meter meter = pretend_meter(&p);
    bw_policy policy = BW_POLICY_CAREFUL;
    bw_request request = ways(4);
    bw_measured result;
    ck_assert(!bw_measure(&meter, BW_OP_LD_32, &request, 1, &policy, &result));
    pretend_finish(&p);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("measure");
    tcase_add_test(tc, medians);
    tcase_add_test(tc, settling);
    tcase_add_test(tc, results_keep_their_order);
    tcase_add_test(tc, disagreement_is_repeated);
    tcase_add_test(tc, lasting_disagreement_is_marked);
    tcase_add_test(tc, a_failing_meter_is_reported);
    return tap_run(tc);
}
