/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * request: what a warp asks of shared memory, as one value.
 *
 * Owns the list of operations and the type bw_request, the one thing that every front end (pattern
 * files, recordings, traces) produces and every consumer (model, GPU, solver) takes. It knows no
 * cost: what an operation costs is sim/'s business. Everything here is plain data without
 * allocation, safe from any thread.
 *
 * Units: addresses are bytes from the start of the block's shared memory; lanes are numbered 0..31.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_REQUEST_H
#define BANKWISE_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Lanes of a warp: 32 on every NVIDIA card so far (CUDA C++ Programming Guide, "SIMT
 * Architecture"). */
#define BW_LANES 32

/* How the lanes' addresses of an operation are to be read. */
typedef enum bw_op_kind {
    BW_KIND_LOAD,     /* each active lane reads `bytes` at its address                          */
    BW_KIND_STORE,    /* each active lane writes `bytes` at its address                         */
    BW_KIND_LDMATRIX, /* lanes 0..8*matrices-1 give the addresses of 16-byte rows               */
    BW_KIND_STMATRIX, /* likewise, written                                                      */
    BW_KIND_ATOMIC,   /* a native read-modify-write of `bytes`: one pass a lane and word        */
    BW_KIND_CAS,      /* compare-and-swap: two passes a lane and word                           */
    BW_KIND_COUNT,    /* red.inc.u32: lanes on one address are counted together                 */
    BW_KIND_CAS_LOOP, /* no such instruction: a loop of load, operation and compare-and-swap    */
    BW_KIND_ASYNC,    /* cp.async through L1: global to shared without a register               */
    BW_KIND_ASYNC_CG, /* cp.async of 16 bytes past L1                                           */
} bw_op_kind;

/*
 * The operations. Columns: identifier, name in streams and reports, kind, bytes a lane (16 for a
 * matrix row), matrices (0 where not a matrix operation).
 *
 * red.inc.u32 is what nvcc makes of atomicAdd(p, 1) whose result is unused (ATOMS.POPC.INC), not
 * PTX's wrap-around red.inc; the latter is the same instruction as atom.inc.u32.
 */
