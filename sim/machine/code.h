/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * code: instructions as the engine executes them.
 *
 * Owns the form of a decoded instruction. A kernel's registers, uniform registers, and constants
 * that its instructions name lie in one row of slots, 32 lanes each, so that every operand is a
 * slot:
 *
 *     0 ... regs-1 | uniform registers | constants of the code and of the launch | waste
 *     R0   R1 ...    UR0 UR1 ...         0, 0, 0, 0, 0x4, c[0x0][0x210], ...       (RZ as result)
 *
 * It must not know text. Built by decode.c; read-only while a kernel runs.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_MACHINE_CODE_H
#define BANKWISE_MACHINE_CODE_H

#include "machine.h"

typedef struct bw_vec {
    _Alignas(32) uint32_t v[BW_LANES];
} bw_vec;

/* What executes an instruction. */
typedef enum bw_exec {
    BW_X_NOP,
    BW_X_ALU,     /* an evaluator of lanes.h */
    BW_X_UNKNOWN, /* the result is not modelled */
    BW_X_SPECIAL, /* S2R, CS2R, S2UR */
    BW_X_LDC,     /* constants at an address that registers tell */
    BW_X_PLOP3,
    BW_X_P2R,
    BW_X_R2P,
    BW_X_SHFL,
    BW_X_VOTE,
    BW_X_MATCH,
    BW_X_REDUX,
    BW_X_R2UR,
    BW_X_ELECT,
    BW_X_MOVM,
    BW_X_LDS,
    BW_X_STS,
    BW_X_LDSM,
    BW_X_STSM,
    BW_X_ATOMS,
    BW_X_LDGSTS,
    BW_X_LDG,
    BW_X_STG,
    BW_X_LD, /* generic */
    BW_X_ST,
    BW_X_LDL,
    BW_X_STL,
    BW_X_ATOM, /* global; generic where `generic` is set */
    BW_X_SYNCS,
    BW_X_BULK,   /* something fills shared memory from outside */
    BW_X_MATRIX, /* wgmma: reads shared memory by itself */
    BW_X_B2R,
    BW_X_BMOV,
    /* From here on: control. */
    BW_X_BRA,
    BW_X_BRX,
    BW_X_CALL,
    BW_X_RET,
    BW_X_EXIT,
    BW_X_BSSY,
    BW_X_BSYNC,
    BW_X_BREAK,
    BW_X_WARPSYNC,
    BW_X_BAR,
    BW_X_SYNCS_WAIT,
    BW_X_YIELD,
    BW_X_REFUSE, /* cannot be executed; `why` says so */
} bw_exec;

/* What is done to a barrier in shared memory (BW_X_SYNCS). */
typedef enum bw_syncs {
    BW_SYNCS_OTHER, /* not modelled */
    BW_SYNCS_INIT,
    BW_SYNCS_ARRIVE,
    BW_SYNCS_EXPECT, /* arrives, and names bytes that are to come */
} bw_syncs;

/* How unknown bits of sources become unknown bits of the result. */
typedef enum bw_unknown_rule {
    BW_U_ALL, /* any unknown bit of any source makes the lane's whole result unknown */
    BW_U_MOV,
    BW_U_ADD,  /* iadd3 */
    BW_U_MAD,  /* a * b + c, lower 32 bits */
    BW_U_WIDE, /* a * b + c, 64 bits */
    BW_U_LEA,
    BW_U_LOP,
    BW_U_SHIFT,
    BW_U_SEL,
    BW_U_PRMT,
    BW_U_COMPARE,
} bw_unknown_rule;

/* How a result depends on the block's index where a source does. */
typedef enum bw_affine_rule {
    BW_A_NONE, /* no known form */
    BW_A_MOV,
    BW_A_ADD,
    BW_A_MAD,
    BW_A_WIDE, /* the lower word as MAD */
    BW_A_LEA,
    BW_A_SHL,
    BW_A_COMPARE,
} bw_affine_rule;

typedef enum bw_compare {
    BW_LT,
    BW_EQ,
    BW_LE,
    BW_GT,
    BW_NE,
    BW_GE,
    BW_NUM,
    BW_NAN,
    BW_TRUE,
    BW_FALSE
} bw_compare;
typedef enum bw_combine { BW_AND, BW_OR, BW_XOR } bw_combine;
typedef enum bw_round { BW_RN, BW_RM, BW_RP, BW_RZ_MODE } bw_round;

