/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * code: a launch as instructions for the evaluator.
 *
 * A register holds one scalar for each of the 32 lanes of a warp. Divergence is structured: IF,
 * LOOP, FUNC and SWITCH push frames that hold lane masks. The generator makes code with a fresh
 * register for each temporary; `bw_code_optimize` then drops what no address and no branch needs,
 * finds out whether the grid's blocks can differ, and packs the registers.
 *
 * Pointers are 64-bit numbers with a tag:
 *
 *      63        44 43  40 39                     0
 *     +------------+------+------------------------+
 *     |    tag     | 0001 |  byte offset, signed   |     1 shared, 2 local, 3 + n global object n
 *     +------------+------+------------------------+
 *
 * so that arithmetic within 2^40 bytes never reaches the tag and low bits show alignment.
 *
 * Internal to sim/pattern.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_CODE_H
#define BANKWISE_CODE_H

#include "ast.h"
#include "index.h"
#include "unknown.h"

#define BW_TAG_SHIFT 44
#define BW_BIAS ((uint64_t)1 << 40)
#define BW_POINTER(tag, offset) (((uint64_t)(tag) << BW_TAG_SHIFT) + BW_BIAS + (uint64_t)(offset))
#define BW_TAG_SHARED 1
#define BW_TAG_LOCAL 2
#define BW_TAG_OBJECT 3
#define BW_NO_REG UINT32_MAX

typedef enum bw_opcode {
    BW_I_NOP,
    /* values: dst from a, b, c; the mask does not matter */
    BW_I_BINARY, /* number: bw_binary; class: of the operands */
    BW_I_NEG,
    BW_I_INVERT,
    BW_I_LNOT, /* int32 0/1 */
    BW_I_LAND, /* three-valued: a known false decides */
    BW_I_LOR,
    BW_I_SELECT,   /* a ? b : c */
    BW_I_CONVERT,  /* class: from; number: to */
    BW_I_TRUNCATE, /* number: bw_memory of a narrow type */
    BW_I_TRUTH,    /* a != 0 as 0/1 */
    BW_I_INDEX,    /* pointer a + b * imm; class: of b */
    BW_I_POINTER,  /* dst = imm: the address of a local object; others are constants */
    BW_I_TO_SHARED,
    BW_I_FROM_SHARED,
    BW_I_MINMAX, /* number: 0 min, 1 max */
    BW_I_ABS,
    BW_I_POPC,
    BW_I_CLZ,
    BW_I_FFS,
    BW_I_BREV,
    BW_I_NTH, /* the position of set bit b of a */
    BW_I_MULHI,
    BW_I_MATH,    /* number: row */
    BW_I_ROUND,   /* float to int; number: rounding; class: from; imm: to */
    BW_I_UNKNOWN, /* dst is unknown, see origin */
    BW_I_SHFL,    /* number: kind; a value, b lane, c width */
    BW_I_VOTE,
    BW_I_REDUCE,
    BW_I_MATCH, /* the active lanes with the same a, as bits */
    BW_I_DRAW,  /* number: law; a, b parameters */
    BW_I_COPY,  /* fresh variable: dst = a, home = mask */
    BW_I_FRESH, /* fresh variable without a value */
    BW_I_MOVE,  /* dst = a where the mask is set */
    /* memory */
    BW_I_CHECK,  /* index a within 0 … imm - 1 of symbol; number 1: imm itself allowed */
    BW_I_LOAD,   /* dst = *a; memory */
    BW_I_STORE,  /* *a = b */
    BW_I_VLOAD,  /* local[imm] = number bytes at a */
    BW_I_VSTORE, /* number bytes at a = local[imm] */
    BW_I_LLOAD,  /* dst = local[imm] */
    BW_I_LSTORE, /* local[imm] = b */
    BW_I_LCOPY,  /* local[imm] = local[number], aux bytes */
    BW_I_ATOMIC, /* dst = old *a; number: bw_atomic; b, c values */
    BW_I_TOUCH,  /* a request of the site's op at a, values not followed; number 1: it writes */
    /* control */
    BW_I_IF,   /* a; imm: pc of ELSE or ENDIF */
    BW_I_ELSE, /* imm: pc of ENDIF */
    BW_I_ENDIF,
    BW_I_LOOP,
    BW_I_TEST, /* a or none; imm: pc of ENDLOOP */
    BW_I_NEXT, /* lanes that continued come back */
    BW_I_JUMP, /* back to imm */
    BW_I_ENDLOOP,
    BW_I_BREAK,
    BW_I_CONTINUE,
    BW_I_SWITCH, /* a; imm: index of its case table */
    BW_I_CASE,   /* imm: row of the table, or -1 for default */
    BW_I_ENDSWITCH,
    BW_I_FUNC,
    BW_I_RETURN,
    BW_I_ENDFUNC,
    BW_I_BARRIER,
    BW_I_FENCE, /* orders a thread's accesses; costs nothing */
    BW_I_EXIT,
    BW_I_ENDLAW, /* end of an assumption's code */
    BW_OPCODES,
} bw_opcode;

