/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "optable.h"

#include <stdio.h>
#include <string.h>

/* clang-format off */
#define PIPE(name, ptx, sass, cc, answers)  {"bw_time_" #name, ptx, sass, BW_METHOD_PIPE, cc, answers, true}
#define LOOP(name, ptx, sass, answers)      {"bw_time_" #name, ptx, sass, BW_METHOD_LOOP, 75, answers, false}
#define ASYNC(name, ptx, sass)              {"bw_time_" #name, ptx, sass, BW_METHOD_ASYNC, 80, true, false}

/*
 * Mnemonics are those of sm_90 as cuobjdump 13.0 prints them. A reduction is the atomic with its
 * result thrown away (destination RZ), so red.* and atom.* share one. The loops for floats, halves
 * and 64-bit integers end in ATOMS.CAST.SPIN, which swaps where nobody came between.
 */
static const bw_gpu_op table[BW_OP_COUNT] = {
    [BW_OP_LD_8] = PIPE(ld_8, "ld.volatile.shared.u8", "LDS.U8", 75, true),
    [BW_OP_LD_16] = PIPE(ld_16, "ld.volatile.shared.u16", "LDS.U16", 75, true),
    [BW_OP_LD_32] = PIPE(ld_32, "ld.volatile.shared.u32", "LDS", 75, true),
    [BW_OP_LD_64] = PIPE(ld_64, "ld.volatile.shared.v2.u32", "LDS.64", 75, true),
    [BW_OP_LD_128] = PIPE(ld_128, "ld.volatile.shared.v4.u32", "LDS.128", 75, true),
    [BW_OP_ST_8] = PIPE(st_8, "st.volatile.shared.u8", "STS.U8", 75, false),
    [BW_OP_ST_16] = PIPE(st_16, "st.volatile.shared.u16", "STS.U16", 75, false),
    [BW_OP_ST_32] = PIPE(st_32, "st.volatile.shared.u32", "STS", 75, false),
    [BW_OP_ST_64] = PIPE(st_64, "st.volatile.shared.v2.u32", "STS.64", 75, false),
    [BW_OP_ST_128] = PIPE(st_128, "st.volatile.shared.v4.u32", "STS.128", 75, false),
    [BW_OP_LDMATRIX_X1] = PIPE(ldmatrix_x1, "ldmatrix.sync.aligned.m8n8.x1.shared.b16", "LDSM.16.M88", 75, true),
    [BW_OP_LDMATRIX_X2] = PIPE(ldmatrix_x2, "ldmatrix.sync.aligned.m8n8.x2.shared.b16", "LDSM.16.M88.2", 75, true),
    [BW_OP_LDMATRIX_X4] = PIPE(ldmatrix_x4, "ldmatrix.sync.aligned.m8n8.x4.shared.b16", "LDSM.16.M88.4", 75, true),
    [BW_OP_LDMATRIX_X1_TRANS] = PIPE(ldmatrix_x1_trans, "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16", "LDSM.16.MT88", 75, true),
    [BW_OP_LDMATRIX_X2_TRANS] = PIPE(ldmatrix_x2_trans, "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16", "LDSM.16.MT88.2", 75, true),
    [BW_OP_LDMATRIX_X4_TRANS] = PIPE(ldmatrix_x4_trans, "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16", "LDSM.16.MT88.4", 75, true),
    [BW_OP_STMATRIX_X1] = PIPE(stmatrix_x1, "stmatrix.sync.aligned.m8n8.x1.shared.b16", "STSM.16.M88", 90, false),
    [BW_OP_STMATRIX_X2] = PIPE(stmatrix_x2, "stmatrix.sync.aligned.m8n8.x2.shared.b16", "STSM.16.M88.2", 90, false),
    [BW_OP_STMATRIX_X4] = PIPE(stmatrix_x4, "stmatrix.sync.aligned.m8n8.x4.shared.b16", "STSM.16.M88.4", 90, false),
    [BW_OP_STMATRIX_X1_TRANS] = PIPE(stmatrix_x1_trans, "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16", "STSM.16.MT88", 90, false),
    [BW_OP_STMATRIX_X2_TRANS] = PIPE(stmatrix_x2_trans, "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16", "STSM.16.MT88.2", 90, false),
    [BW_OP_STMATRIX_X4_TRANS] = PIPE(stmatrix_x4_trans, "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16", "STSM.16.MT88.4", 90, false),
    [BW_OP_ATOM_ADD_U32] = PIPE(atom_add_u32, "atom.shared.add.u32", "ATOMS.ADD", 75, true),
    [BW_OP_ATOM_MIN_U32] = PIPE(atom_min_u32, "atom.shared.min.u32", "ATOMS.MIN", 75, true),
    [BW_OP_ATOM_MAX_U32] = PIPE(atom_max_u32, "atom.shared.max.u32", "ATOMS.MAX", 75, true),
    [BW_OP_ATOM_MIN_S32] = PIPE(atom_min_s32, "atom.shared.min.s32", "ATOMS.MIN.S32", 75, true),
    [BW_OP_ATOM_MAX_S32] = PIPE(atom_max_s32, "atom.shared.max.s32", "ATOMS.MAX.S32", 75, true),
    [BW_OP_ATOM_AND_B32] = PIPE(atom_and_b32, "atom.shared.and.b32", "ATOMS.AND", 75, true),
    [BW_OP_ATOM_OR_B32] = PIPE(atom_or_b32, "atom.shared.or.b32", "ATOMS.OR", 75, true),
    [BW_OP_ATOM_XOR_B32] = PIPE(atom_xor_b32, "atom.shared.xor.b32", "ATOMS.XOR", 75, true),
    [BW_OP_ATOM_INC_U32] = PIPE(atom_inc_u32, "atom.shared.inc.u32", "ATOMS.INC", 75, true),
    [BW_OP_ATOM_DEC_U32] = PIPE(atom_dec_u32, "atom.shared.dec.u32", "ATOMS.DEC", 75, true),
    [BW_OP_ATOM_EXCH_B32] = PIPE(atom_exch_b32, "atom.shared.exch.b32", "ATOMS.EXCH", 75, true),
    [BW_OP_ATOM_CAS_B32] = PIPE(atom_cas_b32, "atom.shared.cas.b32", "ATOMS.CAS", 75, true),
    [BW_OP_ATOM_EXCH_B64] = PIPE(atom_exch_b64, "atom.shared.exch.b64", "ATOMS.EXCH.64", 75, true),
    [BW_OP_ATOM_CAS_B64] = PIPE(atom_cas_b64, "atom.shared.cas.b64", "ATOMS.CAS.64", 75, true),
    [BW_OP_ATOM_ADD_F32] = LOOP(atom_add_f32, "atom.shared.add.f32", "ATOMS.CAST.SPIN", true),
    [BW_OP_ATOM_ADD_F16X2] = LOOP(atom_add_f16x2, "atom.shared.add.noftz.f16x2", "ATOMS.CAST.SPIN", true),
    [BW_OP_ATOM_ADD_F64] = LOOP(atom_add_f64, "atom.shared.add.f64", "ATOMS.CAST.SPIN.64", true),
    [BW_OP_ATOM_ADD_U64] = LOOP(atom_add_u64, "atom.shared.add.u64", "ATOMS.CAST.SPIN.64", true),
    [BW_OP_ATOM_MIN_U64] = LOOP(atom_min_u64, "atom.shared.min.u64", "ATOMS.CAST.SPIN.64", true),
    [BW_OP_ATOM_MAX_U64] = LOOP(atom_max_u64, "atom.shared.max.u64", "ATOMS.CAST.SPIN.64", true),
    [BW_OP_ATOM_MIN_S64] = LOOP(atom_min_s64, "atom.shared.min.s64", "ATOMS.CAST.SPIN.64", true),
    [BW_OP_ATOM_MAX_S64] = LOOP(atom_max_s64, "atom.shared.max.s64", "ATOMS.CAST.SPIN.64", true),
    [BW_OP_ATOM_AND_B64] = LOOP(atom_and_b64, "atom.shared.and.b64", "ATOMS.CAST.SPIN.64", true),
    [BW_OP_ATOM_OR_B64] = LOOP(atom_or_b64, "atom.shared.or.b64", "ATOMS.CAST.SPIN.64", true),
    [BW_OP_ATOM_XOR_B64] = LOOP(atom_xor_b64, "atom.shared.xor.b64", "ATOMS.CAST.SPIN.64", true),
    [BW_OP_RED_ADD_U32] = PIPE(red_add_u32, "red.shared.add.u32", "ATOMS.ADD", 75, false),
    [BW_OP_RED_MIN_U32] = PIPE(red_min_u32, "red.shared.min.u32", "ATOMS.MIN", 75, false),
    [BW_OP_RED_MAX_U32] = PIPE(red_max_u32, "red.shared.max.u32", "ATOMS.MAX", 75, false),
    [BW_OP_RED_MIN_S32] = PIPE(red_min_s32, "red.shared.min.s32", "ATOMS.MIN.S32", 75, false),
    [BW_OP_RED_MAX_S32] = PIPE(red_max_s32, "red.shared.max.s32", "ATOMS.MAX.S32", 75, false),
    [BW_OP_RED_AND_B32] = PIPE(red_and_b32, "red.shared.and.b32", "ATOMS.AND", 75, false),
    [BW_OP_RED_OR_B32] = PIPE(red_or_b32, "red.shared.or.b32", "ATOMS.OR", 75, false),
    [BW_OP_RED_XOR_B32] = PIPE(red_xor_b32, "red.shared.xor.b32", "ATOMS.XOR", 75, false),
    [BW_OP_RED_INC_U32] = PIPE(red_inc_u32, "red.shared.add.u32 [a], 1", "ATOMS.POPC.INC.32", 75, false),
    [BW_OP_RED_ADD_F32] = LOOP(red_add_f32, "red.shared.add.f32", "ATOMS.CAST.SPIN", false),
    [BW_OP_RED_ADD_F16X2] = LOOP(red_add_f16x2, "red.shared.add.noftz.f16x2", "ATOMS.CAST.SPIN", false),
    [BW_OP_RED_ADD_F64] = LOOP(red_add_f64, "red.shared.add.f64", "ATOMS.CAST.SPIN.64", false),
    [BW_OP_RED_ADD_U64] = LOOP(red_add_u64, "red.shared.add.u64", "ATOMS.CAST.SPIN.64", false),
    [BW_OP_RED_MIN_U64] = LOOP(red_min_u64, "red.shared.min.u64", "ATOMS.CAST.SPIN.64", false),
    [BW_OP_RED_MAX_U64] = LOOP(red_max_u64, "red.shared.max.u64", "ATOMS.CAST.SPIN.64", false),
    [BW_OP_RED_MIN_S64] = LOOP(red_min_s64, "red.shared.min.s64", "ATOMS.CAST.SPIN.64", false),
    [BW_OP_RED_MAX_S64] = LOOP(red_max_s64, "red.shared.max.s64", "ATOMS.CAST.SPIN.64", false),
    [BW_OP_RED_AND_B64] = LOOP(red_and_b64, "red.shared.and.b64", "ATOMS.CAST.SPIN.64", false),
    [BW_OP_RED_OR_B64] = LOOP(red_or_b64, "red.shared.or.b64", "ATOMS.CAST.SPIN.64", false),
    [BW_OP_RED_XOR_B64] = LOOP(red_xor_b64, "red.shared.xor.b64", "ATOMS.CAST.SPIN.64", false),
    [BW_OP_CP_ASYNC_4] = ASYNC(cp_async_4, "cp.async.ca.shared.global 4", "LDGSTS.E"),
    [BW_OP_CP_ASYNC_8] = ASYNC(cp_async_8, "cp.async.ca.shared.global 8", "LDGSTS.E.64"),
    [BW_OP_CP_ASYNC_16_CA] = ASYNC(cp_async_16_ca, "cp.async.ca.shared.global 16", "LDGSTS.E.128"),
    [BW_OP_CP_ASYNC_16] = ASYNC(cp_async_16, "cp.async.cg.shared.global 16", "LDGSTS.E.BYPASS.128"),
};
/* clang-format on */

const bw_gpu_op *bw_gpu_op_get(bw_op op)
{
    return (unsigned)op < BW_OP_COUNT ? &table[op] : NULL;
}

void bw_gpu_wait_name(bw_op op, char *text, size_t size)
{
    const bw_gpu_op *row = bw_gpu_op_get(op);
    const char *stem = row && row->answers ? row->kernel + strlen("bw_time_") : NULL;
    if (size)
        snprintf(text, size, "%s%s", stem ? "bw_wait_" : "", stem ? stem : "");
}