#define BW_OPS(X)                                                                                  \
    X(LD_8, "ld.8", LOAD, 1, 0)                                                                    \
    X(LD_16, "ld.16", LOAD, 2, 0)                                                                  \
    X(LD_32, "ld.32", LOAD, 4, 0)                                                                  \
    X(LD_64, "ld.64", LOAD, 8, 0)                                                                  \
    X(LD_128, "ld.128", LOAD, 16, 0)                                                               \
    X(ST_8, "st.8", STORE, 1, 0)                                                                   \
    X(ST_16, "st.16", STORE, 2, 0)                                                                 \
    X(ST_32, "st.32", STORE, 4, 0)                                                                 \
    X(ST_64, "st.64", STORE, 8, 0)                                                                 \
    X(ST_128, "st.128", STORE, 16, 0)                                                              \
    X(LDMATRIX_X1, "ldmatrix.x1", LDMATRIX, 16, 1)                                                 \
    X(LDMATRIX_X2, "ldmatrix.x2", LDMATRIX, 16, 2)                                                 \
    X(LDMATRIX_X4, "ldmatrix.x4", LDMATRIX, 16, 4)                                                 \
    X(LDMATRIX_X1_TRANS, "ldmatrix.x1.trans", LDMATRIX, 16, 1)                                     \
    X(LDMATRIX_X2_TRANS, "ldmatrix.x2.trans", LDMATRIX, 16, 2)                                     \
    X(LDMATRIX_X4_TRANS, "ldmatrix.x4.trans", LDMATRIX, 16, 4)                                     \
    X(STMATRIX_X1, "stmatrix.x1", STMATRIX, 16, 1)                                                 \
    X(STMATRIX_X2, "stmatrix.x2", STMATRIX, 16, 2)                                                 \
    X(STMATRIX_X4, "stmatrix.x4", STMATRIX, 16, 4)                                                 \
    X(STMATRIX_X1_TRANS, "stmatrix.x1.trans", STMATRIX, 16, 1)                                     \
    X(STMATRIX_X2_TRANS, "stmatrix.x2.trans", STMATRIX, 16, 2)                                     \
    X(STMATRIX_X4_TRANS, "stmatrix.x4.trans", STMATRIX, 16, 4)                                     \
    X(ATOM_ADD_U32, "atom.add.u32", ATOMIC, 4, 0)                                                  \
    X(ATOM_MIN_U32, "atom.min.u32", ATOMIC, 4, 0)                                                  \
    X(ATOM_MAX_U32, "atom.max.u32", ATOMIC, 4, 0)                                                  \
    X(ATOM_MIN_S32, "atom.min.s32", ATOMIC, 4, 0)                                                  \
    X(ATOM_MAX_S32, "atom.max.s32", ATOMIC, 4, 0)                                                  \
    X(ATOM_AND_B32, "atom.and.b32", ATOMIC, 4, 0)                                                  \
    X(ATOM_OR_B32, "atom.or.b32", ATOMIC, 4, 0)                                                    \
    X(ATOM_XOR_B32, "atom.xor.b32", ATOMIC, 4, 0)                                                  \
    X(ATOM_INC_U32, "atom.inc.u32", ATOMIC, 4, 0)                                                  \
    X(ATOM_DEC_U32, "atom.dec.u32", ATOMIC, 4, 0)                                                  \
    X(ATOM_EXCH_B32, "atom.exch.b32", ATOMIC, 4, 0)                                                \
    X(ATOM_CAS_B32, "atom.cas.b32", CAS, 4, 0)                                                     \
    X(ATOM_EXCH_B64, "atom.exch.b64", ATOMIC, 8, 0)                                                \
    X(ATOM_CAS_B64, "atom.cas.b64", CAS, 8, 0)                                                     \
    X(ATOM_ADD_F32, "atom.add.f32", CAS_LOOP, 4, 0)                                                \
    X(ATOM_ADD_F16X2, "atom.add.f16x2", CAS_LOOP, 4, 0)                                            \
    X(ATOM_ADD_F64, "atom.add.f64", CAS_LOOP, 8, 0)                                                \
    X(ATOM_ADD_U64, "atom.add.u64", CAS_LOOP, 8, 0)                                                \
    X(ATOM_MIN_U64, "atom.min.u64", CAS_LOOP, 8, 0)                                                \
    X(ATOM_MAX_U64, "atom.max.u64", CAS_LOOP, 8, 0)                                                \
    X(ATOM_MIN_S64, "atom.min.s64", CAS_LOOP, 8, 0)                                                \
    X(ATOM_MAX_S64, "atom.max.s64", CAS_LOOP, 8, 0)                                                \
    X(ATOM_AND_B64, "atom.and.b64", CAS_LOOP, 8, 0)                                                \
    X(ATOM_OR_B64, "atom.or.b64", CAS_LOOP, 8, 0)                                                  \
    X(ATOM_XOR_B64, "atom.xor.b64", CAS_LOOP, 8, 0)                                                \
    X(RED_ADD_U32, "red.add.u32", ATOMIC, 4, 0)                                                    \
    X(RED_MIN_U32, "red.min.u32", ATOMIC, 4, 0)                                                    \
    X(RED_MAX_U32, "red.max.u32", ATOMIC, 4, 0)                                                    \
    X(RED_MIN_S32, "red.min.s32", ATOMIC, 4, 0)                                                    \
    X(RED_MAX_S32, "red.max.s32", ATOMIC, 4, 0)                                                    \
    X(RED_AND_B32, "red.and.b32", ATOMIC, 4, 0)                                                    \
    X(RED_OR_B32, "red.or.b32", ATOMIC, 4, 0)                                                      \
    X(RED_XOR_B32, "red.xor.b32", ATOMIC, 4, 0)                                                    \
    X(RED_INC_U32, "red.inc.u32", COUNT, 4, 0)                                                     \
    X(RED_ADD_F32, "red.add.f32", CAS_LOOP, 4, 0)                                                  \
    X(RED_ADD_F16X2, "red.add.f16x2", CAS_LOOP, 4, 0)                                              \
    X(RED_ADD_F64, "red.add.f64", CAS_LOOP, 8, 0)                                                  \
    X(RED_ADD_U64, "red.add.u64", CAS_LOOP, 8, 0)                                                  \
    X(RED_MIN_U64, "red.min.u64", CAS_LOOP, 8, 0)                                                  \
    X(RED_MAX_U64, "red.max.u64", CAS_LOOP, 8, 0)                                                  \
    X(RED_MIN_S64, "red.min.s64", CAS_LOOP, 8, 0)                                                  \
    X(RED_MAX_S64, "red.max.s64", CAS_LOOP, 8, 0)                                                  \
    X(RED_AND_B64, "red.and.b64", CAS_LOOP, 8, 0)                                                  \
    X(RED_OR_B64, "red.or.b64", CAS_LOOP, 8, 0)                                                    \
    X(RED_XOR_B64, "red.xor.b64", CAS_LOOP, 8, 0)                                                  \
    X(CP_ASYNC_4, "cp.async.4", ASYNC, 4, 0)                                                       \
    X(CP_ASYNC_8, "cp.async.8", ASYNC, 8, 0)                                                       \
    X(CP_ASYNC_16_CA, "cp.async.16.ca", ASYNC, 16, 0)                                              \
    X(CP_ASYNC_16, "cp.async.16", ASYNC_CG, 16, 0)

typedef enum bw_op {
#define BW_OP_ENUM(id, name, kind, bytes, matrices) BW_OP_##id,
    BW_OPS(BW_OP_ENUM)
#undef BW_OP_ENUM
        BW_OP_COUNT
} bw_op;

/* What is fixed about an operation. `name` is static storage. */
typedef struct bw_op_info {
    const char *name;
    bw_op_kind kind;
    uint8_t bytes;    /* bytes a lane moves; 16 for a matrix row                     */
    uint8_t matrices; /* 1, 2 or 4 for matrix operations, else 0                     */
} bw_op_info;

/*
 * One warp-level instruction. A lane's address counts only where its bit in `active` is set (for
 * matrix operations: only lanes below 8 * matrices, and the instruction wants all 32 active). An
 * address must be a multiple of the operation's bytes.
 */
typedef struct bw_request {
    bw_op op;
    uint32_t active; /* bit i: lane i takes part */
    uint32_t addr[BW_LANES];
} bw_request;

/* The facts of `op`; NULL for a value outside the enumeration. */
const bw_op_info *bw_op_get(bw_op op);

/* The operation called name[0..len), or BW_OP_COUNT where there is none. */
bw_op bw_op_find(const char *name, size_t len);

/* The lanes whose addresses the operation reads: `active`, cut to 8 * matrices for matrix ones. */
uint32_t bw_request_lanes(const bw_request *request);

/*
 * The first lane that makes the request impossible (misaligned, or reaching past `limit` bytes of
 * shared memory; limit 0 checks alignment only), or -1 where all is well.
 */
int bw_request_bad_lane(const bw_request *request, uint32_t limit);

#ifdef __cplusplus
}
#endif
#endif