typedef struct bw_ins {
    uint8_t op;     /* bw_opcode */
    uint8_t cls;    /* bw_class */
    uint8_t memory; /* bw_memory */
    uint8_t flags;  /* BW_INS_… */
    int32_t number;
    uint32_t dst, a, b, c;
    uint32_t site; /* accesses: index into the pattern's sites */
    uint32_t aux;
    int64_t imm;
    bw_span span;
    uint32_t origin; /* where an unknown value made here comes from */
} bw_ins;

#define BW_INS_VALUE 1    /* the value loaded or stored is needed */
#define BW_INS_ARGUMENT 2 /* takes an argument of the launch: no compiler knows its value */
/* What of an access's address is not known when it is compiled is a multiple of so many bytes. */
#define BW_INS_ALIGN_8 4
#define BW_INS_ALIGN_16 8
/* Of loops, which loops.c sets. TEST: nothing in the loop changes its condition; and all that it
 * does is to end. JUMP: only another warp could end the loop. */
#define BW_INS_STUCK 16
#define BW_INS_IDLE 64
#define BW_INS_SPIN 32
/* BINARY: an index comes of it, so that it must not overflow; it may be computed for nothing. */
#define BW_INS_INDEX 16
#define BW_INS_MAYBE 32

/* A place that may access shared memory, as reached through one chain of calls. */
typedef struct bw_site {
    bw_span span, shown; /* shown: the text that names it, of an asm statement the address */
    bw_op op;
    const bw_call_site *call;
    /* The access that it made last, -1 before the first; its operation and its array. */
    int32_t latest;
    bw_op op_latest;
    uint32_t from, bytes;
    bool is_volatile;
    bool reported; /* an error there was reported: once is enough */
    bool raced;    /* a race too */
} bw_site;

typedef struct bw_shared_object {
    const char *name;
    uint32_t offset, size;
    bw_span span;
} bw_shared_object;

/* Global memory that a pointer can reach. */
typedef struct bw_object {
    const char *name;
    uint32_t elem_size;
    const bw_type *elem;
    const bw_assume *assume;
    bw_expr **content; /* scalars of `elem`, or NULL */
    uint32_t content_count;
    uint32_t law_entry;            /* pc of the assumption's code */
    uint32_t law_index, law_value; /* its registers */
    bool stored_to;
} bw_object;

typedef struct bw_constant {
    uint32_t reg;
    bw_class cls;
    union {
        int64_t integer;
        double real;
    };
} bw_constant;

typedef struct bw_case_table {
    int64_t *values;
    uint32_t count;
    const bw_type *type; /* of what the switch takes */
    bool has_default;
} bw_case_table;

typedef struct bw_code {
    bw_ins *items; /* malloc'd, as are the arrays below */
    size_t count, capacity;
    bool *is_variable; /* by register */
    uint32_t reg_count, reg_capacity;
    bw_constant *constants;
    size_t constant_count, constant_capacity;
    uint32_t specials[BW_SPECIALS]; /* registers, or BW_NO_REG */
    bw_shared_object *shared;
    size_t shared_count, shared_capacity;
    bw_object *objects;
    size_t object_count, object_capacity;
    bw_unknown *unknowns;
    size_t unknown_count, unknown_capacity;
    bw_case_table *tables;
    size_t table_count, table_capacity;
    uint32_t *local_origins; /* by word of local memory: why it is unknown at first */
    size_t local_words, local_word_capacity;
    uint32_t static_shared, dynamic_shared, local_bytes;
    bool blocks_alike; /* nothing that matters depends on blockIdx or chance */
} bw_code;

/* The sites of a pattern, shared by its launches. */
typedef struct bw_sites {
    bw_site *items; /* malloc'd */
    size_t count, capacity;
    bw_index index;             /* by span, operation and call */
    const bw_call_site **calls; /* malloc'd: each chain once */
    size_t call_count, call_capacity;
    bw_index call_index; /* by span and the call around it */
    bw_index accesses;   /* of the pattern: by place, call and array */
    bw_index places;     /* of the pattern's accesses: the first of each place */
} bw_sites;

/* gen_expr.c: the plain load or store of `bytes` bytes. */
bw_op bw_sized_op(bool load, uint32_t bytes);
/* gen.c: code for a launch (kernel NULL: the script). False where diags got errors. */
bool bw_generate(bw_arena *arena, const bw_source *source, const bw_ast_launch *launch,
                 bw_stmt *script, bw_assume *assumes, size_t assume_count, bw_sites *sites,
                 bw_code *code, bw_diags *diags);
/* loops.c: sets BW_INS_STUCK and BW_INS_SPIN; before what no address needs is dropped. */
void bw_code_loops(bw_code *code);
/* alignment.c: sets BW_INS_ALIGN_…; before registers are packed. */
void bw_code_alignment(bw_code *code);
/* optimize.c */
void bw_code_optimize(bw_code *code);
void bw_code_finish(bw_code *code);

#endif
