/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cxx: what the files of this room share. Other rooms know it by the table of hooks alone, which
 * cxx.c fills in; what each function of the table does is said there.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_CXX_H
#define BANKWISE_CXX_H

#include "definitions.h"
#include "hooks.h"
#include "nodes.h"

/* parse_class.c */
bool bw_parse_class_line(bw_parser *p, bw_record_body *c);
void bw_parse_static_member(bw_parser *p, const bw_specifiers *spec);
void bw_parse_member_value(bw_parser *p, bw_record_body *c);
void bw_finish_class(bw_parser *p, bw_record_body *c);
bw_expr *bw_default_of(bw_parser *p, const bw_type *type, uint32_t k);
bw_expr *bw_default_object(bw_parser *p, const bw_type *type, bw_span span);
bw_expr *bw_construct_object(bw_parser *p, const bw_type *type, bw_expr **args, size_t count,
                             bw_span span);
bw_expr *bw_parse_this(bw_parser *p);

void bw_declare_object(bw_parser *p, bw_function *f, const bw_type *object);
void bw_declare_instance_object(bw_parser *p, bw_function *made, const bw_function *of);
bw_expr *bw_own_object(bw_parser *p, bw_span span);
bw_expr *bw_bare_return(bw_parser *p, bw_span span);

/* parse_declare.c, parse_range.c */
const bw_type *bw_parse_decltype(bw_parser *p);
void bw_take_auto(bw_parser *p);
void bw_parse_reference(bw_parser *p, bw_declarator *d);
void bw_parse_alias(bw_parser *p);
void bw_parse_namespace(bw_parser *p);
void bw_parse_after_parameters(bw_parser *p, bw_function *f);
bw_stmt *bw_parse_range_for(bw_parser *p, size_t start);

/* parse_overload.c */
void bw_add_overload(bw_parser *p, bw_function *first, bw_function *f);
bw_function *bw_choose_overload(bw_parser *p, bw_function *first, const bw_call_args *c,
                                bool templates, bw_span span);
size_t bw_deduce(bw_parser *p, const bw_function *f, bw_expr **args, size_t count,
                 bw_template_value *values, bw_span span);
const bw_token *bw_parse_operator_name(bw_parser *p, const bw_token *name);
bw_expr *bw_parse_inner(bw_parser *p, bw_expr *object, const bw_token *name, size_t start);
bw_expr *bw_parse_object_call(bw_parser *p, bw_expr *object, size_t start);
bw_expr *bw_user_operator(bw_parser *p, const char *name, bw_expr *a, bw_expr *b, bw_span span);
bw_expr *bw_user_conversion(bw_parser *p, bw_expr *e, const bw_type *type);

/* specialise.c */
void bw_parse_specialisation(bw_parser *p);
void bw_parse_type_template(bw_parser *p, bw_template *header);
/* At "template" in a struct: its parameters; the function after them is the next token. */
bw_template *bw_parse_method_template(bw_parser *p);
const bw_type *bw_instantiate_type(bw_parser *p, bw_type_template *t, bw_template_value *values,
                                   bw_span span);

/* parse_lambda.c */
bw_expr *bw_parse_lambda(bw_parser *p);
void bw_parse_lambda_instance(bw_parser *p, bw_function *made);
bw_symbol *bw_captured(bw_parser *p, bw_symbol *s, const bw_token *name);

/* constant.c */
bw_expr *bw_fold_call(bw_parser *p, const bw_function *f, bw_expr *const *args, bw_span span);

/* parse_library.c */
bw_expr *bw_call_memcpy_async(bw_parser *p, bw_expr **args, uint32_t count, bw_span span);
bw_expr *bw_call_swap(bw_parser *p, bw_expr **args, bw_span span);
bw_expr *bw_parse_limits(bw_parser *p);

#endif
