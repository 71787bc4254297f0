/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * grammar: types, expressions and statements, for whoever meets them in what it reads.
 *
 * Each takes its tokens, or reports and unwinds to the statement that it stands in. Types are
 * computed and constants folded at once. All memory is the parser's arena.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_GRAMMAR_H
#define BANKWISE_GRAMMAR_H

#include "parser.h"

/* ---- types ---- */
typedef struct bw_specifiers {
    const bw_type *type;
    bool is_const, is_constexpr, is_shared, is_extern, is_static, is_kernel, is_device, is_typedef,
        is_constant_memory, is_host, is_volatile;
    uint32_t align;
    bw_span span;
} bw_specifiers;
bool bw_at_type(const bw_parser *p);
bw_specifiers bw_parse_specifiers(bw_parser *p);
/* A declarator around `base`; *name gets its token or NULL. */
typedef struct bw_declarator {
    const bw_type *type;
    const bw_token *name;
    bool is_reference, is_rvalue;
    uint32_t align; /* that its own attributes ask for, or 0 */
} bw_declarator;
bw_declarator bw_parse_declarator(bw_parser *p, const bw_type *base);
/* Whether a reference takes the place of `value`. What is const, or T &&, holds a value of its own
 * where there is none, or one of another type; others cannot. */
bool bw_reference_binds(bw_parser *p, const bw_declarator *d, bool is_const, const bw_expr *value);
const bw_type *bw_parse_type_name(bw_parser *p); /* in casts, sizeof and template arguments */
void bw_skip_attributes(bw_parser *p, bw_specifiers *into);

/* ---- expressions ---- */
bw_expr *bw_parse_expression(bw_parser *p);
bw_expr *bw_parse_assignment(bw_parser *p);
/* An integer constant expression; reports and returns `fallback` where it is none. */
int64_t bw_parse_integer(bw_parser *p, const char *what, int64_t fallback);
/* { … } or an expression for a variable of `type` (which may be an array of unknown count: *type is
 * then completed). */
bw_expr *bw_parse_initializer(bw_parser *p, const bw_type **type);
/* "(…)" or "{…}" after a type or a declared name: an object of `type`. */
bw_expr *bw_parse_construction_of(bw_parser *p, const bw_type *type, size_t start);

/* ---- statements ---- */
bw_stmt *bw_parse_block(bw_parser *p); /* at "{" */
bw_stmt *bw_parse_body(bw_parser *p);  /* of a loop or a branch: a scope of its own */
/* Parses until the construct ends, or reports, skips after it and returns NULL. */
bw_stmt *bw_parse_declaration_statement(bw_parser *p);

#endif
