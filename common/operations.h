/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * operations: what a warp can ask of shared memory, as tables.
 *
 * Owns the one list of operations, and those of their kinds and of the atomic functions. All that
 * is fixed about an operation stands in its row; what other rooms need of it (the enumeration,
 * names in streams and reports, the language's built-in functions, what PTX and machine code call
 * it, the kernel that measures it) is derived from there. It knows no cost: what a kind costs is
 * the model's business, and which rows were measured on a card is that card's
 * (sim/model/cards.def). Plain data without allocation, safe from any thread; all strings are
 * static.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_OPERATIONS_H
#define BANKWISE_OPERATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How lanes that ask one bank take turns. */
typedef enum bw_turn_rule {
    BW_TURNS_WORDS, /* each different word takes a turn; lanes that ask for one share it          */
    BW_TURNS_LANES, /* each lane takes a turn for each of its words, equal ones too               */
    BW_TURNS_TWICE, /* each lane takes two: it reads, then it swaps                               */
    BW_TURNS_PHASES, /* each phase takes two, whoever collides: who loses tries again            */
    BW_TURNS_FIXED,  /* what it takes does not go by addresses                                    */
    BW_TURNS_LOOP, /* rounds of load, operation and compare-and-swap until every lane has swapped */
} bw_turn_rule;

/*
 * How the lanes' addresses of an operation are to be read. Columns: identifier, turns, reads,
 * writes shared memory, merges (wide accesses of lane pairs with one address go together), copies
 * (the data come from global memory without a register on the way).
 *
 * LOAD, STORE: each active lane reads or writes `bytes` at its address. LDMATRIX, STMATRIX: lanes 0
 * to 8 * matrices - 1 give the addresses of 16-byte rows. ATOMIC: a native read-modify-write. CAS:
 * compare-and-swap. COUNT: lanes on one address are counted together. CAS_LOOP: no such
 * instruction, but a loop. SWAP: the swap that ends a round of it, as machine code has it. WGMMA:
 * matrix units that read shared memory through descriptors, for four warps together. ASYNC:
 * cp.async through L1. ASYNC_CG: past it.
 */
#define BW_KINDS(X)                                                                                \
    X(LOAD, WORDS, true, false, true, false)                                                       \
    X(STORE, WORDS, false, true, false, false)                                                     \
    X(LDMATRIX, WORDS, true, false, false, false)                                                  \
    X(STMATRIX, WORDS, false, true, false, false)                                                  \
    X(ATOMIC, LANES, true, true, false, false)                                                     \
    X(CAS, TWICE, true, true, false, false)                                                        \
    X(COUNT, WORDS, true, true, false, false)                                                      \
    X(CAS_LOOP, LOOP, true, true, true, false)                                                     \
    X(SWAP, PHASES, true, true, false, false)                                                      \
    X(WGMMA, FIXED, true, false, false, false)                                                     \
    X(ASYNC, LANES, false, true, false, true)                                                      \
    X(ASYNC_CG, LANES, false, true, false, true)

typedef enum bw_op_kind {
#define BW_KIND_ENUM(id, turns, reads, writes, merges, copies) BW_KIND_##id,
    BW_KINDS(BW_KIND_ENUM)
#undef BW_KIND_ENUM
        BW_KIND_TOTAL
} bw_op_kind;

/*
 * The atomic functions. Columns: identifier, CUDA's name (the forms _block and _system cost the
 * same), the word in PTX ("" where PTX has none: a difference is a sum), arguments.
 */
#define BW_ATOMICS(X)                                                                              \
    X(ADD, "atomicAdd", "add", 2)                                                                  \
    X(SUB, "atomicSub", "", 2)                                                                     \
    X(MIN, "atomicMin", "min", 2)                                                                  \
    X(MAX, "atomicMax", "max", 2)                                                                  \
    X(AND, "atomicAnd", "and", 2)                                                                  \
    X(OR, "atomicOr", "or", 2)                                                                     \
    X(XOR, "atomicXor", "xor", 2)                                                                  \
    X(INC, "atomicInc", "inc", 2)                                                                  \
    X(DEC, "atomicDec", "dec", 2)                                                                  \
    X(EXCH, "atomicExch", "exch", 2)                                                               \
    X(CAS, "atomicCAS", "cas", 3)

