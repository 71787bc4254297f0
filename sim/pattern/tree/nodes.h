/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nodes: the tree's nodes, typed and folded as they are made.
 *
 * An operation on constants makes a constant. What has no meaning is reported, and makes a node of
 * the error type, which silences what would follow from it. All memory is the parser's arena.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_NODES_H
#define BANKWISE_NODES_H

#include "parser.h"

bw_expr *bw_new_expr(bw_parser *p, bw_expr_kind kind, const bw_type *type, bw_span span);
bw_expr *bw_new_error(bw_parser *p, bw_span span);
/* Reports, and returns an error node. */
bw_expr *bw_refuse(bw_parser *p, bw_message_id id, bw_span span, const char *message,
                   const char *note);
bw_expr *bw_new_special(bw_parser *p, bw_special which, bw_span span);
bw_expr *bw_new_integer(bw_parser *p, const bw_type *type, int64_t value, bw_span span);
bw_expr *bw_new_real(bw_parser *p, const bw_type *type, double value, bw_span span);
bw_expr *bw_new_symbol(bw_parser *p, bw_symbol *symbol, bw_span span);
bw_expr *bw_new_constant(bw_parser *p, const bw_symbol *constant, bw_span span); /* its value */
bw_expr *bw_new_binary(bw_parser *p, bw_binary op, bw_expr *a, bw_expr *b, bw_span span);
bw_expr *bw_new_logical(bw_parser *p, bw_expr_kind kind, bw_expr *a, bw_expr *b, bw_span span);
bw_expr *bw_new_unary(bw_parser *p, bw_expr_kind kind, bw_expr *a, bw_span span);
bw_expr *bw_new_conditional(bw_parser *p, bw_expr *c, bw_expr *a, bw_expr *b, bw_span span);
bw_expr *bw_new_assign(bw_parser *p, bw_expr *a, bw_expr *b, bw_span span);
bw_expr *bw_new_compound(bw_parser *p, bw_binary op, bw_expr *a, bw_expr *b, bw_span span);
bw_expr *bw_new_step(bw_parser *p, bw_binary op, bool post, bw_expr *a, bw_span span);
bw_expr *bw_new_index(bw_parser *p, bw_expr *a, bw_expr *b, bw_span span);
bw_expr *bw_new_member(bw_parser *p, bw_expr *a, const bw_member *member, bw_span span);
bw_expr *bw_new_deref(bw_parser *p, bw_expr *pointer, bw_span span);
bw_expr *bw_new_address(bw_parser *p, bw_expr *a, bw_span span);
bw_expr *bw_value(bw_parser *p, bw_expr *e); /* arrays become pointers */
/* Implicit conversion; reports where there is none. */
bw_expr *bw_convert(bw_parser *p, bw_expr *e, const bw_type *type);
bw_expr *bw_cast(bw_parser *p, bw_expr *e, const bw_type *type, bw_span span);
/* What e is worth, without its place: a reference to it refers to a copy. */
bw_expr *bw_without_place(bw_parser *p, bw_expr *e, bw_span span);
void bw_mark_address_taken(bw_expr *lvalue);
/* Whether each thread has a value of its own in it: threadIdx, or a variable that began with it,
 * not cut to a few bits. */
bool bw_is_of_thread(const bw_expr *e);
bw_expr *bw_new_intrinsic(bw_parser *p, bw_intrinsic what, int number, const bw_type *type,
                          bw_span span, uint32_t arg_count, bw_expr **args);
/* A group's thread_rank() and size(). */
bw_expr *bw_group_rank(bw_parser *p, const bw_type *group, bw_span span);
bw_expr *bw_group_size(bw_parser *p, const bw_type *group, bw_span span);
/* {}: the values that a struct's text gives to its members, and zeros. */
bw_expr *bw_empty_list(bw_parser *p, const bw_type *type, bw_span span);

bw_stmt *bw_new_stmt(bw_parser *p, bw_stmt_kind kind, bw_span span);
bw_stmt *bw_new_expr_stmt(bw_parser *p, bw_expr *e);
bw_function *bw_new_function(bw_parser *p, const char *name, bw_span span);

#endif
