/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "reason.h"
#include "../common/tap.h"

static const bw_arch *arch;
static bw_arena arena;

static void set_up(void)
{
    arch = bw_arch_find("sm_90");
    arena = (bw_arena){NULL};
}

static void tear_down(void)
{
    bw_arena_finish(&arena);
}

static bw_request strided(bw_op op, uint32_t stride)
{
    bw_request request = {.op = op, .active = UINT32_MAX};
    for (uint32_t i = 0; i < BW_LANES; i++)
        request.addr[i] = i * stride;
    return request;
}

static const char *reason(const bw_request *request)
{
    return bw_reason(&arena, arch, request);
}

static void assert_says(const bw_request *request, const char *part)
{
    const char *text = reason(request);
    ck_assert_ptr_nonnull(text);
    ck_assert_msg(strstr(text, part) != NULL, "'%s' lacks '%s'", text, part);
}

START_TEST(strides_are_named)
{
    bw_request request = strided(BW_OP_LD_32, 128);
    assert_says(&request, "32 words apart: gcd(32, 32) = 32, so all 32 lanes meet in one bank");
    request = strided(BW_OP_ST_32, 48);
    assert_says(&request, "12 words apart: gcd(12, 32) = 4, so 4 of 32 lanes meet in one bank");
    request = strided(BW_OP_LD_16, 64);
    assert_says(&request, "16 words apart: gcd(16, 32) = 16");
    request = strided(BW_OP_LD_128, 128);
    assert_says(&request, "32 words (8 x 16 bytes) apart: gcd(8, 8) = 8, so all 8 lanes of a phase "
                          "meet in the same 4 banks");
    request = strided(BW_OP_LD_64, 32);
    assert_says(&request,
                "8 words (4 x 8 bytes) apart: gcd(4, 16) = 4, so 4 of 16 lanes of a phase "
                "meet in the same 2 banks");
    request = strided(BW_OP_LDMATRIX_X4, 32);
    assert_says(&request, "rows of a matrix are 8 words (2 x 16 bytes) apart: gcd(2, 8) = 2");
}
END_TEST

/* Fragments of a tile with rows of 128 bytes: each of the four matrices begins elsewhere. */
START_TEST(phases_may_lie_anywhere)
{
    bw_request request = strided(BW_OP_LDMATRIX_X4, 0);
    for (uint32_t i = 0; i < BW_LANES; i++)
        request.addr[i] = i % 16 * 128 + i / 16 * 16;
    assert_says(&request, "rows of a matrix are 32 words (8 x 16 bytes) apart: gcd(8, 8) = 8, so "
                          "all 8 rows meet in the same 4 banks");
    request.op = BW_OP_LD_128;
    assert_says(&request, "so all 8 lanes of a phase meet in the same 4 banks");
}
END_TEST

START_TEST(no_excess_needs_no_reason)
{
    bw_request request = strided(BW_OP_LD_32, 12);
    ck_assert_ptr_null(reason(&request));
    request = strided(BW_OP_LD_128, 16);
    ck_assert_ptr_null(reason(&request));
    request = strided(BW_OP_LD_32, 0);
    ck_assert_ptr_null(reason(&request));
}
END_TEST

START_TEST(equal_words_of_an_atomic)
{
    bw_request request = strided(BW_OP_ATOM_ADD_U32, 0);
    assert_says(&request, "32 lanes ask for word 0, which an atomic serves one lane at a time");
    for (unsigned i = 0; i < BW_LANES; i++)
        request.addr[i] = i / 2 * 128;
    assert_says(&request, "; and 2 lanes ask for word 0");
}
END_TEST

START_TEST(two_rows_are_listed)
{
    bw_request request = {.op = BW_OP_LD_32, .active = UINT32_MAX};
    for (uint32_t i = 0; i < BW_LANES; i++)
        request.addr[i] = 4 * (i % 16 * 17 + i / 16);
    assert_says(&request, "ask bank ");
}
END_TEST

/* ---- every sentence is true ---- */

static uint32_t state = 1;

static uint32_t random_below(uint32_t n)
{
    state = state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)state * n >> 32);
}