typedef enum bw_atomic {
#define BW_ATOMIC_ENUM(id, cuda, ptx, arguments) BW_AT_##id,
    BW_ATOMICS(BW_ATOMIC_ENUM)
#undef BW_ATOMIC_ENUM
        BW_AT_NONE
} bw_atomic;

/* What an atomic works on, as PTX names it. B32 and B64 are any bits of that width. */
typedef enum bw_value_type {
    BW_VALUE_NONE,
    BW_VALUE_U32,
    BW_VALUE_S32,
    BW_VALUE_B32,
    BW_VALUE_F32,
    BW_VALUE_F16X2,
    BW_VALUE_U64,
    BW_VALUE_S64,
    BW_VALUE_B64,
    BW_VALUE_F64,
} bw_value_type;

/*
 * The operations. A new one goes to the end: recordings name random requests by seed, index and the
 * operation's place. Columns:
 *   identifier
 *   name in streams, recordings and reports; its kernels are bw_time_NAME and bw_wait_NAME, _ for .
 *   kind
 *   bytes a lane moves; 16 for a matrix row
 *   matrices: 1, 2 or 4 for matrix operations, else 0
 *   atomic function, and what it works on
 *   whether it gives a value back, so that a chain of dependent accesses has a latency
 *   the least cycles, whatever the mask, as results take that long to return; and where lane pairs
 *     merge (recorded: tests/recorded/sm_90-h200/cycles.csv)
 *   compute capability * 10 that first has it (PTX ISA, "Target ISA Notes" of each instruction;
 *     atomics: the first whose rules are known, as the guides before say nothing of them)
 *   PTX, as its kernel is written
 *   SASS: the mnemonic with its modifiers, as cuobjdump 13.0 prints it for sm_90; others of the
 *     same price after a space
 *   the language's function of that name, or NULL: loads and stores are lvalues, atomics above
 *
 * A reduction is the atomic with its result thrown away (destination RZ), so red.* and atom.* share
 * a mnemonic. The loops for floats, halves and 64-bit integers end in ATOMS.CAST.SPIN, which swaps
 * where nobody came between; atom.cast.* is that instruction alone. wgmma.* is one request of a
 * warpgroup, which has the columns of its product in place of addresses; "ss" and "rs" say whether
 * A is in shared memory or in registers, "sp" that it is sparse. A mnemonic does not tell the two.
 * red.inc.u32 is what nvcc makes of atomicAdd(p, 1) whose result is unused, not PTX's wrap-around
 * red.inc; the latter is the same instruction as atom.inc.u32.
 */
