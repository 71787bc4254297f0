/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of operations: that rows fit together, and what is found by name, type and PTX. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "operations.h"
#include "tap.h"

START_TEST(test_names_find_operations)
{
    for (int op = 0; op < BW_OP_COUNT; op++) {
        const bw_op_info *info = bw_op_get((bw_op)op);
        ck_assert_int_eq(bw_op_find(info->name, strlen(info->name)), op);
    }
    ck_assert_ptr_null(bw_op_get(BW_OP_COUNT));
    ck_assert_ptr_null(bw_op_get((bw_op)-1));
    ck_assert_int_eq(bw_op_find("ld.3", 4), BW_OP_COUNT);
    ck_assert_int_eq(bw_op_find("ld.322", 5), BW_OP_LD_32); /* the length counts */
    ck_assert_int_eq(bw_op_find("", 0), BW_OP_COUNT);
}
END_TEST

/* What a value of that type needs. */
static unsigned bytes_of(bw_value_type value)
{
    switch (value) {
    case BW_VALUE_U64:
    case BW_VALUE_S64:
    case BW_VALUE_B64:
    case BW_VALUE_F64: return 8;
    case BW_VALUE_NONE: return 0;
    default: return 4;
    }
}

START_TEST(test_rows_fit_together)
{
    for (int op = 0; op < BW_OP_COUNT; op++) {
        const bw_op_info *info = bw_op_get((bw_op)op);
        unsigned bytes = info->bytes;
        bool matrix = info->kind == BW_KIND_LDMATRIX || info->kind == BW_KIND_STMATRIX;
        ck_assert_msg(bytes && bytes <= 16 && !(bytes & (bytes - 1)), "%s", info->name);
        ck_assert_msg((info->matrices != 0) == matrix, "%s", info->name);
        ck_assert_msg(info->reads || info->writes, "%s", info->name);
        ck_assert_msg(!info->copies || info->writes, "%s", info->name);
        ck_assert_msg((info->atomic == BW_AT_NONE) == (info->value == BW_VALUE_NONE), "%s",
                      info->name);
        ck_assert_msg(info->atomic == BW_AT_NONE || bytes_of(info->value) == bytes, "%s",
                      info->name);
        ck_assert_msg(info->least_merged <= info->least_cycles, "%s", info->name);
        ck_assert_msg(!info->cuda || strncmp(info->cuda, "__", 2) == 0, "%s", info->name);
        ck_assert_msg(*info->sass &&
                          (*info->ptx || info->kind == BW_KIND_SWAP || info->kind == BW_KIND_WGMMA),
                      "%s", info->name);
    }
}
END_TEST

/* Two operations of one price and different names would be one too many, or a row copied badly. */
START_TEST(test_rows_differ)
{
    for (int a = 0; a < BW_OP_COUNT; a++)
        for (int b = 0; b < a; b++) {
            const bw_op_info *x = bw_op_get((bw_op)a), *y = bw_op_get((bw_op)b);
            ck_assert_str_ne(x->name, y->name);
            ck_assert_msg(!*x->ptx || strcmp(x->ptx, y->ptx) != 0, "%s", x->ptx);
            ck_assert_msg(!x->cuda || !y->cuda || strcmp(x->cuda, y->cuda) != 0, "%s", x->cuda);
        }
}
END_TEST

START_TEST(test_sizes)
{
    ck_assert_int_eq(bw_op_sized(BW_KIND_LOAD, 1), BW_OP_LD_8);
    ck_assert_int_eq(bw_op_sized(BW_KIND_STORE, 16), BW_OP_ST_128);
    ck_assert_int_eq(bw_op_sized(BW_KIND_COUNT, 4), BW_OP_RED_INC_U32);
    ck_assert_int_eq(bw_op_sized(BW_KIND_LOAD, 3), BW_OP_COUNT);
    ck_assert_int_eq(bw_op_copy(4), BW_OP_CP_ASYNC_4);
    ck_assert_int_eq(bw_op_copy(8), BW_OP_CP_ASYNC_8);
    ck_assert_int_eq(bw_op_copy(16), BW_OP_CP_ASYNC_16);
    ck_assert_int_eq(bw_op_copy(2), BW_OP_COUNT);
}
END_TEST

START_TEST(test_atomics_by_type)
{
    ck_assert_int_eq(bw_op_atomic(BW_AT_ADD, BW_VALUE_S32, true), BW_OP_ATOM_ADD_U32);
    ck_assert_int_eq(bw_op_atomic(BW_AT_SUB, BW_VALUE_S32, false), BW_OP_RED_ADD_U32);
    ck_assert_int_eq(bw_op_atomic(BW_AT_MIN, BW_VALUE_S32, false), BW_OP_RED_MIN_S32);
    ck_assert_int_eq(bw_op_atomic(BW_AT_MAX, BW_VALUE_U64, true), BW_OP_ATOM_MAX_U64);
    ck_assert_int_eq(bw_op_atomic(BW_AT_XOR, BW_VALUE_S64, true), BW_OP_ATOM_XOR_B64);
    ck_assert_int_eq(bw_op_atomic(BW_AT_ADD, BW_VALUE_S64, false), BW_OP_RED_ADD_U64);
    ck_assert_int_eq(bw_op_atomic(BW_AT_INC, BW_VALUE_U32, false), BW_OP_ATOM_INC_U32);
    ck_assert_int_eq(bw_op_atomic(BW_AT_EXCH, BW_VALUE_F32, false), BW_OP_ATOM_EXCH_B32);
    ck_assert_int_eq(bw_op_atomic(BW_AT_CAS, BW_VALUE_S64, true), BW_OP_ATOM_CAS_B64);
    ck_assert_int_eq(bw_op_atomic(BW_AT_ADD, BW_VALUE_F32, true), BW_OP_ATOM_ADD_F32);
    ck_assert_int_eq(bw_op_atomic(BW_AT_ADD, BW_VALUE_F64, false), BW_OP_RED_ADD_F64);
    ck_assert_int_eq(bw_op_atomic(BW_AT_ADD, BW_VALUE_F16X2, true), BW_OP_ATOM_ADD_F16X2);
    ck_assert_int_eq(bw_op_atomic(BW_AT_MIN, BW_VALUE_F64, true), BW_OP_COUNT);
    ck_assert_int_eq(bw_op_atomic(BW_AT_NONE, BW_VALUE_U32, true), BW_OP_COUNT);
}
END_TEST