typedef enum bw_atom {
    BW_ATOM_ADD,
    BW_ATOM_MIN,
    BW_ATOM_MAX,
    BW_ATOM_INC,
    BW_ATOM_DEC,
    BW_ATOM_AND,
    BW_ATOM_OR,
    BW_ATOM_XOR,
    BW_ATOM_EXCH,
    BW_ATOM_CAS,
    BW_ATOM_CAST,
    BW_ATOM_POPC_INC,
    BW_ATOM_OTHER
} bw_atom;

/* Predicates have slots too: P0 ... P6, PT, UP0 ... UP6, UPT. Bits are lanes. */
#define BW_PT 7
#define BW_UPT 15
#define BW_PREDICATES 16

struct bw_ins;
/* Predicates that go into and come out of an evaluator, a bit a lane. */
typedef struct bw_io {
    uint32_t in[2], out[2];
} bw_io;
/*
 * Computes all 32 lanes. `d` may be the same as a, b or c where the result is one register; results
 * of several are written elsewhere first.
 */
typedef void (*bw_evaluator)(const struct bw_ins *i, const bw_vec *a, const bw_vec *b,
                             const bw_vec *c, bw_vec *d, bw_io *io);

typedef struct bw_ins {
    bw_evaluator fn; /* ALU */
    uint8_t x, evaluator;
    uint8_t unknown, affine;
    uint8_t guard; /* predicate slot */
    bool guard_inv;
    bool uniform;   /* of the uniform datapath: all 32 lanes, whoever is active */
    uint8_t width;  /* result registers; 0: none */
    uint8_t width2; /* and of a second result, at d2 (textures) */
    uint8_t source_count;
    uint8_t in_count, out_count;
    uint8_t in[3], out[2]; /* predicate slots */
    bool in_inv[3];
    uint8_t source_width[3];           /* registers */
    bool wide_sources;                 /* some source is of several registers */
    uint16_t d, d2, s[3];              /* slots */
    uint32_t and_mask[3], xor_mask[3]; /* of a source's (upper) word: absolute value, minus, not */
    uint32_t add;                      /* completes a minus: ~x + 1 */
    bool neg_product, wide64;
    uint8_t shift, lut, lut2;
    uint8_t compare, combine, round;
    bool is_signed, ftz, sat, extended, has_carry_in;
    uint8_t mode; /* what else tells the forms of an opcode apart */
    uint8_t part; /* bits of each number, where a word holds several or a result is cut */
    bool approximate;
    /* memory */
    bool has_base, has_ubase, base64, ubase64, base_unsigned;
    uint8_t scale, size;  /* bytes a lane */
    uint8_t sign_bits;    /* 8, 16: the loaded value is sign-extended */
    uint16_t base, ubase; /* slots */
    int64_t offset;
    uint8_t op; /* bw_op of the request it makes, BW_OP_COUNT where there is none */
    uint8_t atom;
    bool generic, volatile_access;
    uint8_t bank;
    /* control */
    int32_t target; /* instruction, -1 where unknown */
    uint8_t barrier;
    const char *why; /* REFUSE, UNKNOWN */
} bw_ins;

/* A constant among the slots. */
typedef struct bw_pool_entry {
    bool launch; /* a place of constant bank `bank`: filled at launch */
    uint8_t bank;
    uint32_t value; /* or the offset in the bank */
} bw_pool_entry;

typedef struct bw_code {
    bw_ins *ins; /* malloc'd, `count` of them */
    size_t count;
    uint64_t base;
    uint32_t regs, uregs; /* slots of each */
    bw_pool_entry *pool;  /* malloc'd */
    size_t pool_count, pool_capacity;
    uint32_t zero;  /* the slot of RZ as a source; four of them */
    uint32_t waste; /* the slots that results of RZ go to; four of them */
    uint32_t slots;
    unsigned cc;           /* compute capability * 10 */
    bool others_signal;    /* barriers in shared memory may be signalled in ways not modelled */
    struct bw_skip *skips; /* by instruction: see skip.h; NULL until needed */
} bw_code;

static inline uint32_t bw_code_ureg(const bw_code *code, int reg)
{
    return code->regs + (uint32_t)reg;
}

#endif
