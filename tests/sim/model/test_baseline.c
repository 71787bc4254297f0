/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The baselines: known requests, their definitions counted out bank by bank, and how they relate to
 * the model.
 */
#include <check.h>

#include "baseline.h"
#include "families.h"
#include "tap.h"

static const bw_arch *sm_90;

static bw_request strided(bw_op op, uint32_t stride)
{
    bw_request request = {.op = op, .active = UINT32_MAX};
    for (uint32_t i = 0; i < BW_LANES; i++)
        request.addr[i] = i * stride;
    return request;
}

/* The wavefronts of every baseline but the model, in order. */
static void expect(const bw_request *request, const uint32_t wanted[BW_BASELINE_MODEL])
{
    bw_baseline_cost costs[BW_BASELINE_COUNT];
    ck_assert_int_eq(bw_baselines_of(sm_90, request, costs), BW_OK);
    for (unsigned i = 0; i < BW_BASELINE_MODEL; i++)
        ck_assert_msg(costs[i].wavefronts == wanted[i], "%s: %u, expected %u",
                      bw_baseline_name((bw_baseline)i), costs[i].wavefronts, wanted[i]);
}

START_TEST(test_known)
{
    bw_request ld = strided(BW_OP_LD_32, 8), same = strided(BW_OP_LD_64, 0);
    expect(&ld, (uint32_t[]){1, 2, 2, 2, 2, 2});
    expect(&same, (uint32_t[]){1, 1, 32, 1, 2, 2}); /* merges: the model says 1 */
    bw_request wide = strided(BW_OP_LD_128, 16), apart = strided(BW_OP_ST_128, 128);
    expect(&wide, (uint32_t[]){1, 4, 4, 4, 4, 4});
    expect(&apart, (uint32_t[]){1, 32, 32, 32, 32, 32});
    bw_request bytes = strided(BW_OP_LD_8, 1), add = strided(BW_OP_ATOM_ADD_U32, 0);
    expect(&bytes, (uint32_t[]){1, 1, 4, 1, 1, 1});
    expect(&add, (uint32_t[]){1, 1, 32, 1, 1, 32});
    bw_request loop = strided(BW_OP_RED_ADD_F32, 0), loop64 = strided(BW_OP_RED_ADD_U64, 0);
    expect(&loop, (uint32_t[]){1, 1, 32, 1, 1, 96});
    /* 16 rounds: two halves load and, two wavefronts each, swap; merging spares one of six. */
    expect(&loop64, (uint32_t[]){1, 1, 32, 1, 2, 96});
}
END_TEST

/* The stride is that of the two lowest active lanes, whatever their distance and direction. */
START_TEST(test_gcd)
{
    bw_request request = strided(BW_OP_LD_32, 12);
    bw_baseline_cost costs[BW_BASELINE_COUNT];
    request.active = 0x00110010; /* lanes 4, 16, 20 */
    bw_baselines_of(sm_90, &request, costs);
    ck_assert_uint_eq(costs[BW_BASELINE_GCD].wavefronts, 1); /* 3 words */
    request.addr[4] = 16 * 48 + 12 * 4 * 8;                  /* 8 words a lane, downwards */
    request.addr[16] = 16 * 48;
    bw_baselines_of(sm_90, &request, costs);
    ck_assert_uint_eq(costs[BW_BASELINE_GCD].wavefronts, 8);
    request.active = 0x00000010;
    bw_baselines_of(sm_90, &request, costs);
    ck_assert_uint_eq(costs[BW_BASELINE_GCD].wavefronts, 1);
}
END_TEST

/* Words on each bank, over the whole warp, each counted out. */
static void count_banks(const bw_request *request, uint32_t *lanes_most, uint32_t *words_most)
{
    static uint32_t seen[1 << 16], now; /* which call saw a word last */
    uint32_t lanes[32] = {0}, words[32] = {0};
    const bw_op_info *info = bw_op_get(request->op);
    now++;
    *lanes_most = *words_most = 0;
    for (unsigned i = 0; i < BW_LANES; i++) {
        if (!(bw_request_lanes(request) >> i & 1))
            continue;
        for (uint32_t w = request->addr[i] / 4; w * 4 < request->addr[i] + info->bytes; w++) {
            if (w >= 1 << 16)
                ck_abort_msg("word %u", w);
            lanes[w % 32]++;
            words[w % 32] += seen[w] != now;
            seen[w] = now;
        }
    }
    for (unsigned b = 0; b < 32; b++) {
        *lanes_most = lanes[b] > *lanes_most ? lanes[b] : *lanes_most;
        *words_most = words[b] > *words_most ? words[b] : *words_most;
    }
}