static bw_request random_request(void)
{
    static const bw_op ops[] = {BW_OP_LD_8,  BW_OP_LD_32,  BW_OP_LD_64,       BW_OP_LD_128,
                                BW_OP_ST_64, BW_OP_ST_128, BW_OP_LDMATRIX_X4, BW_OP_ATOM_ADD_U32};
    bw_request request = {.op = ops[random_below(8)], .active = UINT32_MAX};
    unsigned bytes = bw_op_get(request.op)->bytes;
    uint32_t stride = random_below(40), family = random_below(3);
    for (uint32_t i = 0; i < BW_LANES; i++)
        request.addr[i] = bytes * (family == 0   ? stride * i
                                   : family == 1 ? random_below(512)
                                                 : stride * (i % 8) + 3 * (i / 8));
    if (bw_op_get(request.op)->matrices == 0 && random_below(2))
        request.active = random_below(UINT32_MAX) | 1;
    return request;
}

static bool touches(const bw_request *request, unsigned lane, uint32_t word)
{
    uint32_t first = request->addr[lane] / 4;
    uint32_t last = (request->addr[lane] + bw_op_get(request->op)->bytes - 1) / 4;
    return request->active >> lane & 1 && word >= first && word <= last;
}

/* Numbers of "0, 8, 16 and 24" or "0, 1, 2, 3 and 28 more", and how many it speaks of. */
static unsigned read_list(const char *text, unsigned *numbers, unsigned *named)
{
    unsigned count = 0, more = 0;
    *named = 0;
    for (;;) {
        int used = 0;
        unsigned number;
        ck_assert_int_eq(sscanf(text, "%u%n", &number, &used), 1);
        text += used;
        if (strncmp(text, " more", 5) == 0) {
            more = number;
            break;
        }
        numbers[(*named)++] = number;
        count++;
        if (strncmp(text, ", ", 2) == 0)
            text += 2;
        else if (strncmp(text, " and ", 5) == 0)
            text += 5;
        else
            break;
    }
    return count + more;
}

static void assert_crowd(const bw_request *request, const char *text, uint32_t degree)
{
    unsigned lanes[32], words[32], named_lanes, named_words, bank;
    const char *at_bank = strstr(text, "ask bank "), *at_words = strstr(text, "for words ");
    ck_assert_ptr_nonnull(at_words);
    ck_assert_int_eq(sscanf(at_bank, "ask bank %u", &bank), 1);
    ck_assert_uint_eq(read_list(text + strlen("lanes "), lanes, &named_lanes), degree);
    ck_assert_uint_eq(read_list(at_words + strlen("for words "), words, &named_words), degree);
    ck_assert_uint_eq(named_lanes, named_words);
    for (unsigned i = 0; i < named_lanes; i++) {
        ck_assert(touches(request, lanes[i], words[i]));
        ck_assert_uint_eq(words[i] % 32, bank);
        for (unsigned j = 0; j < i; j++)
            ck_assert_uint_ne(words[i], words[j]);
    }
}

static void assert_true(const bw_request *request, const char *text, uint32_t degree)
{
    const char *gcd = strstr(text, "gcd(");
    unsigned a, b, c;
    if (gcd) {
        ck_assert_int_eq(sscanf(gcd, "gcd(%u, %u) = %u", &a, &b, &c), 3);
        ck_assert_uint_eq(c, degree);
        ck_assert(a % c == 0 && b % c == 0);
    } else if (strstr(text, "ask bank")) {
        assert_crowd(request, text, degree);
    }
}

START_TEST(sentences_are_true)
{
    unsigned said = 0, silent = 0;
    for (unsigned i = 0; i < 50000; i++) {
        bw_request request = random_request();
        bw_cost cost;
        ck_assert_int_eq(bw_cost_of(arch, &request, &cost), BW_OK);
        bw_arena own = {NULL};
        const char *text = bw_reason(&own, arch, &request);
        ck_assert_int_eq(text != NULL && cost.wavefronts == cost.ideal, false);
        silent += !text && cost.wavefronts > cost.ideal;
        said += text != NULL;
        if (text)
            assert_true(&request, text, cost.degree);
        bw_arena_finish(&own);
    }
    ck_assert_uint_gt(said, 10000);
    ck_assert_uint_eq(silent, 0);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("reason");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, strides_are_named);
    tcase_add_test(tests, phases_may_lie_anywhere);
    tcase_add_test(tests, no_excess_needs_no_reason);
    tcase_add_test(tests, equal_words_of_an_atomic);
    tcase_add_test(tests, two_rows_are_listed);
    tcase_add_test(tests, sentences_are_true);
    return tap_run(tests);
}
