/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * decode: statements -> instructions.
 *
 * Owns the table of opcodes (opcodes.c): what each means and which modifiers it may have. A
 * modifier or operand that is not in the table makes the result unknown, never a guess; an opcode
 * that is not, or one that steers the program, makes an instruction that is refused when it is
 * reached. It must not know launches or values. Not thread-safe while it works.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_MACHINE_DECODE_H
#define BANKWISE_MACHINE_DECODE_H

#include "code.h"
#include "stmt.h"
#include "text.h"

typedef struct bw_decoder {
    const bw_source *source;
    bw_arena *arena; /* for messages */
    const bw_function *function;
    bw_code *code;
    bw_stmt *stmt;
    bw_ins *ins;
    unsigned at;     /* the next operand */
    const char *why; /* what is not known of it: set by any step, ends in "unknown result" */
} bw_decoder;

/* Flags of an opcode. */
enum {
    BW_OPCODE_UNIFORM = 1,
    BW_OPCODE_ANY = 2,     /* modifiers change nothing that is modelled */
    BW_OPCODE_CONTROL = 4, /* what is not known of it is refused, not left unknown */
    BW_OPCODE_SHARED = 8,  /* may ask shared memory: likewise refused */
    BW_OPCODE_NO_RESULT = 16,
    BW_OPCODE_PRED_ONLY = 32,  /* its results are predicates alone */
    BW_OPCODE_VIA_SHARED = 64, /* reaches shared memory through generic addresses */
};

typedef struct bw_opcode {
    const char *name;
    void (*decode)(bw_decoder *d);
    const char *modifiers; /* those it may have, each between spaces */
    unsigned flags;
    uint8_t mode; /* for the decode function */
} bw_opcode;

const bw_opcode *bw_opcode_find(bw_word name);
size_t bw_opcode_count(void);
const bw_opcode *bw_opcode_at(size_t index);

/*
 * Decodes a kernel's statements; *code is to be  released with bw_sass_code_finish. False after an
 * error (text that is no statement, or that is cut). Messages of instructions are put into `arena`.
 */
bool bw_decode(const bw_source *source, const bw_function *function, bw_code *code, bw_arena *arena,
               unsigned cc, bw_diags *diags);
void bw_sass_code_finish(bw_code *code);
/* Fills in what is shown of a kernel's instructions: names, what is not modelled. False after an
 * error. */
bool bw_describe(bw_sass *sass, bw_function *function, bw_diags *diags);

/* ---- for the decode functions of opcodes ---- */

bool bw_has(const bw_decoder *d, const char *modifier);
const bw_operand *bw_stmt_peek(const bw_decoder *d); /* the next operand, or NULL */
const bw_operand *bw_next(bw_decoder *d);            /* taken; where there is none, d->why is set */
bool bw_is_pred(const bw_operand *operand);          /* accepts NULL */
/* The result register, of `width` words. */
void bw_take_result(bw_decoder *d, unsigned width);
/* Predicates before the next operand that is none: results; PT counts. */
void bw_take_pred_results(bw_decoder *d);
/* The rest of the operands that are predicates: sources. */
void bw_take_pred_sources(bw_decoder *d);
typedef enum bw_number { BW_INTEGER, BW_FLOAT32, BW_FLOAT64, BW_HALVES, BW_BITS } bw_number;
/* Source number n, of `width` words; its minus and the like go to the masks. */
void bw_take_source(bw_decoder *d, unsigned n, unsigned width, bw_number kind);
/* The slots of a constant. */
uint16_t bw_constant_slot(bw_decoder *d, uint64_t value, unsigned width);
uint16_t bw_zero_slot(const bw_decoder *d);
/* The instruction that a label or address operand names, or -1. */
int32_t bw_target(bw_decoder *d, const bw_operand *operand);
/* An evaluator, and how it treats unknown bits and the block's index. */
void bw_alu(bw_decoder *d, int evaluator, bw_unknown_rule unknown, bw_affine_rule affine);
/* Takes those suffixes of `mask` that the next operand has off it, and returns them. */
uint32_t bw_take_suffix(bw_decoder *d, uint32_t mask);
/* The comparison and the combination that the modifiers name. */
bool bw_take_compare(bw_decoder *d);
/* All operands must have been used. */
void bw_no_more(bw_decoder *d);
bool bw_immediate(bw_decoder *d, const bw_operand *operand, uint64_t *value);

/* Every decode function that the table names. */
/* The formatter does not settle on long lists. */
// clang-format off
#define BW_DECODERS(X)                                                                             \
    X(nop) X(mov) X(special) X(imad) X(iadd3) X(viadd) X(lea) X(lop3) X(shf) X(isetp) X(sel)       \
    X(fsel) X(prmt) X(minmax) X(addminmax) X(minmax3) X(unary) X(flo) X(bmsk) X(sgxt) X(idp)       \
    X(shfl) X(vote) X(match) X(redux) X(r2ur) X(elect) X(ldc) X(plop3) X(p2r) X(r2p) X(fadd)       \
    X(ffma) X(fminmax) X(fsetp) X(fset) X(fchk) X(mufu) X(frnd) X(i2f) X(f2i) X(f2f) X(f2fp)       \
    X(dadd) X(dfma) X(dsetp) X(half) X(hsetp) X(load) X(store) X(ldsm) X(atoms)         \
    X(ldgsts) X(atom) X(syncs) X(bulk) X(matrix) X(unmodelled) X(b2r) X(bmov) X(bra) X(brx)        \
    X(call) X(ret) X(exit) X(bssy) X(bsync) X(brk) X(warpsync) X(bar) X(yield) X(vadd) X(absdiff)   \
    X(absdiff4) X(i2i) X(i2ip) X(f2ip) X(f32x2) X(hset) X(hminmax) X(movm) X(lepc) X(signals) X(texture) X(surface)
// clang-format on
#define BW_DECODER_DECLARE(name) void bw_decode_##name(bw_decoder *d);
BW_DECODERS(BW_DECODER_DECLARE)

#endif