/* clang-format off */
#define BW_OPS(X) \
    X(LD_8,   "ld.8",   LOAD,  1,  0, NONE, NONE, 1, 0, 0, 10, "ld.volatile.shared.u8",     "LDS.U8 LDS.S8",  NULL) \
    X(LD_16,  "ld.16",  LOAD,  2,  0, NONE, NONE, 1, 0, 0, 10, "ld.volatile.shared.u16",    "LDS.U16 LDS.S16", NULL) \
    X(LD_32,  "ld.32",  LOAD,  4,  0, NONE, NONE, 1, 0, 0, 10, "ld.volatile.shared.u32",    "LDS",     NULL) \
    X(LD_64,  "ld.64",  LOAD,  8,  0, NONE, NONE, 1, 2, 1, 10, "ld.volatile.shared.v2.u32", "LDS.64",  NULL) \
    X(LD_128, "ld.128", LOAD,  16, 0, NONE, NONE, 1, 4, 2, 10, "ld.volatile.shared.v4.u32", "LDS.128", NULL) \
    X(ST_8,   "st.8",   STORE, 1,  0, NONE, NONE, 0, 0, 0, 10, "st.volatile.shared.u8",     "STS.U8",  NULL) \
    X(ST_16,  "st.16",  STORE, 2,  0, NONE, NONE, 0, 0, 0, 10, "st.volatile.shared.u16",    "STS.U16", NULL) \
    X(ST_32,  "st.32",  STORE, 4,  0, NONE, NONE, 0, 0, 0, 10, "st.volatile.shared.u32",    "STS",     NULL) \
    X(ST_64,  "st.64",  STORE, 8,  0, NONE, NONE, 0, 0, 0, 10, "st.volatile.shared.v2.u32", "STS.64",  NULL) \
    X(ST_128, "st.128", STORE, 16, 0, NONE, NONE, 0, 0, 0, 10, "st.volatile.shared.v4.u32", "STS.128", NULL) \
    X(LDMATRIX_X1,       "ldmatrix.x1",       LDMATRIX, 16, 1, NONE, NONE, 1, 0, 0, 75, "ldmatrix.sync.aligned.m8n8.x1.shared.b16",       "LDSM.16.M88",    "__ldmatrix_x1") \
    X(LDMATRIX_X2,       "ldmatrix.x2",       LDMATRIX, 16, 2, NONE, NONE, 1, 0, 0, 75, "ldmatrix.sync.aligned.m8n8.x2.shared.b16",       "LDSM.16.M88.2",  "__ldmatrix_x2") \
    X(LDMATRIX_X4,       "ldmatrix.x4",       LDMATRIX, 16, 4, NONE, NONE, 1, 0, 0, 75, "ldmatrix.sync.aligned.m8n8.x4.shared.b16",       "LDSM.16.M88.4",  "__ldmatrix_x4") \
    X(LDMATRIX_X1_TRANS, "ldmatrix.x1.trans", LDMATRIX, 16, 1, NONE, NONE, 1, 0, 0, 75, "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16", "LDSM.16.MT88",   "__ldmatrix_x1_trans") \
    X(LDMATRIX_X2_TRANS, "ldmatrix.x2.trans", LDMATRIX, 16, 2, NONE, NONE, 1, 0, 0, 75, "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16", "LDSM.16.MT88.2", "__ldmatrix_x2_trans") \
    X(LDMATRIX_X4_TRANS, "ldmatrix.x4.trans", LDMATRIX, 16, 4, NONE, NONE, 1, 0, 0, 75, "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16", "LDSM.16.MT88.4", "__ldmatrix_x4_trans") \
    X(STMATRIX_X1,       "stmatrix.x1",       STMATRIX, 16, 1, NONE, NONE, 0, 0, 0, 90, "stmatrix.sync.aligned.m8n8.x1.shared.b16",       "STSM.16.M88",    "__stmatrix_x1") \
    X(STMATRIX_X2,       "stmatrix.x2",       STMATRIX, 16, 2, NONE, NONE, 0, 0, 0, 90, "stmatrix.sync.aligned.m8n8.x2.shared.b16",       "STSM.16.M88.2",  "__stmatrix_x2") \
    X(STMATRIX_X4,       "stmatrix.x4",       STMATRIX, 16, 4, NONE, NONE, 0, 0, 0, 90, "stmatrix.sync.aligned.m8n8.x4.shared.b16",       "STSM.16.M88.4",  "__stmatrix_x4") \
    X(STMATRIX_X1_TRANS, "stmatrix.x1.trans", STMATRIX, 16, 1, NONE, NONE, 0, 0, 0, 90, "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16", "STSM.16.MT88",   "__stmatrix_x1_trans") \
    X(STMATRIX_X2_TRANS, "stmatrix.x2.trans", STMATRIX, 16, 2, NONE, NONE, 0, 0, 0, 90, "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16", "STSM.16.MT88.2", "__stmatrix_x2_trans") \
    X(STMATRIX_X4_TRANS, "stmatrix.x4.trans", STMATRIX, 16, 4, NONE, NONE, 0, 0, 0, 90, "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16", "STSM.16.MT88.4", "__stmatrix_x4_trans") \
    X(ATOM_ADD_U32,   "atom.add.u32",   ATOMIC,   4, 0, ADD,  U32,   1, 0, 0, 50, "atom.shared.add.u32",         "ATOMS.ADD",          NULL) \
    X(ATOM_MIN_U32,   "atom.min.u32",   ATOMIC,   4, 0, MIN,  U32,   1, 0, 0, 50, "atom.shared.min.u32",         "ATOMS.MIN",          NULL) \
    X(ATOM_MAX_U32,   "atom.max.u32",   ATOMIC,   4, 0, MAX,  U32,   1, 0, 0, 50, "atom.shared.max.u32",         "ATOMS.MAX",          NULL) \
    X(ATOM_MIN_S32,   "atom.min.s32",   ATOMIC,   4, 0, MIN,  S32,   1, 0, 0, 50, "atom.shared.min.s32",         "ATOMS.MIN.S32",      NULL) \
    X(ATOM_MAX_S32,   "atom.max.s32",   ATOMIC,   4, 0, MAX,  S32,   1, 0, 0, 50, "atom.shared.max.s32",         "ATOMS.MAX.S32",      NULL) \
    X(ATOM_AND_B32,   "atom.and.b32",   ATOMIC,   4, 0, AND,  B32,   1, 0, 0, 50, "atom.shared.and.b32",         "ATOMS.AND",          NULL) \
    X(ATOM_OR_B32,    "atom.or.b32",    ATOMIC,   4, 0, OR,   B32,   1, 0, 0, 50, "atom.shared.or.b32",          "ATOMS.OR",           NULL) \
    X(ATOM_XOR_B32,   "atom.xor.b32",   ATOMIC,   4, 0, XOR,  B32,   1, 0, 0, 50, "atom.shared.xor.b32",         "ATOMS.XOR",          NULL) \
    X(ATOM_INC_U32,   "atom.inc.u32",   ATOMIC,   4, 0, INC,  U32,   1, 0, 0, 50, "atom.shared.inc.u32",         "ATOMS.INC",          NULL) \
    X(ATOM_DEC_U32,   "atom.dec.u32",   ATOMIC,   4, 0, DEC,  U32,   1, 0, 0, 50, "atom.shared.dec.u32",         "ATOMS.DEC",          NULL) \
    X(ATOM_EXCH_B32,  "atom.exch.b32",  ATOMIC,   4, 0, EXCH, B32,   1, 0, 0, 50, "atom.shared.exch.b32",        "ATOMS.EXCH",         NULL) \
    X(ATOM_CAS_B32,   "atom.cas.b32",   CAS,      4, 0, CAS,  B32,   1, 2, 2, 50, "atom.shared.cas.b32",         "ATOMS.CAS",          NULL) \
    X(ATOM_EXCH_B64,  "atom.exch.b64",  ATOMIC,   8, 0, EXCH, B64,   1, 2, 2, 50, "atom.shared.exch.b64",        "ATOMS.EXCH.64",      NULL) \
    X(ATOM_CAS_B64,   "atom.cas.b64",   CAS,      8, 0, CAS,  B64,   1, 4, 4, 50, "atom.shared.cas.b64",         "ATOMS.CAS.64",       NULL) \
    X(ATOM_ADD_F32,   "atom.add.f32",   CAS_LOOP, 4, 0, ADD,  F32,   1, 0, 0, 50, "atom.shared.add.f32",         "ATOMS.CAST.SPIN",    NULL) \
    X(ATOM_ADD_F16X2, "atom.add.f16x2", CAS_LOOP, 4, 0, ADD,  F16X2, 1, 0, 0, 50, "atom.shared.add.noftz.f16x2", "ATOMS.CAST.SPIN",    NULL) \
    X(ATOM_ADD_F64,   "atom.add.f64",   CAS_LOOP, 8, 0, ADD,  F64,   1, 0, 0, 50, "atom.shared.add.f64",         "ATOMS.CAST.SPIN.64", NULL) \
    X(ATOM_ADD_U64,   "atom.add.u64",   CAS_LOOP, 8, 0, ADD,  U64,   1, 0, 0, 50, "atom.shared.add.u64",         "ATOMS.CAST.SPIN.64", NULL) \
    X(ATOM_MIN_U64,   "atom.min.u64",   CAS_LOOP, 8, 0, MIN,  U64,   1, 0, 0, 50, "atom.shared.min.u64",         "ATOMS.CAST.SPIN.64", NULL) \
    X(ATOM_MAX_U64,   "atom.max.u64",   CAS_LOOP, 8, 0, MAX,  U64,   1, 0, 0, 50, "atom.shared.max.u64",         "ATOMS.CAST.SPIN.64", NULL) \
    X(ATOM_MIN_S64,   "atom.min.s64",   CAS_LOOP, 8, 0, MIN,  S64,   1, 0, 0, 50, "atom.shared.min.s64",         "ATOMS.CAST.SPIN.64", NULL) \
    X(ATOM_MAX_S64,   "atom.max.s64",   CAS_LOOP, 8, 0, MAX,  S64,   1, 0, 0, 50, "atom.shared.max.s64",         "ATOMS.CAST.SPIN.64", NULL) \
    X(ATOM_AND_B64,   "atom.and.b64",   CAS_LOOP, 8, 0, AND,  B64,   1, 0, 0, 50, "atom.shared.and.b64",         "ATOMS.CAST.SPIN.64", NULL) \
    X(ATOM_OR_B64,    "atom.or.b64",    CAS_LOOP, 8, 0, OR,   B64,   1, 0, 0, 50, "atom.shared.or.b64",          "ATOMS.CAST.SPIN.64", NULL) \
    X(ATOM_XOR_B64,   "atom.xor.b64",   CAS_LOOP, 8, 0, XOR,  B64,   1, 0, 0, 50, "atom.shared.xor.b64",         "ATOMS.CAST.SPIN.64", NULL) \
    X(RED_ADD_U32,   "red.add.u32",   ATOMIC,   4, 0, ADD,   U32,   0, 0, 0, 50, "red.shared.add.u32",         "ATOMS.ADD",          NULL) \
    X(RED_MIN_U32,   "red.min.u32",   ATOMIC,   4, 0, MIN,   U32,   0, 0, 0, 50, "red.shared.min.u32",         "ATOMS.MIN",          NULL) \
    X(RED_MAX_U32,   "red.max.u32",   ATOMIC,   4, 0, MAX,   U32,   0, 0, 0, 50, "red.shared.max.u32",         "ATOMS.MAX",          NULL) \
    X(RED_MIN_S32,   "red.min.s32",   ATOMIC,   4, 0, MIN,   S32,   0, 0, 0, 50, "red.shared.min.s32",         "ATOMS.MIN.S32",      NULL) \
    X(RED_MAX_S32,   "red.max.s32",   ATOMIC,   4, 0, MAX,   S32,   0, 0, 0, 50, "red.shared.max.s32",         "ATOMS.MAX.S32",      NULL) \
    X(RED_AND_B32,   "red.and.b32",   ATOMIC,   4, 0, AND,   B32,   0, 0, 0, 50, "red.shared.and.b32",         "ATOMS.AND",          NULL) \
    X(RED_OR_B32,    "red.or.b32",    ATOMIC,   4, 0, OR,    B32,   0, 0, 0, 50, "red.shared.or.b32",          "ATOMS.OR",           NULL) \
    X(RED_XOR_B32,   "red.xor.b32",   ATOMIC,   4, 0, XOR,   B32,   0, 0, 0, 50, "red.shared.xor.b32",         "ATOMS.XOR",          NULL) \
    X(RED_INC_U32,   "red.inc.u32",   COUNT,    4, 0, NONE, NONE,  0, 0, 0, 50, "red.shared.add.u32 [a], 1",  "ATOMS.POPC.INC.32",  NULL) \
    X(RED_ADD_F32,   "red.add.f32",   CAS_LOOP, 4, 0, ADD,   F32,   0, 0, 0, 50, "red.shared.add.f32",         "ATOMS.CAST.SPIN",    NULL) \
    X(RED_ADD_F16X2, "red.add.f16x2", CAS_LOOP, 4, 0, ADD,   F16X2, 0, 0, 0, 50, "red.shared.add.noftz.f16x2", "ATOMS.CAST.SPIN",    NULL) \
    X(RED_ADD_F64,   "red.add.f64",   CAS_LOOP, 8, 0, ADD,   F64,   0, 0, 0, 50, "red.shared.add.f64",         "ATOMS.CAST.SPIN.64", NULL) \
    X(RED_ADD_U64,   "red.add.u64",   CAS_LOOP, 8, 0, ADD,   U64,   0, 0, 0, 50, "red.shared.add.u64",         "ATOMS.CAST.SPIN.64", NULL) \
    X(RED_MIN_U64,   "red.min.u64",   CAS_LOOP, 8, 0, MIN,   U64,   0, 0, 0, 50, "red.shared.min.u64",         "ATOMS.CAST.SPIN.64", NULL) \
    X(RED_MAX_U64,   "red.max.u64",   CAS_LOOP, 8, 0, MAX,   U64,   0, 0, 0, 50, "red.shared.max.u64",         "ATOMS.CAST.SPIN.64", NULL) \
    X(RED_MIN_S64,   "red.min.s64",   CAS_LOOP, 8, 0, MIN,   S64,   0, 0, 0, 50, "red.shared.min.s64",         "ATOMS.CAST.SPIN.64", NULL) \
    X(RED_MAX_S64,   "red.max.s64",   CAS_LOOP, 8, 0, MAX,   S64,   0, 0, 0, 50, "red.shared.max.s64",         "ATOMS.CAST.SPIN.64", NULL) \
    X(RED_AND_B64,   "red.and.b64",   CAS_LOOP, 8, 0, AND,   B64,   0, 0, 0, 50, "red.shared.and.b64",         "ATOMS.CAST.SPIN.64", NULL) \
    X(RED_OR_B64,    "red.or.b64",    CAS_LOOP, 8, 0, OR,    B64,   0, 0, 0, 50, "red.shared.or.b64",          "ATOMS.CAST.SPIN.64", NULL) \
    X(RED_XOR_B64,   "red.xor.b64",   CAS_LOOP, 8, 0, XOR,   B64,   0, 0, 0, 50, "red.shared.xor.b64",         "ATOMS.CAST.SPIN.64", NULL) \
    X(CP_ASYNC_4,     "cp.async.4",     ASYNC,    4,  0, NONE, NONE, 1, 0, 0, 80, "cp.async.ca.shared.global 4",  "LDGSTS.E",            "__cp_async_4") \
    X(CP_ASYNC_8,     "cp.async.8",     ASYNC,    8,  0, NONE, NONE, 1, 0, 0, 80, "cp.async.ca.shared.global 8",  "LDGSTS.E.64",         "__cp_async_8") \
    X(CP_ASYNC_16_CA, "cp.async.16.ca", ASYNC,    16, 0, NONE, NONE, 1, 0, 0, 80, "cp.async.ca.shared.global 16", "LDGSTS.E.128",        "__cp_async_ca_16") \
    X(CP_ASYNC_16,    "cp.async.16",    ASYNC_CG, 16, 0, NONE, NONE, 1, 0, 0, 80, "cp.async.cg.shared.global 16", "LDGSTS.E.BYPASS.128", "__cp_async_16") \
    X(ATOM_CAST_B32, "atom.cast.b32", SWAP, 4, 0, NONE, NONE, 1, 0, 0, 50, "", "ATOMS.CAST.SPIN", NULL) \
    X(ATOM_CAST_B64, "atom.cast.b64", SWAP, 8, 0, NONE, NONE, 1, 0, 0, 50, "", "ATOMS.CAST.SPIN.64", NULL) \
    X(WGMMA_SS,    "wgmma.ss",    WGMMA, 16, 0, NONE, NONE, 0, 0, 0, 90, "", "HGMMA IGMMA QGMMA BGMMA",             NULL) \
    X(WGMMA_RS,    "wgmma.rs",    WGMMA, 16, 0, NONE, NONE, 0, 0, 0, 90, "", "HGMMA IGMMA QGMMA BGMMA",             NULL) \
    X(WGMMA_SP_SS, "wgmma.sp.ss", WGMMA, 16, 0, NONE, NONE, 0, 0, 0, 90, "", "HGMMA.SP IGMMA.SP QGMMA.SP BGMMA.SP", NULL) \
    X(WGMMA_SP_RS, "wgmma.sp.rs", WGMMA, 16, 0, NONE, NONE, 0, 0, 0, 90, "", "HGMMA.SP IGMMA.SP QGMMA.SP BGMMA.SP", NULL)
