/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The model against a second one, on random requests of every operation and architecture, and what
 * must hold of every cost and every schedule.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "bankwise.h"
#include "families.h"
#include "naive.h"
#include "tap.h"

#if defined(__SANITIZE_ADDRESS__)
#define CHECKED_BUILD 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(undefined_behavior_sanitizer)
#define CHECKED_BUILD 1
#endif
#endif
#ifndef CHECKED_BUILD
#define CHECKED_BUILD 0
#endif

/* Millions of requests as they are; a twentieth under a sanitizer, or where BANKWISE_TEST_QUICK is
 * set (valgrind). */
static int scaled(int count)
{
    bool quick = CHECKED_BUILD || getenv("BANKWISE_TEST_QUICK");
    return quick ? count / 20 : count;
}

/* Check notes every ck_assert it passes, which takes longer than what is tested here. */
#define REQUIRE(what)                                                                              \
    do {                                                                                           \
        if (!(what))                                                                               \
            ck_abort_msg("%s does not hold", #what);                                               \
    } while (0)

static void expect_equal(const bw_request *request, const bw_cost *found, const bw_cost *expected)
{
    bool same = found->wavefronts == expected->wavefronts && found->ideal == expected->ideal &&
                found->cycles == expected->cycles && found->degree == expected->degree &&
                found->phases == expected->phases && found->rounds == expected->rounds &&
                found->excess_layout == expected->excess_layout &&
                found->excess_serial == expected->excess_serial &&
                found->merged == expected->merged;
    if (same)
        return;
    family_print(request);
    ck_abort_msg(
        "found wavefronts %u ideal %u cycles %u degree %u phases %u rounds %u excess %u+%u "
        "merged %d; the naive model says %u %u %u %u %u %u %u+%u %d",
        found->wavefronts, found->ideal, found->cycles, found->degree, found->phases, found->rounds,
        found->excess_layout, found->excess_serial, found->merged, expected->wavefronts,
        expected->ideal, expected->cycles, expected->degree, expected->phases, expected->rounds,
        expected->excess_layout, expected->excess_serial, expected->merged);
}

/* Two million requests of all operations of sm_90. */
START_TEST(test_models_agree)
{
    rng r = {20260101};
    const bw_arch *arch = bw_arch_find("sm_90");
    for (int op = 0; op < BW_OP_COUNT; op++)
        for (int i = 0; i < scaled(2000000 / BW_OP_COUNT); i++) {
            bw_request request;
            bw_cost found, expected;
            family_request(&r, (bw_op)op, &request);
            REQUIRE(bw_cost_of(arch, &request, &found) == BW_OK);
            naive_cost(BW_RULES_MODERN, &request, &expected);
            expect_equal(&request, &found, &expected);
        }
}
END_TEST

/* Fermi and Kepler, all loads and stores. */
START_TEST(test_models_agree_on_older)
{
    static const char *const names[] = {"sm_20", "sm_35", "sm_35-8byte"};
    rng r = {20260102};
    for (int n = 0; n < 3; n++) {
        const bw_arch *arch = bw_arch_find(names[n]);
        for (bw_op op = BW_OP_LD_8; op <= BW_OP_ST_128; op++)
            for (int i = 0; i < scaled(20000); i++) {
                bw_request request;
                bw_cost found, expected;
                family_request(&r, op, &request);
                REQUIRE(bw_cost_of(arch, &request, &found) == BW_OK);
                naive_cost(arch->rules, &request, &expected);
                expect_equal(&request, &found, &expected);
            }
    }
}
END_TEST

/* The naive model tries every choice of broadcast words and lanes, so few lanes at a time. */
START_TEST(test_models_agree_on_cc1)
{
    rng r = {20260103};
    const bw_arch *arch = bw_arch_find("sm_13");
    for (bw_op op = BW_OP_LD_8; op <= BW_OP_ST_128; op++)
        for (int i = 0; i < 300; i++) {
            bw_request request;
            bw_cost found, expected;
            family_request(&r, op, &request);
            request.active &= 0x00ff0000u >> rng_below(&r, 9);
            if (!request.active)
                continue;
            REQUIRE(bw_cost_of(arch, &request, &found) == BW_OK);
            naive_cost(arch->rules, &request, &expected);
            expect_equal(&request, &found, &expected);
        }
}
END_TEST

static bool any_op_of(const bw_arch *arch, bw_op op)
{
    bw_request request = {.op = op, .active = UINT32_MAX};
    bw_cost cost;
    return bw_cost_of(arch, &request, &cost) == BW_OK;
}

START_TEST(test_moving_changes_nothing)
{
    rng r = {20260104};
    for (size_t a = 0; a < bw_arch_count(); a++) {
        const bw_arch *arch = bw_arch_at(a);
        for (int i = 0; i < scaled(4000); i++) {
            bw_op op = (bw_op)rng_below(&r, BW_OP_COUNT);
            if (!any_op_of(arch, op))
                continue;
            bw_request request, moved;
            bw_cost before, after;
            uint32_t bytes = bw_op_get(op)->bytes, period = bw_period(arch);
            uint32_t grain = bytes > period ? bytes : period;
            family_request(&r, op, &request);
            moved = request;
            uint32_t by = grain * rng_below(&r, 4000);
            for (int lane = 0; lane < 32; lane++)
                moved.addr[lane] += by;
            REQUIRE(bw_cost_of(arch, &request, &before) == BW_OK);
            REQUIRE(bw_cost_of(arch, &moved, &after) == BW_OK);
            expect_equal(&request, &after, &before);
        }
    }
}
END_TEST

/* Exchanging lanes of one phase changes nothing where the rules do not look at lane numbers. */
START_TEST(test_lanes_of_a_phase_are_alike)
{
    static const bw_op ops[] = {BW_OP_LD_8,       BW_OP_LD_32,        BW_OP_ST_16,
                                BW_OP_ST_64,      BW_OP_ST_128,       BW_OP_LDMATRIX_X4,
                                BW_OP_CP_ASYNC_8, BW_OP_ATOM_ADD_U32, BW_OP_ATOM_CAS_B64};
    rng r = {20260105};
    const bw_arch *arch = bw_arch_find("sm_90");
    for (int i = 0; i < scaled(100000); i++) {
        bw_request request, changed;
        bw_cost before, after;
        bw_op op = ops[rng_below(&r, sizeof ops / sizeof *ops)];
        unsigned bytes = bw_op_get(op)->bytes, width = bytes <= 4 ? 32 : bytes == 8 ? 16 : 8;
        family_request(&r, op, &request);
        changed = request;
        unsigned first = rng_below(&r, 32), second = first / width * width + rng_below(&r, width);
        uint32_t one = request.active >> first & 1, two = request.active >> second & 1;
        changed.addr[first] = request.addr[second];
        changed.addr[second] = request.addr[first];
        changed.active &= ~(1u << first | 1u << second);
        changed.active |= one << second | two << first;
        REQUIRE(bw_cost_of(arch, &request, &before) == BW_OK);
        REQUIRE(bw_cost_of(arch, &changed, &after) == BW_OK);
        expect_equal(&request, &after, &before);
    }
}
END_TEST

START_TEST(test_parts_add_up)
{
    rng r = {20260106};
    for (int i = 0; i < scaled(300000); i++) {
        const bw_arch *arch = bw_arch_at(rng_below(&r, (uint32_t)bw_arch_count()));
        bw_op op = (bw_op)rng_below(&r, BW_OP_COUNT);
        if (!any_op_of(arch, op))
            continue;
        bw_request request;
        bw_cost cost;
        family_request(&r, op, &request);
        REQUIRE(bw_cost_of(arch, &request, &cost) == BW_OK);
        REQUIRE(cost.wavefronts >= cost.ideal);
        REQUIRE(cost.cycles >= cost.wavefronts);
        REQUIRE(cost.wavefronts - cost.ideal == cost.excess_layout + cost.excess_serial);
        REQUIRE(cost.degree >= 1);
        REQUIRE(cost.degree <= 32);
        REQUIRE(cost.rounds >= 1);
        REQUIRE(cost.basis == bw_basis_of(arch, op));
    }
}
END_TEST

/* Moving an inactive lane's address, even off its alignment, changes nothing. */
START_TEST(test_inactive_lanes_do_not_count)
{
    rng r = {20260107};
    const bw_arch *arch = bw_arch_find("sm_90");
    for (int i = 0; i < scaled(100000); i++) {
        bw_request request, changed;
        bw_cost before, after;
        family_request(&r, (bw_op)rng_below(&r, BW_OP_COUNT), &request);
        changed = request;
        for (int lane = 0; lane < 32; lane++)
            if (!(bw_request_lanes(&request) >> lane & 1))
                changed.addr[lane] = rng_below(&r, UINT32_MAX);
        REQUIRE(bw_cost_of(arch, &request, &before) == BW_OK);
        REQUIRE(bw_cost_of(arch, &changed, &after) == BW_OK);
        expect_equal(&request, &after, &before);
    }
}
END_TEST

/* ---- schedules ---- */

typedef struct watch {
    const bw_request *request;
    const bw_arch *arch;
    uint32_t visits, stop_after;
    uint32_t served[32]; /* words that each lane was served, one bit a word of it */
} watch;

/* A bank gives one word (on Kepler, one row) and only to lanes that ask it for that word. */
static void watch_bank(watch *w, const bw_wavefront *front, unsigned bank)
{
    unsigned bytes = bw_op_get(w->request->op)->bytes, words = bytes < 4 ? 1 : bytes / 4;
    unsigned grain = w->arch->rules == BW_RULES_KEPLER8 ? 2 : 1;
    bool two_halves = w->arch->rules == BW_RULES_KEPLER4;
    for (unsigned lane = 0; lane < 32; lane++) {
        if (!(front->bank_lanes[bank] >> lane & 1))
            continue;
        bool asked = false;
        REQUIRE(front->lanes >> lane & 1);
        for (unsigned i = 0; i < words; i++) {
            uint32_t word = w->request->addr[lane] / 4 + i, given = front->bank_word[bank];
            bool here = word / grain % 32 == bank && word / grain == given / grain;
            if (two_halves)
                here = word % 32 == bank && word / 64 == given / 64;
            if (here)
                w->served[lane] |= 1u << i;
            asked = asked || here;
        }
        REQUIRE(asked);
    }
}

static bool watch_front(void *context, const bw_wavefront *front)
{
    watch *w = context;
    REQUIRE(front->index == w->visits);
    REQUIRE((front->lanes & ~bw_request_lanes(w->request)) == 0);
    for (unsigned bank = 0; bank < 32; bank++)
        watch_bank(w, front, bank);
    return ++w->visits != w->stop_after;
}

static void check_schedule(const bw_arch *arch, const bw_request *request)
{
    bw_cost cost;
    watch w = {.request = request, .arch = arch};
    unsigned bytes = bw_op_get(request->op)->bytes, words = bytes < 4 ? 1 : bytes / 4;
    bool can_lose = bw_op_get(request->op)->kind == BW_KIND_SWAP; /* a lane that is told so */
    REQUIRE(bw_cost_of(arch, request, &cost) == BW_OK);
    if (bw_op_get(request->op)->turns == BW_TURNS_FIXED)
        return;
    REQUIRE(bw_schedule(arch, request, watch_front, &w) == BW_OK);
    if (w.visits != cost.wavefronts)
        family_print(request);
    REQUIRE(w.visits == cost.wavefronts);
    for (unsigned lane = 0; lane < 32; lane++)
        if (bw_request_lanes(request) >> lane & 1 && !can_lose)
            REQUIRE(w.served[lane] == (1u << words) - 1);
}

START_TEST(test_schedule_is_the_cost)
{
    static const char *const names[] = {"sm_90", "sm_20", "sm_35", "sm_35-8byte"};
    rng r = {20260108};
    for (int n = 0; n < 4; n++) {
        const bw_arch *arch = bw_arch_find(names[n]);
        for (int op = 0; op < BW_OP_COUNT; op++)
            for (int i = 0; any_op_of(arch, (bw_op)op) && i < scaled(400) + 5; i++) {
                bw_request request;
                family_request(&r, (bw_op)op, &request);
                check_schedule(arch, &request);
            }
    }
}
END_TEST

START_TEST(test_schedule_stops)
{
    bw_request request = {.op = BW_OP_LD_32, .active = UINT32_MAX};
    for (uint32_t i = 0; i < 32; i++)
        request.addr[i] = 128 * i;
    watch w = {.request = &request, .arch = bw_arch_find("sm_90"), .stop_after = 3};
    REQUIRE(bw_schedule(w.arch, &request, watch_front, &w) == BW_OK);
    REQUIRE(w.visits == 3);
    ck_assert_int_eq(bw_schedule(bw_arch_find("sm_13"), &request, watch_front, &w), BW_UNSUPPORTED);
}
END_TEST

/* ---- the expected degrees of random distinct words ---- */

static void shuffle_words(rng *r, bw_request *request, uint32_t elements)
{
    uint32_t bytes = bw_op_get(request->op)->bytes;
    for (unsigned i = 0; i < 32; i++) {
        bool again = true;
        while (again) {
            request->addr[i] = bytes * rng_below(r, elements);
            again = false;
            for (unsigned j = 0; j < i; j++)
                again = again || request->addr[j] == request->addr[i];
        }
    }
}

/* Mean wavefronts of 32 random distinct elements out of so many that drawing without replacement
 * hardly matters; the constants are for independent banks. */
static double mean_wavefronts(bw_op op, int trials)
{
    rng r = {20260109};
    uint64_t sum = 0;
    bw_request request = {.op = op, .active = UINT32_MAX};
    for (int i = 0; i < trials; i++) {
        bw_cost cost;
        shuffle_words(&r, &request, 32u << 16);
        REQUIRE(bw_cost_of(bw_arch_find("sm_90"), &request, &cost) == BW_OK);
        sum += cost.wavefronts;
    }
    return (double)sum / trials;
}

START_TEST(test_expected_degrees)
{
    int trials = scaled(150000);
    double slack = trials == 150000 ? 0.02 : 0.1; /* over 5 standard errors of the mean */
    ck_assert_double_eq_tol(mean_wavefronts(BW_OP_LD_32, trials), 3.532940993, slack);
    ck_assert_double_eq_tol(mean_wavefronts(BW_OP_LD_64, trials), 2 * 3.078246797, slack);
    ck_assert_double_eq_tol(mean_wavefronts(BW_OP_LD_128, trials), 4 * 2.597232819, slack);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("property");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, test_models_agree);
    tcase_add_test(tc, test_models_agree_on_older);
    tcase_add_test(tc, test_models_agree_on_cc1);
    tcase_add_test(tc, test_moving_changes_nothing);
    tcase_add_test(tc, test_lanes_of_a_phase_are_alike);
    tcase_add_test(tc, test_parts_add_up);
    tcase_add_test(tc, test_inactive_lanes_do_not_count);
    tcase_add_test(tc, test_schedule_is_the_cost);
    tcase_add_test(tc, test_schedule_stops);
    tcase_add_test(tc, test_expected_degrees);
    return tap_run(tc);
}