static void finds(const char *ptx, bw_op op)
{
    bw_op found = bw_op_find_ptx(ptx);
    ck_assert_msg(found == op, "'%s' is found as %s", ptx,
                  found < BW_OP_COUNT ? bw_op_get(found)->name : "nothing");
}

START_TEST(test_ptx)
{
    for (int op = 0; op < BW_OP_COUNT; op++)
        if (*bw_op_get((bw_op)op)->ptx)
            finds(bw_op_get((bw_op)op)->ptx, (bw_op)op);
    finds("ldmatrix.sync.aligned.x4.m8n8.shared.b16", BW_OP_LDMATRIX_X4);
    finds("ldmatrix.sync.aligned.m8n8.x4.trans.shared::cta.b16", BW_OP_LDMATRIX_X4_TRANS);
    finds("stmatrix.sync.aligned.trans.m8n8.x2.shared.b16", BW_OP_STMATRIX_X2_TRANS);
    finds("ldmatrix.sync.aligned.m8n16.x4.shared.b8x16.b6x16_p32", BW_OP_COUNT);
    finds("ldmatrix.sync.aligned.m8n8.x4.global.b16", BW_OP_COUNT);
    finds("cp.async.cg.shared::cta.global.L2::128B 16", BW_OP_CP_ASYNC_16);
    finds("cp.async.ca.shared.global 16", BW_OP_CP_ASYNC_16_CA);
    finds("cp.async.ca.shared.global 4", BW_OP_CP_ASYNC_4);
    finds("cp.async.cg.shared.global 8", BW_OP_COUNT);
    finds("cp.async.ca.shared.global", BW_OP_COUNT);
    finds("", BW_OP_COUNT);
    ck_assert_int_eq(bw_atomic_of_ptx("atom.acq_rel.cta.shared.or.b32"), BW_AT_OR);
    ck_assert_int_eq(bw_atomic_of_ptx("red.shared.xor.b32"), BW_AT_XOR);
    ck_assert_int_eq(bw_atomic_of_ptx("atom.shared::cta.cas.b64"), BW_AT_CAS);
    ck_assert_int_eq(bw_atomic_of_ptx("atom.shared.nand.b32"), BW_AT_NONE);
}
END_TEST

static void is_found(const char *mnemonic, bool answers, bw_op op)
{
    bw_op found = bw_op_find_sass(mnemonic, answers);
    ck_assert_msg(found == op, "'%s' is found as %s", mnemonic,
                  found < BW_OP_COUNT ? bw_op_get(found)->name : "nothing");
}

START_TEST(test_sass)
{
    for (int op = 0; op < BW_OP_COUNT; op++) {
        const bw_op_info *info = bw_op_get((bw_op)op);
        char first[64];
        snprintf(first, sizeof first, "%.*s", (int)strcspn(info->sass, " "), info->sass);
        if (info->kind == BW_KIND_WGMMA) /* where A is, the mnemonic does not tell */
            ck_assert_int_eq(bw_op_get(bw_op_find_sass(first, false))->kind, BW_KIND_WGMMA);
        else if (info->kind == BW_KIND_CAS_LOOP)
            ck_assert_int_eq(bw_op_get(bw_op_find_sass(first, true))->kind, BW_KIND_SWAP);
        else
            is_found(first, info->answers, (bw_op)op);
    }
    is_found("HGMMA.SP.64x64x32.F32", false, BW_OP_WGMMA_SP_SS);
    is_found("LDS.S16", true, BW_OP_LD_16);
    is_found("LDS.U.128", true, BW_OP_LD_128);
    is_found("LDGSTS.E.BYPASS.LTC128B.128.ZFILL", true, BW_OP_CP_ASYNC_16);
    is_found("LDGSTS.E.LTC128B.64", true, BW_OP_CP_ASYNC_8);
    is_found("ATOMS.CAS.64", true, BW_OP_ATOM_CAS_B64);
    is_found("ATOMS.CAS", true, BW_OP_ATOM_CAS_B32);
    is_found("ATOMS.INC", false, BW_OP_ATOM_INC_U32); /* no reduction of that name is measured */
    is_found("ATOMS.MAX.S32", false, BW_OP_RED_MAX_S32);
    is_found("LDG.E", true, BW_OP_COUNT);
    is_found("ATOMS", true, BW_OP_COUNT);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("operations");
    tcase_add_test(tc, test_names_find_operations);
    tcase_add_test(tc, test_rows_fit_together);
    tcase_add_test(tc, test_rows_differ);
    tcase_add_test(tc, test_sizes);
    tcase_add_test(tc, test_atomics_by_type);
    tcase_add_test(tc, test_ptx);
    tcase_add_test(tc, test_sass);
    return tap_run(tc);
}
