/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The opcodes of sm_70 to sm_121, with the modifiers that are understood.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "decode.h"
#include "lanes.h"

#define U BW_OPCODE_UNIFORM
#define ANY BW_OPCODE_ANY
#define CTL BW_OPCODE_CONTROL
#define SH (BW_OPCODE_SHARED)
#define NR BW_OPCODE_NO_RESULT
#define PO BW_OPCODE_PRED_ONLY
#define VIA BW_OPCODE_VIA_SHARED

#define COMPARES " EQ NE LT LE GT GE T F AND OR XOR "
#define FLOAT_COMPARES " EQ NE LT LE GT GE T F EQU NEU LTU LEU GTU GEU NUM NAN AND OR XOR FTZ "
#define ROUNDS " RN RM RP RZ "
#define SIZES " U8 S8 U16 S16 64 128 "
/* Caching, scope and order: nothing that a value depends on. */
#define SCOPES                                                                                     \
    " E CONSTANT STRONG WEAK GPU SYS CTA SM VM MMIO PRIVATE EF EL LU EU NA LTC64B LTC128B "        \
    "LTC256B "
#define PARTS " U32 S32 U16x2 S16x2 U8x4 S8x4 "
#define ATOMICS " ADD MIN MAX INC DEC AND OR XOR EXCH CAS S32 U32 64 S64 U64 "

