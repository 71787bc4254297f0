/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs: a front end with nothing optional, and a request stream as a program.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <check.h>
#include <stdlib.h>

#include <string.h>

#include "rows.h"
#include "tap.h"

static const bw_launch the_launch = {.kernel = "k", .block = {32, 1, 1}, .grid = {1, 1, 1}};
static bool destroyed;

static size_t launches(const bw_program *program, const bw_launch **found)
{
    (void)program;
    *found = &the_launch;
    return 1;
}

static size_t accesses(const bw_program *program, const bw_access **found)
{
    (void)program;
    *found = NULL;
    return 0;
}

static bool run(bw_program *program, size_t launch, const bw_sink *sink, bw_run *run,
                bw_diags *diags)
{
    (void)program, (void)launch, (void)sink, (void)diags;
    return run->steps == 0; /* it was cleared */
}

static void destroy(bw_program *program)
{
    (void)program;
    destroyed = true;
}

START_TEST(test_least_front_end)
{
    const bw_front_end front = {.name = "least",
                                .launches = launches,
                                .accesses = accesses,
                                .run = run,
                                .destroy = destroy};
    bw_program program = {.front = &front};
    const bw_parameter *parameters = (const bw_parameter *)&program;
    const bw_expect *expects = (const bw_expect *)&program;
    const bw_launch *found;
    bw_run result = {.steps = 5};
    ck_assert_ptr_null(bw_program_title(&program));
    ck_assert_uint_eq(bw_program_parameters(&program, &parameters), 0);
    ck_assert_ptr_null(parameters);
    ck_assert_uint_eq(bw_program_expects(&program, &expects), 0);
    ck_assert_ptr_null(expects);
    ck_assert(!bw_program_expects_of(&program, NULL, NULL));
    ck_assert(!bw_program_is_random(&program));
    ck_assert_uint_eq(bw_program_launches(&program, &found), 1);
    ck_assert_ptr_eq(found, &the_launch);
    ck_assert(bw_program_run(&program, 0, NULL, &result, NULL));
    bw_program_destroy(NULL);
    ck_assert(!destroyed);
    bw_program_destroy(&program);
    ck_assert(destroyed);
}
END_TEST

typedef struct heard {
    unsigned count;
    uint64_t copies;
    uint32_t accesses[4];
} heard;

static bool hear(void *context, const bw_request_origin *origin, const bw_request *request,
                 uint64_t copies)
{
    heard *h = context;
    (void)request;
    h->accesses[h->count++] = origin->access;
    h->copies += copies;
    return h->count < 3;
}

START_TEST(test_rows)
{
    const char text[] = "op,active,a0\nld.32,1,4\nld.32,1,8\nst.64,1,16\nst.64,1,24\n";
    const bw_source source = {"rows.csv", text, strlen(text), NULL};
    const bw_row rows[] = {{{.op = BW_OP_LD_32, .active = 1, .addr = {4}}, 5, 2},
                           {{.op = BW_OP_LD_32, .active = 1, .addr = {8}}, 1, 3},
                           {{.op = BW_OP_ST_64, .active = 1, .addr = {16}}, 1, 4},
                           {{.op = BW_OP_ST_64, .active = 1, .addr = {24}}, 1, 5}};
    bw_diags diags = {.count = 0};
    bw_program *p = bw_rows_program(&source, rows, 4, bw_arch_find("sm_90"), &diags);
    const bw_access *found;
    heard h = {.count = 0};
    bw_run result;
    ck_assert_uint_eq(diags.errors, 0);
    ck_assert_str_eq(p->front->name, "request stream");
    ck_assert_uint_eq(bw_program_accesses(p, &found), 4);
    ck_assert_uint_eq(found[2].line, 4);
    ck_assert(bw_program_run(p, 0, &(bw_sink){&h, hear}, &result, &diags));
    ck_assert_uint_eq(h.count, 3); /* the sink wanted no more */
    ck_assert_uint_eq(h.copies, 7);
    ck_assert_uint_eq(h.accesses[2], 2);
    ck_assert(!bw_program_run(p, 1, &(bw_sink){&h, hear}, &result, &diags));
    bw_program_destroy(p);
}
END_TEST

START_TEST(test_bad_row)
{
    const char text[] = "op,active,a0\nld.32,1,2\n";
    const bw_source source = {"rows.csv", text, strlen(text), NULL};
    const bw_row row = {{.op = BW_OP_LD_32, .active = 1, .addr = {2}}, 1, 2};
    bw_diags diags = {.count = 0};
    bw_program *p = bw_rows_program(&source, &row, 1, bw_arch_find("sm_90"), &diags);
    ck_assert_uint_eq(diags.errors, 1);
    bw_program_destroy(p);
    bw_diags_finish(&diags);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("program");
    tcase_add_test(tc, test_least_front_end);
    tcase_add_test(tc, test_rows);
    tcase_add_test(tc, test_bad_row);
    return tap_run(tc);
}
