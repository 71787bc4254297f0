/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stmt: one statement of machine code -> guard, opcode, modifiers, operands.
 *
 * Owns the grammar of operands. It must not know what an opcode does. Plain data, no allocation:
 * names point into the statement's text. Pure functions, any thread.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_MACHINE_STMT_H
#define BANKWISE_MACHINE_STMT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BW_MAX_MODIFIERS 12
#define BW_MAX_OPERANDS 14
#define BW_RZ (-1) /* register number of RZ, URZ, PT, UPT */

typedef struct bw_word {
    const char *text;
    uint32_t len;
} bw_word;

typedef enum bw_operand_kind {
    BW_OPERAND_REG,     /* R5, RZ */
    BW_OPERAND_UREG,    /* UR5 */
    BW_OPERAND_PRED,    /* P0, PT */
    BW_OPERAND_UPRED,   /* UP0 */
    BW_OPERAND_CONST,   /* c[0x0][0x160], c[0x3][R2+0x8], cx[UR4][0x0] */
    BW_OPERAND_MEMORY,  /* [R2.64+UR4+0x10], desc[UR4][R2.64] */
    BW_OPERAND_IMM,     /* 0x10, -0x1 */
    BW_OPERAND_FLOAT,   /* 1.5, -INF, +QNAN */
    BW_OPERAND_LABEL,   /* `(.L_x_1) */
    BW_OPERAND_REL,     /* 32@lo((f + .L_x_1@srel)) */
    BW_OPERAND_BARRIER, /* B0 */
    BW_OPERAND_NAME,    /* SR_TID.X, PR, SB0 ... */
    BW_OPERAND_OTHER,   /* nothing we know */
} bw_operand_kind;

/* Suffixes of a register operand. */
enum {
    BW_SUFFIX_64 = 1,
    BW_SUFFIX_U32 = 2,
    BW_SUFFIX_H0 = 4, /* .H0, .H0_H0 */
    BW_SUFFIX_H1 = 8, /* .H1, .H1_H1 */
    BW_SUFFIX_B1 = 16,
    BW_SUFFIX_B2 = 32,
    BW_SUFFIX_B3 = 64,
    BW_SUFFIX_B0 = 128,
    BW_SUFFIX_H1H0 = 256,
    BW_SUFFIX_F32 = 512,
    BW_SUFFIX_SIGN = 1024,  /* the sign alone */
    BW_SUFFIX_F32X2 = 2048, /* two floats of a pair of registers */
    BW_SUFFIX_HI_LO = 4096,
    BW_SUFFIX_LO_HI = 8192,  /* the two exchanged */
    BW_SUFFIX_OTHER = 16384, /* one we do not know */
};

typedef struct bw_operand {
    bw_operand_kind kind;
    bool neg, inv, abs;     /* -x; ~x or !p; |x| */
    int reg;                /* register, predicate or barrier number; of memory the base register */
    int ureg;               /* memory, constants: the uniform register that is added, or BW_RZ */
    uint32_t suffix;        /* of the register; memory: of the base register */
    uint32_t usuffix;       /* memory: of the uniform register */
    uint8_t scale;          /* memory: 1, 4, 8, 16 */
    bool has_reg, has_ureg; /* memory, constants: they are named, RZ counts */
    bool descriptor;        /* desc[..][..] or gdesc[..] */
    bool group;             /* gdesc: a matrix descriptor */
    int64_t offset;         /* memory, constants: bytes */
    int bank;               /* constants: -1 where a register tells */
    uint64_t imm;           /* immediates, two's complement */
    double number;          /* FLOAT */
    bool nan;
    bw_word text; /* all of it; LABEL and REL: what is in the parentheses */
} bw_operand;

typedef struct bw_stmt {
    bool guarded, guard_inv, guard_uniform;
    int guard; /* BW_RZ: PT */
    bw_word name;
    bw_word modifiers[BW_MAX_MODIFIERS];
    unsigned modifier_count;
    bw_operand operands[BW_MAX_OPERANDS];
    unsigned operand_count;
} bw_stmt;

/* Parses; false where it is no statement, with *bad telling where. */
bool bw_stmt_parse(const char *text, bw_stmt *stmt, const char **bad);

bool bw_word_is(bw_word word, const char *text);
/* Whether the statement has this modifier. */
bool bw_stmt_has(const bw_stmt *stmt, const char *modifier);

#endif