static const bw_opcode opcodes[] = {
    /* moves and special registers */
    {"MOV", bw_decode_mov, " 64 ", 0, 0},
    {"MOV32I", bw_decode_mov, "", 0, 0},
    {"UMOV", bw_decode_mov, " 64 ", U, 0},
    {"R2UR", bw_decode_r2ur, "", 0, 0},
    {"S2R", bw_decode_special, "", 0, 0},
    {"S2UR", bw_decode_special, "", U, 0},
    {"CS2R", bw_decode_special, " 32 ", 0, 1},
    {"CS2UR", bw_decode_special, " 32 ", U, 1},
    /* integers */
    {"IMAD", bw_decode_imad, " MOV SHL IADD U32 S32 WIDE HI X ", 0, 0},
    {"UIMAD", bw_decode_imad, " MOV SHL IADD U32 S32 WIDE HI X ", U, 0},
    {"IADD3", bw_decode_iadd3, " X 64 ", 0, 0},
    {"UIADD3", bw_decode_iadd3, " X 64 ", U, 0},
    {"IADD", bw_decode_viadd, " 64 ", 0, 0},
    {"UIADD", bw_decode_viadd, " 64 ", U, 0},
    {"VIADD", bw_decode_viadd, " 64 16x2 U8x4 S32 ISAT ", 0, 0},
    {"UVIADD", bw_decode_viadd, " 64 16x2 U8x4 S32 ISAT ", U, 0},
    {"LEA", bw_decode_lea, " HI X SX32 ", 0, 0},
    {"ULEA", bw_decode_lea, " HI X SX32 ", U, 0},
    {"LOP3", bw_decode_lop3, " LUT PAND ", 0, 0},
    {"ULOP3", bw_decode_lop3, " LUT PAND ", U, 0},
    {"SHF", bw_decode_shf, " L R W U32 S32 U64 S64 HI ", 0, 0},
    {"USHF", bw_decode_shf, " L R W U32 S32 U64 S64 HI ", U, 0},
    {"ISETP", bw_decode_isetp, COMPARES " EX U32 S32 U64 S64 ", PO, 0},
    {"UISETP", bw_decode_isetp, COMPARES " EX U32 S32 U64 S64 ", U | PO, 0},
    {"SEL", bw_decode_sel, " 64 ", 0, 0},
    {"USEL", bw_decode_sel, " 64 ", U, 0},
    {"PRMT", bw_decode_prmt, " F4E B4E RC8 ECL ECR RC16 ", 0, 0},
    {"UPRMT", bw_decode_prmt, " F4E B4E RC8 ECL ECR RC16 ", U, 0},
    {"IMNMX", bw_decode_minmax, " U32 S32 U64 S64 ", 0, 0},
    {"UIMNMX", bw_decode_minmax, " U32 S32 U64 S64 ", U, 0},
    {"VIMNMX", bw_decode_minmax, PARTS " RELU ", 0, 0},
    {"UVIMNMX", bw_decode_minmax, PARTS " RELU ", U, 0},
    {"VIADDMNMX", bw_decode_addminmax, PARTS " RELU ", 0, 0},
    {"UVIADDMNMX", bw_decode_addminmax, PARTS " RELU ", U, 0},
    {"VIMNMX3", bw_decode_minmax3, PARTS " RELU ", 0, 0},
    {"UVIMNMX3", bw_decode_minmax3, PARTS " RELU ", U, 0},
    {"IABS", bw_decode_unary, "", 0, BW_EV_iabs},
    {"UIABS", bw_decode_unary, "", U, BW_EV_iabs},
    {"POPC", bw_decode_unary, "", 0, BW_EV_popc},
    {"UPOPC", bw_decode_unary, "", U, BW_EV_popc},
    {"BREV", bw_decode_unary, "", 0, BW_EV_brev},
    {"UBREV", bw_decode_unary, "", U, BW_EV_brev},
    {"FLO", bw_decode_flo, " U32 S32 SH ", 0, 0},
    {"UFLO", bw_decode_flo, " U32 S32 SH ", U, 0},
    {"BMSK", bw_decode_bmsk, " W C ", 0, 0},
    {"UBMSK", bw_decode_bmsk, " W C ", U, 0},
    {"SGXT", bw_decode_sgxt, " U32 W ", 0, 0},
    {"USGXT", bw_decode_sgxt, " U32 W ", U, 0},
    {"IDP", bw_decode_idp, " 4A 2A LO HI U8 S8 U16 S16 ", 0, 0},
    {"VABSDIFF", bw_decode_absdiff, " U32 ", 0, 0},
    {"VABSDIFF4", bw_decode_absdiff4, " U8 ACC ", 0, 0},
    {"I2I", bw_decode_i2i, " S8 U8 S16 U16 S32 SAT ", 0, 0},
    {"I2IP", bw_decode_i2ip, " S8 U8 S16 U16 S32 SAT ", 0, 0},
    /* predicates */
    {"PLOP3", bw_decode_plop3, " LUT ", PO, 0},
    {"UPLOP3", bw_decode_plop3, " LUT ", U | PO, 0},
    {"P2R", bw_decode_p2r, " B0 B1 B2 B3 ", 0, 0},
    {"UP2UR", bw_decode_p2r, " B0 B1 B2 B3 ", U, 1},
    {"R2P", bw_decode_r2p, " B0 B1 B2 B3 ", NR, 0},
    {"UR2UP", bw_decode_r2p, " B0 B1 B2 B3 ", U | NR, 1},
    /* across the warp */
    {"SHFL", bw_decode_shfl, " IDX UP DOWN BFLY ", 0, 0},
    {"VOTE", bw_decode_vote, " ANY ALL EQ ", 0, 0},
    {"VOTEU", bw_decode_vote, " ANY ALL EQ ", 0, 0},
    {"MATCH", bw_decode_match, " ANY ALL U32 U64 ", 0, 0},
    {"REDUX", bw_decode_redux, " SUM AND OR XOR MIN MAX U32 S32 ", 0, 0},
    {"CREDUX", bw_decode_redux, " SUM AND OR XOR MIN MAX U32 S32 ", 0, 0},
    {"ELECT", bw_decode_elect, "", 0, 0},
    {"MOVM", bw_decode_movm, " 16 MT88 ", 0, 0},
    /* floats */
    {"FADD", bw_decode_fadd, ROUNDS " FTZ SAT ", 0, BW_EV_fadd},
    {"FMUL", bw_decode_fadd, ROUNDS " FTZ SAT ", 0, BW_EV_fmul},
    {"FFMA", bw_decode_ffma, ROUNDS " FTZ SAT ", 0, 0},
    {"UFADD", bw_decode_fadd, ROUNDS " FTZ SAT ", U, BW_EV_fadd},
    {"UFMUL", bw_decode_fadd, ROUNDS " FTZ SAT ", U, BW_EV_fmul},
    {"UFFMA", bw_decode_ffma, ROUNDS " FTZ SAT ", U, 0},
    {"FADD32I", bw_decode_fadd, ROUNDS " FTZ SAT ", 0, BW_EV_fadd},
    {"FMUL32I", bw_decode_fadd, ROUNDS " FTZ SAT ", 0, BW_EV_fmul},
    {"FMNMX", bw_decode_fminmax, " FTZ NAN ", 0, 0},
    {"UFMNMX", bw_decode_fminmax, " FTZ NAN ", U, 0},
    {"FMNMX3", bw_decode_fminmax, " FTZ NAN ", 0, 1},
    {"FADD2", bw_decode_f32x2, ROUNDS " FTZ ", 0, BW_F32X2_ADD},
    {"FMUL2", bw_decode_f32x2, ROUNDS " FTZ ", 0, BW_F32X2_MUL},
    {"FFMA2", bw_decode_f32x2, ROUNDS " FTZ ", 0, BW_F32X2_FMA},
    {"FSETP", bw_decode_fsetp, FLOAT_COMPARES, PO, 0},
    {"UFSETP", bw_decode_fsetp, FLOAT_COMPARES, U | PO, 0},
    {"FSET", bw_decode_fset, FLOAT_COMPARES " BF ", 0, 0},
    {"UFSET", bw_decode_fset, FLOAT_COMPARES " BF ", U, 0},
    {"FSEL", bw_decode_fsel, " FTZ ", 0, 0},
    {"UFSEL", bw_decode_fsel, " FTZ ", U, 0},
    {"FCHK", bw_decode_fchk, " DIVIDE ", PO, 0},
    {"MUFU", bw_decode_mufu, " RCP RSQ SQRT LG2 EX2 SIN COS TANH RCP64H RSQ64H ", 0, 0},
    {"FRND", bw_decode_frnd, " FLOOR CEIL TRUNC F64 F32 F16 FTZ ", 0, 0},
    {"I2F", bw_decode_i2f, ROUNDS " U8 S8 U16 S16 U32 S32 U64 S64 F64 F32 F16 ", 0, 0},
    {"I2FP", bw_decode_i2f, ROUNDS " U32 S32 F32 ", 0, 0},
    {"UI2F", bw_decode_i2f, ROUNDS " U8 S8 U16 S16 U32 S32 F32 ", U, 0},
    {"UI2FP", bw_decode_i2f, ROUNDS " U32 S32 F32 ", U, 0},
    {"F2I", bw_decode_f2i, " U8 S8 U16 S16 U32 S32 U64 S64 F64 F32 F16 FLOOR CEIL TRUNC NTZ FTZ ",
     0, 0},
    {"F2IP", bw_decode_f2ip, " U8 S8 F32 TRUNC FLOOR CEIL NTZ FTZ ", 0, 0},
    {"UF2I", bw_decode_f2i, " U32 S32 F32 FLOOR CEIL TRUNC NTZ FTZ ", U, 0},
    {"F2F", bw_decode_f2f, ROUNDS " F64 F32 F16 BF16 FTZ ", 0, 0},
    {"F2FP", bw_decode_f2fp, " F16 BF16 F32 PACK_AB RN ", 0, 0},
    {"DADD", bw_decode_dadd, ROUNDS, 0, BW_EV_dadd},
    {"DMUL", bw_decode_dadd, ROUNDS, 0, BW_EV_dmul},
    {"DFMA", bw_decode_dfma, ROUNDS, 0, 0},
    {"DSETP", bw_decode_dsetp, FLOAT_COMPARES " MIN MAX ", PO, 0},
    {"HADD2", bw_decode_half, " F32 FTZ SAT ", 0, BW_EV_hadd2},
    {"HMUL2", bw_decode_half, " FTZ SAT ", 0, BW_EV_hmul2},
    {"HFMA2", bw_decode_half, " MMA FTZ SAT ", 0, BW_EV_hfma2},
    {"HSETP2", bw_decode_hsetp, FLOAT_COMPARES, PO, 0},
    {"HSET2", bw_decode_hset, FLOAT_COMPARES " BF ", 0, 0},
    {"HMNMX2", bw_decode_hminmax, " FTZ NAN ", 0, 0},
    /* arithmetic whose results are left unknown */
    {"HMMA", bw_decode_unmodelled, "", ANY, 0},
    {"IMMA", bw_decode_unmodelled, "", ANY, 0},
    {"DMMA", bw_decode_unmodelled, "", ANY, 0},
    {"BMMA", bw_decode_unmodelled, "", ANY, 0},
    {"QMMA", bw_decode_unmodelled, "", ANY, 0},
    {"OMMA", bw_decode_unmodelled, "", ANY, 0},
    {"VHMNMX", bw_decode_unmodelled, "", ANY, 0},
    {"FSWZADD", bw_decode_unmodelled, "", ANY, 0},
    {"GETLMEMBASE", bw_decode_unmodelled, "", ANY, 0},
    {"LEPC", bw_decode_lepc, "", 0, 0},
    {"QSPC", bw_decode_unmodelled, "", ANY, 0},
    /* textures, surfaces, other blocks */
    {"TEX", bw_decode_texture, "", ANY, 0},
    {"TLD", bw_decode_texture, "", ANY, 0},
    {"TLD4", bw_decode_texture, "", ANY, 0},
    {"TXD", bw_decode_texture, "", ANY, 0},
    {"TXQ", bw_decode_texture, "", ANY, 0},
    {"TMML", bw_decode_texture, "", ANY, 0},
    {"SULD", bw_decode_surface, "", ANY, 0},
    {"SUST", bw_decode_nop, "", ANY | NR, 0},
    {"SURED", bw_decode_nop, "", ANY | NR, 0},
    {"SUATOM", bw_decode_surface, "", ANY, 0},
    {"MAPA", bw_decode_unmodelled, "", ANY, 0},
    {"UMAPA", bw_decode_unmodelled, "", U | ANY, 0},
    /* constants */
    {"LDC", bw_decode_ldc, SIZES, 0, 0},
    {"ULDC", bw_decode_ldc, SIZES, U, 0},
    {"LDCU", bw_decode_ldc, SIZES, U, 0},
    /* shared memory */
    {"LDS", bw_decode_load, SIZES " U ", SH, BW_X_LDS},
    {"STS", bw_decode_store, SIZES, SH | NR, BW_X_STS},
    {"LDSM", bw_decode_ldsm, " 16 M88 MT88 1 2 4 ", SH, BW_X_LDSM},
    {"STSM", bw_decode_ldsm, " 16 M88 MT88 1 2 4 ", SH | NR, BW_X_STSM},
    {"ATOMS", bw_decode_atoms, ATOMICS " POPC CAST SPIN 32 ", SH, 0},
    {"LDGSTS", bw_decode_ldgsts, SCOPES " 64 128 BYPASS ACCESS ZFILL ", SH | NR, 0},
    {"SYNCS", bw_decode_syncs, "", ANY | CTL, 0},
    {"UBLKCP", bw_decode_bulk, "", ANY | NR, 1},
    {"UTMALDG", bw_decode_bulk, "", ANY | NR, 1},
    {"UTMASTG", bw_decode_nop, "", ANY | NR, 0},
    {"UTMAREDG", bw_decode_nop, "", ANY | NR, 0},
    {"UBLKRED", bw_decode_nop, "", ANY | NR, 0},
    {"HGMMA", bw_decode_matrix, "", ANY | CTL, 0},
    {"IGMMA", bw_decode_matrix, "", ANY | CTL, 0},
    {"QGMMA", bw_decode_matrix, "", ANY | CTL, 0},
    {"BGMMA", bw_decode_matrix, "", ANY | CTL, 0},
    /* other memory */
    {"LDG", bw_decode_load, SIZES SCOPES " 256 ", 0, BW_X_LDG},
    {"STG", bw_decode_store, SIZES SCOPES, NR, BW_X_STG},
    {"LD", bw_decode_load, SIZES SCOPES, VIA | CTL, BW_X_LD},
    {"ST", bw_decode_store, SIZES SCOPES, VIA | CTL | NR, BW_X_ST},
    {"LDL", bw_decode_load, SIZES " LU ", 0, BW_X_LDL},
    {"STL", bw_decode_store, SIZES, NR, BW_X_STL},
    {"ATOM", bw_decode_atom, ATOMICS SCOPES " F32 F64 F16x2 BF16x2 RN FTZ ", VIA | CTL, 1},
    {"ATOMG", bw_decode_atom, ATOMICS SCOPES " F32 F64 F16x2 BF16x2 RN FTZ ", 0, 0},
    {"RED", bw_decode_atom, ATOMICS SCOPES " F32 F64 F16x2 BF16x2 RN FTZ ", NR, 2},
    {"REDG", bw_decode_atom, ATOMICS SCOPES " F32 F64 F16x2 BF16x2 RN FTZ ", NR, 2},
    /* control */
    {"BRA", bw_decode_bra, " DIV CONV U ANY ALL ", CTL | NR, 0},
    {"JMP", bw_decode_bra, "", CTL | NR, 0},
    {"BRX", bw_decode_brx, "", CTL | NR, 0},
    {"BRXU", bw_decode_brx, "", CTL | NR, 0},
    {"CALL", bw_decode_call, " REL ABS NOINC ", CTL | NR, 0},
    {"RET", bw_decode_ret, " REL ABS NODEC ", CTL | NR, 0},
    {"EXIT", bw_decode_exit, "", CTL | NR, 0},
    {"BSSY", bw_decode_bssy, " RELIABLE RECONVERGENT ", CTL | NR, 0},
    {"BSYNC", bw_decode_bsync, " RELIABLE RECONVERGENT ", CTL | NR, 0},
    {"BREAK", bw_decode_brk, " RELIABLE RECONVERGENT ", CTL | NR, 0},
    {"BMOV", bw_decode_bmov, " 32 64 CLEAR ", CTL, 0},
    {"WARPSYNC", bw_decode_warpsync, " ALL COLLECTIVE EXCLUSIVE ", CTL | NR, 0},
    {"BAR", bw_decode_bar, " SYNC ARV RED POPC AND OR DEFER_BLOCKING SYNCALL ", CTL | NR, 0},
    {"B2R", bw_decode_b2r, " RESULT ", CTL, 0},
    {"YIELD", bw_decode_yield, "", ANY | NR, 0},
    {"NANOSLEEP", bw_decode_yield, "", ANY | NR, 0},
    /* order, hints and counters: nothing to compute */
    {"NOP", bw_decode_nop, "", ANY | NR, 0},
    {"MEMBAR", bw_decode_nop, "", ANY | NR, 0},
    {"DEPBAR", bw_decode_nop, "", ANY | NR, 0},
    {"CCTL", bw_decode_nop, "", ANY | NR, 0},
    {"CCTLL", bw_decode_nop, "", ANY | NR, 0},
    {"CCTLT", bw_decode_nop, "", ANY | NR, 0},
    {"ERRBAR", bw_decode_nop, "", ANY | NR, 0},
    {"CGAERRBAR", bw_decode_nop, "", ANY | NR, 0},
    {"FENCE", bw_decode_nop, "", ANY | NR, 0},
    {"LDGDEPBAR", bw_decode_nop, "", ANY | NR, 0},
    {"ENDCOLLECTIVE", bw_decode_nop, "", ANY | NR, 0},
    {"PREEXIT", bw_decode_nop, "", ANY | NR, 0},
    {"ACQBULK", bw_decode_nop, "", ANY | NR, 0},
    {"WARPGROUP", bw_decode_nop, "", ANY | NR, 0},
    {"WARPGROUPSET", bw_decode_nop, "", ANY | NR, 0},
    {"USETMAXREG", bw_decode_nop, "", ANY | NR, 0},
    {"UTMACMDFLUSH", bw_decode_nop, "", ANY | NR, 0},
    {"UTMAPF", bw_decode_nop, "", ANY | NR, 0},
    {"UTMACCTL", bw_decode_nop, "", ANY | NR, 0},
    {"UBLKPF", bw_decode_nop, "", ANY | NR, 0},
    {"PMTRIG", bw_decode_nop, "", ANY | NR, 0},
    {"ARRIVES", bw_decode_signals, "", ANY | NR, 0},
    {"UCGABAR_ARV", bw_decode_signals, "", ANY | NR, 0},
    {"UCGABAR_WAIT", bw_decode_signals, "", ANY | NR, 0},
};

size_t bw_opcode_count(void)
{
    return sizeof opcodes / sizeof *opcodes;
}

const bw_opcode *bw_opcode_at(size_t index)
{
    return index < bw_opcode_count() ? &opcodes[index] : NULL;
}

const bw_opcode *bw_opcode_find(bw_word name)
{
    for (size_t i = 0; i < bw_opcode_count(); i++)
        if (bw_word_is(name, opcodes[i].name))
            return &opcodes[i];
    return NULL;
}
