/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * gen: from the tree to instructions; what gen.c (statements, functions), gen_expr.c, gen_struct.c
 * and gen_intrinsic.c share. Internal to sim/pattern.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_GEN_H
#define BANKWISE_GEN_H

#include "code.h"

typedef struct bw_gen {
    bw_arena *arena;
    const bw_source *source;
    bw_diags *diags;
    bw_code *code;
    bw_sites *sites;
    bw_index origins; /* the code's unknowns, by span and what they are */
    bw_assume *assumes;
    size_t assume_count;
    bool script;        /* at the script's top level: pointers without a value are global arrays */
    uint32_t result;    /* register of the inlined function's result */
    uint32_t result_at; /* local offset of a struct result */
    const bw_type *result_type;
    unsigned depth;           /* of inlined calls */
    const bw_call_site *call; /* that is being inlined */
    unsigned nesting;         /* of expressions and statements, through inlined calls */
    bw_case_table *cases;
    bool continues;         /* the loop being generated has a continue */
    bool maybe;             /* what is generated may be computed for nothing */
    uint32_t extern_reg;    /* register with the address of dynamic shared memory, or none */
    size_t extern_constant; /* its row among the constants */
    const char *extern_name;
    bw_span extern_span;
    bool failed;
} bw_gen;

/* Inlining deeper than this, or into more code, is refused. */
#define BW_MAX_INLINE 64
#define BW_MAX_CODE ((size_t)1 << 20)
/* Expressions and statements within each other, through inlined calls: more would use up the
 * stack. */
#define BW_MAX_TREE 4000

/* Where an lvalue lies. */
typedef enum bw_lvalue_kind { BW_LV_REGISTER, BW_LV_LOCAL, BW_LV_POINTER } bw_lvalue_kind;
typedef struct bw_lvalue {
    bw_lvalue_kind kind;
    uint32_t place; /* register, local offset, or register with the address */
    const bw_type *type;
    bw_span span, shown; /* shown: what names it in tables where that is not all of it; len 0 */
    bool is_volatile;
} bw_lvalue;

/* A place in the lanes' own memory. */
static inline bw_lvalue bw_local_lvalue(uint32_t place, const bw_type *type, bw_span span)
{
    return (bw_lvalue){.kind = BW_LV_LOCAL, .place = place, .type = type, .span = span};
}

/* gen.c */
bw_ins *bw_emit(bw_gen *g, bw_opcode op, bw_span span);
uint32_t bw_temp(bw_gen *g);
uint32_t bw_variable(bw_gen *g);
uint32_t bw_constant_reg(bw_gen *g, bw_class cls, int64_t integer, double real);
/* The site of an operation in the chain of calls that is being generated; `shown` is the text that
 * names it. */
uint32_t bw_site_of(bw_gen *g, bw_span span, bw_span shown, bw_op op);
/* What names an access at `span` in tables: of an asm statement the operand that `address` is made
 * of, of all else its whole text. */
bw_span bw_shown_of(const bw_gen *g, const bw_expr *address, bw_span span);
uint32_t bw_origin_of(bw_gen *g, bw_span span, const char *what, const char *note);
uint32_t bw_local_space(bw_gen *g, const bw_type *type, bw_span span);
uint32_t bw_object_of(bw_gen *g, const char *name, const bw_type *elem, bw_expr **content,
                      uint32_t content_count, bw_span span);
void bw_gen_error(bw_gen *g, bw_message_id id, bw_span span, const char *note, const char *format,
                  ...) __attribute__((format(printf, 5, 6)));
void bw_place_symbol(bw_gen *g, bw_symbol *s);
uint32_t bw_extern_base(bw_gen *g, const bw_symbol *s);
void bw_gen_statement(bw_gen *g, const bw_stmt *s);
/* Inlines a call; returns the result's register, or its local offset for a struct. */
uint32_t bw_gen_call(bw_gen *g, const bw_expr *e);

/* gen_expr.c */
uint32_t bw_gen_value(bw_gen *g, const bw_expr *e); /* scalars: a register */
void bw_gen_discard(bw_gen *g, const bw_expr *e);   /* for its effects */
bw_lvalue bw_gen_lvalue(bw_gen *g, const bw_expr *e);
uint32_t bw_gen_address(bw_gen *g, const bw_lvalue *lv); /* a register with its address */
void bw_gen_store(bw_gen *g, const bw_lvalue *lv, uint32_t value);
/* One instruction whose result is a new temporary. */
uint32_t bw_gen_op1(bw_gen *g, bw_opcode op, bw_class cls, int number, uint32_t a, bw_span span);
uint32_t bw_gen_op2(bw_gen *g, bw_opcode op, bw_class cls, int number, uint32_t a, uint32_t b,
                    bw_span span);
uint32_t bw_gen_integer(bw_gen *g, bw_class cls, int64_t value);
uint32_t bw_gen_unknown(bw_gen *g, bw_span span, const char *what, const char *note);
uint32_t bw_gen_offset(bw_gen *g, uint32_t pointer, int64_t bytes, bw_span span);
uint32_t bw_gen_load(bw_gen *g, const bw_lvalue *lv);
uint32_t bw_load_origin(bw_gen *g, bw_span span);
/* From type to type, with the narrowing that the target asks. */
uint32_t bw_gen_convert(bw_gen *g, uint32_t v, const bw_type *from, const bw_type *to,
                        bw_span span);
/* ld.N or st.N for an access of `bytes`. */

/* gen_struct.c */
uint32_t bw_gen_aggregate(bw_gen *g, const bw_expr *e); /* structs: a local offset */
void bw_gen_initialize(bw_gen *g, const bw_symbol *s, const bw_expr *init);
/* Returns the local offset of the value stored. */
uint32_t bw_gen_store_aggregate(bw_gen *g, const bw_lvalue *lv, const bw_expr *value);

/* gen_intrinsic.c: `used`: somebody wants the result */
uint32_t bw_gen_intrinsic(bw_gen *g, const bw_expr *e, bool used);

#endif