/* clang-format on */

typedef enum bw_op {
#define BW_OP_ENUM(id, ...) BW_OP_##id,
    BW_OPS(BW_OP_ENUM)
#undef BW_OP_ENUM
        BW_OP_COUNT
} bw_op;

/* The row of an operation, with what its kind says. */
typedef struct bw_op_info {
    const char *name;
    bw_op_kind kind;
    uint8_t bytes;
    uint8_t matrices;
    bw_turn_rule turns;
    bool reads, writes, merges, copies;
    bw_atomic atomic; /* BW_AT_NONE where it is none */
    bw_value_type value;
    bool answers;
    uint8_t least_cycles, least_merged;
    uint16_t least_cc;
    const char *ptx, *sass, *cuda;
} bw_op_info;

/* The facts of `op`; NULL for a value outside the enumeration. */
const bw_op_info *bw_op_get(bw_op op);

/* The operation called name[0..len), or BW_OP_COUNT where there is none. */
bw_op bw_op_find(const char *name, size_t len);

/* The operation of a kind that moves `bytes`, or BW_OP_COUNT. */
bw_op bw_op_sized(bw_op_kind kind, unsigned bytes);

/* The operation that nvcc makes of an asynchronous copy of `bytes`: past L1 where the instruction
 * set has that (16 bytes), else through it. BW_OP_COUNT if there is none. */