/* What must hold of every request; the first that does not, in words, or NULL. Check's own
 * assertions are too slow for so many. */
static const char *wrong_with(const bw_request *request)
{
    bw_baseline_cost costs[BW_BASELINE_COUNT];
    bw_cost cost;
    uint32_t lanes, words;
    count_banks(request, &lanes, &words);
    if (bw_cost_of(sm_90, request, &cost) != BW_OK ||
        bw_baselines_of(sm_90, request, costs) != BW_OK)
        return "is refused";
    if (costs[BW_BASELINE_LANES].wavefronts != lanes)
        return "per-bank";
    if (costs[BW_BASELINE_BROADCAST].wavefronts != words)
        return "broadcast";
    if (costs[BW_BASELINE_PHASES].wavefronts < words)
        return "phases take less than one";
    if (costs[BW_BASELINE_MODEL].wavefronts != cost.wavefronts ||
        costs[BW_BASELINE_MODEL].cycles != cost.cycles)
        return "model";
    if (costs[BW_BASELINE_UNMERGED].wavefronts < cost.wavefronts)
        return "merging costs";
    bool may_merge = cost.merged || bw_op_get(request->op)->kind == BW_KIND_CAS_LOOP;
    if (!may_merge && (costs[BW_BASELINE_UNMERGED].wavefronts != cost.wavefronts ||
                       costs[BW_BASELINE_UNMERGED].cycles != cost.cycles))
        return "no-merge differs without a merge";
    return NULL;
}

START_TEST(test_properties)
{
    rng random = {2026};
    unsigned merged = 0;
    for (unsigned n = 0; n < 200000; n++) {
        bw_request request;
        bw_cost cost;
        family_request(&random, (bw_op)(n % BW_OP_COUNT), &request);
        if (bw_op_get(request.op)->turns == BW_TURNS_FIXED) {
            bw_baseline_cost costs[BW_BASELINE_COUNT];
            bw_cost_of(sm_90, &request, &cost);
            ck_assert_int_eq(bw_baselines_of(sm_90, &request, costs), BW_OK);
            for (unsigned i = 0; i < BW_BASELINE_COUNT; i++)
                ck_assert_uint_eq(costs[i].wavefronts, cost.wavefronts);
            continue;
        }
        const char *wrong = wrong_with(&request);
        if (wrong) {
            family_print(&request);
            ck_abort_msg("%s", wrong);
        }
        bw_cost_of(sm_90, &request, &cost);
        merged += cost.merged;
    }
    ck_assert_uint_gt(merged, 1000); /* the rule was put to the test */
}
END_TEST

START_TEST(test_refusals)
{
    bw_baseline_cost costs[BW_BASELINE_COUNT];
    bw_request request = strided(BW_OP_LD_32, 4);
    ck_assert_int_eq(bw_baselines_of(bw_arch_find("sm_35"), &request, costs), BW_UNSUPPORTED);
    ck_assert_uint_eq(costs[BW_BASELINE_ONE].wavefronts, 0);
    request.addr[3]++;
    ck_assert_int_eq(bw_baselines_of(sm_90, &request, costs), BW_MISALIGNED);
    ck_assert_uint_eq(costs[BW_BASELINE_MODEL].wavefronts, 0);
    ck_assert_ptr_null(bw_baseline_name(BW_BASELINE_COUNT));
    for (unsigned i = 0; i < BW_BASELINE_COUNT; i++)
        ck_assert(bw_baseline_name((bw_baseline)i) && bw_baseline_text((bw_baseline)i));
}
END_TEST

int main(void)
{
    sm_90 = bw_arch_find("sm_90");
    TCase *tc = tcase_create("baseline");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, test_known);
    tcase_add_test(tc, test_gcd);
    tcase_add_test(tc, test_properties);
    tcase_add_test(tc, test_refusals);
    return tap_run(tc);
}
