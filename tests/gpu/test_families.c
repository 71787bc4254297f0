/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The operation table is complete, and random requests are what families.h says of them. */
#include "families.h"

#include <string.h>

#include "bankwise.h"
#include "optable.h"
#include "tap.h"

#define REQUESTS 4000u

START_TEST(every_operation_has_a_row)
{
    for (int op = 0; op < BW_OP_COUNT; op++) {
        const bw_gpu_op *row = bw_gpu_op_get((bw_op)op);
        const bw_op_info *info = bw_op_get((bw_op)op);
        char time[BW_KERNEL_NAME], wait[BW_KERNEL_NAME];
        ck_assert_msg(row && row->ptx && row->sass, "%s has no row", info->name);
        if (row->method == BW_METHOD_NONE)
            continue;
        ck_assert_str_eq(row->ptx, info->ptx);
        ck_assert_int_eq(row->least_cc, info->least_cc);
        bw_gpu_kernel_name((bw_op)op, false, time, sizeof time);
        bw_gpu_kernel_name((bw_op)op, true, wait, sizeof wait);
        ck_assert_int_eq(strncmp(time, "bw_time_", 8), 0);
        ck_assert_int_eq(row->answers, strncmp(wait, "bw_wait_", 8) == 0);
        ck_assert(row->answers || !*wait);
        /* The kernel is named as the operation, with _ for . */
        for (size_t i = 0; i <= strlen(info->name); i++)
            ck_assert_int_eq(time[8 + i], info->name[i] == '.' ? '_' : info->name[i]);
    }
    ck_assert_ptr_null(bw_gpu_op_get(BW_OP_COUNT));
}
END_TEST

START_TEST(methods_follow_kinds)
{
    for (int op = 0; op < BW_OP_COUNT; op++) {
        bw_op_kind kind = bw_op_get((bw_op)op)->kind;
        bw_method want = kind == BW_KIND_SWAP || kind == BW_KIND_WGMMA       ? BW_METHOD_NONE
                         : kind == BW_KIND_CAS_LOOP                          ? BW_METHOD_LOOP
                         : kind == BW_KIND_ASYNC || kind == BW_KIND_ASYNC_CG ? BW_METHOD_ASYNC
                                                                             : BW_METHOD_PIPE;
        ck_assert_int_eq(bw_gpu_op_get((bw_op)op)->method, want);
        ck_assert_int_eq(bw_gpu_op_get((bw_op)op)->exact, want == BW_METHOD_PIPE);
    }
}
END_TEST

START_TEST(requests_can_be_run)
{
    const uint32_t limits[] = {4096, 49152, 231424};
    for (int op = 0; op < BW_OP_COUNT; op++)
        for (unsigned i = 0; i < REQUESTS; i++) {
            bw_request request;
            uint32_t limit = limits[i % 3];
            size_t family = bw_family_request((bw_op)op, 7, i, limit, &request);
            ck_assert_ptr_nonnull(bw_family_name(family));
            ck_assert_int_eq(request.op, op);
            ck_assert_uint_ne(request.active, 0);
            ck_assert_int_eq(bw_request_bad_lane(&request, limit), -1);
            if (bw_op_get((bw_op)op)->matrices)
                ck_assert_uint_eq(request.active, UINT32_MAX);
        }
}
END_TEST

START_TEST(a_request_is_a_function_of_its_number)
{
    bw_request a, b;
    unsigned same = 0;
    for (unsigned i = 0; i < REQUESTS; i++) {
        memset(&a, 0, sizeof a);
        memset(&b, 0xff, sizeof b);
        bw_family_request(BW_OP_LD_64, 3, i, 49152, &a);
        bw_family_request(BW_OP_LD_64, 3, i, 49152, &b);
        ck_assert_mem_eq(&a, &b, sizeof a);
        bw_family_request(BW_OP_LD_64, 4, i, 49152, &b);
        same += memcmp(&a, &b, sizeof a) == 0;
    }
    ck_assert_uint_lt(same, REQUESTS / 100);
}
END_TEST

/* Recordings name requests by seed and number: the sequence must never change, on no compiler. */
/* Recordings name requests by seed and index: of the operations there were, those that were last
 * when sequences were first recorded included. */
START_TEST(the_sequence_stays)
{
    uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */
    for (int op = 0; op <= BW_OP_CP_ASYNC_16; op++)
        for (unsigned i = 0; i < 500; i++) {
            bw_request request;
            bw_family_request((bw_op)op, 91, i, 8192, &request);
            for (unsigned lane = 0; lane < BW_LANES; lane++)
                hash = (hash ^ request.addr[lane]) * UINT64_C(1099511628211);
            hash = (hash ^ request.active) * UINT64_C(1099511628211);
        }
    ck_assert_uint_eq(hash, UINT64_C(15856292648687126409));
}
END_TEST

/* What uniformly random addresses would hardly ever show. */
START_TEST(corners_are_reached)
{
    unsigned families[64] = {0}, degrees[33] = {0}, merged = 0, broken = 0, full = 0, single = 0;
    const bw_arch *arch = bw_arch_find("sm_90");
    for (unsigned i = 0; i < 20000; i++) {
        bw_request request;
        bw_cost cost;
        families[bw_family_request(BW_OP_LD_64, 1, i, 49152, &request)]++;
        ck_assert_int_eq(bw_cost_of(arch, &request, &cost), BW_OK);
        degrees[cost.degree]++;
        merged += cost.merged;
        full += request.active == UINT32_MAX;
        single += (request.active & (request.active - 1)) == 0;
        unsigned pairs = 0;
        for (unsigned lane = 0; lane < BW_LANES; lane += 2)
            pairs += request.addr[lane] == request.addr[lane + 1];
        broken += pairs >= 14 && pairs < 16;
    }
    for (size_t f = 0; f < bw_family_count(); f++)
        ck_assert_msg(families[f] > 500, "family %s: %u", bw_family_name(f), families[f]);
    for (unsigned d = 1; d <= 8; d++)
        ck_assert_uint_gt(degrees[d], 100);
    ck_assert_uint_gt(degrees[16], 20);
    ck_assert_uint_gt(merged, 1000);
    ck_assert_uint_gt(broken, 100);
    ck_assert_uint_gt(full, 4000);
    ck_assert_uint_gt(single, 200);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("families");
    tcase_set_timeout(tc, 100);
    tcase_add_test(tc, every_operation_has_a_row);
    tcase_add_test(tc, methods_follow_kinds);
    tcase_add_test(tc, requests_can_be_run);
    tcase_add_test(tc, a_request_is_a_function_of_its_number);
    tcase_add_test(tc, the_sequence_stays);
    tcase_add_test(tc, corners_are_reached);
    return tap_run(tc);
}
