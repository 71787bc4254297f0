/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * parse: tokens to a typed tree; what the files of this room share and no other room sees.
 *
 * Recursive descent over the whole token list; types are computed while parsing, constants folded
 * at once. An error of grammar unwinds to the statement it stands in and parsing goes on after
 * it; an error of meaning is reported and the expression gets the error type, which silences what
 * would follow from it. Templates are parsed again for each set of arguments.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_PARSE_H
#define BANKWISE_PARSE_H

#include "definitions.h"
#include "hooks.h"
#include "launches.h"
#include "nodes.h"

/* ---- parse.c ---- */
void bw_check_chain(bw_parser *p, unsigned *links); /* one more link; unwinds if too many */
/* After an error in the statement that began at token `start`: to its end. */
void bw_skip_statement(bw_parser *p, size_t start);

/* ---- parse_type.c ---- */
#define BW_PACKED_NOTE                                                                             \
    "nvcc cuts accesses to packed structs in a way of its own: compile the kernel and give "       \
    "bankwise the machine code, with --nvcc"
bool bw_at_declaration(const bw_parser *p);
/* Takes "std::", "Tile<64>::" …; returns the struct's scope in which the name after them is looked
 * up, or NULL where it is looked up as if it stood alone (namespaces are not kept apart). */
const bw_scope *bw_take_qualifiers(bw_parser *p);

/* ---- parse_expr.c ---- */
bw_expr *bw_parse_conditional(bw_parser *p);
/* As bw_parse_integer, between "<" and ">": ">" ends it. */
int64_t bw_parse_angled_integer(bw_parser *p, const char *what, int64_t fallback);

/* ---- parse_call.c, parse_group.c ---- */
/* A call of the built-in `name` whose "(" is the next token; numbers in angle brackets are next
 * where the name takes them. */
bw_expr *bw_parse_call(bw_parser *p, const bw_token *name);
bool bw_is_builtin(const bw_token *name);
/* Unwinds where the next token begins what is not in the language: goto, new, wmma … */
void bw_refuse_keyword(bw_parser *p);
bw_expr *bw_parse_method(bw_parser *p, bw_expr *handle, const bw_token *name, bw_span span);
bw_expr *bw_parse_group_method(bw_parser *p, bw_expr *group, const bw_token *name, bw_span span);
bw_expr *bw_parse_coalesced(bw_parser *p, bw_expr *group, const bw_token *name, bw_span span);
size_t bw_parse_arguments(bw_parser *p, bw_expr ***args);
size_t bw_parse_list(bw_parser *p, bw_expr ***args, bw_token_kind open, bw_token_kind close);

/* ---- parse_asm.c ---- */
bw_stmt *bw_parse_asm(bw_parser *p);

/* ---- parse_stmt.c ---- */
bw_stmt *bw_parse_statement(bw_parser *p);
void bw_note_statement(bw_parser *p, size_t start);
/* What p->pending holds, and `s` after it. */
bw_stmt *bw_after_pending(bw_parser *p, bw_stmt *s);

/* ---- parse_given.c ---- */
/* Reads the launches of the command line, after the file. */
void bw_parse_given_launches(bw_parser *p);
/* Launches the kernels that nothing launches, where --block is given. */
void bw_launch_rest(bw_parser *p);

/* ---- parse_function.c, parse_template.c ---- */
/* After the declarator's name, at "(": a function's parameters, and its body if there is one. */
void bw_parse_function(bw_parser *p, const bw_specifiers *spec, const bw_declarator *declarator,
                       bw_template *template);
void bw_parse_template(bw_parser *p);

/* ---- parse_record.c ---- */
bw_expr *bw_construct(bw_parser *p, const bw_type *type, bw_expr **args, size_t count,
                      bw_span span);

/* ---- parse_assume.c ---- */
void bw_parse_assume(bw_parser *p, const bw_comment *comment);

#endif