bw_op bw_op_copy(unsigned bytes);

/*
 * The operation that an atomic on a value is: where there is none of exactly that type, that of
 * unsigned integers or of bits of the same width (a sum of signed integers is one of unsigned
 * ones). Where its result is not used, the one that gives no value back, if there is such.
 * BW_OP_COUNT if there is none at all.
 */
bw_op bw_op_atomic(bw_atomic atomic, bw_value_type value, bool used);

/* The atomic function whose word stands in a PTX instruction ("atom.shared.add.u32"); BW_AT_NONE if
 * there is none. */
bw_atomic bw_atomic_of_ptx(const char *ptx);

/*
 * The operation that a PTX instruction on shared memory is, by the words of its row: all of them
 * stand in `ptx` (in any order, after the same first word), and of several such rows that with the
 * most words. "shared::cta" is "shared"; what says how a warp comes together or in which order
 * memory is seen (.sync, .aligned, .volatile) may be missing. A copy's size is a word of its own:
 * "cp.async.ca.shared.global 16". BW_OP_COUNT if there is none.
 */
bw_op bw_op_find_ptx(const char *ptx);

/*
 * The operation that a machine instruction on shared memory is, by the same rule over the words of
 * its mnemonic ("LDS.U16 LDS.S16", "LDGSTS.E.BYPASS.LTC128B.128"). Words that are in no row are not
 * looked at: whether they change anything the caller must know. `answers`: whether its result is
 * kept (atomics without one are reductions). Compare-and-swap loops are no instruction; their swap
 * is.
 */
bw_op bw_op_find_sass(const char *mnemonic, bool answers);

#ifdef __cplusplus
}
#endif
#endif
