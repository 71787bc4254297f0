/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * definitions: functions and their calls, templates, and the bodies of structs.
 *
 * For this room and for that of C++, which reads more of each.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_DEFINITIONS_H
#define BANKWISE_DEFINITIONS_H

#include "grammar.h"

/* ---- functions ---- */
/* From "(" to after what follows ")"; after the parameters that the function has. */
void bw_parse_parameters(bw_parser *p, bw_function *f);
void bw_parse_function_body(bw_parser *p, bw_function *f);
/* Puts `f` among the functions of one name that begin at *first, or completes the declaration that
 * it defines; returns the one to go on with. */
bw_function *bw_add_function(bw_parser *p, bw_function **first, bw_function *f);
/* Makes `f` known in the current scope. */
bw_function *bw_register_function(bw_parser *p, bw_function *f);

/* ---- calls ---- */
/* What a call gives: arguments, and the object before them. */
typedef struct bw_call_args {
    bw_expr *object; /* NULL where there is none */
    bw_expr **args;
    size_t count;
} bw_call_args;
/* After a function's name: template arguments, and the call. `object`: what a method works on. */
bw_expr *bw_parse_user_call(bw_parser *p, bw_function *first, bw_expr *object, size_t start);
bw_expr *bw_call(bw_parser *p, bw_function *first, bw_expr *object, bw_expr **args, size_t count,
                 bw_span span);
/* The call of `f`; of a template's instance, whose arguments are `values` as far as given. */
bw_expr *bw_call_instance(bw_parser *p, bw_function *f, const bw_call_args *c,
                          bw_template_value *values, bw_span span);

/* ---- templates ---- */
bool bw_at_record(const bw_parser *p); /* struct, class or union */
/* At "template": its parameters, in a scope of their own. */
bw_template *bw_parse_template_parameters(bw_parser *p);
/* <A, B, …> after a template's name, one value a parameter; false if there are none. */
bool bw_parse_template_arguments(bw_parser *p, const bw_template *template,
                                 bw_template_value *values);
/* Fills in defaults and declares the parameters in the current scope; false, with an error, where
 * one has no value. */
bool bw_bind_template(bw_parser *p, const bw_template *template, bw_template_value *values,
                      bw_span span);
/* Token index of the "(" before a function template's parameters. */
size_t bw_template_parameters_at(const bw_parser *p, const bw_template *template);
/* Two declarations of function templates have the same parameters, whatever they call them. */
bool bw_same_signature(const bw_parser *p, const bw_template *a, const bw_template *b);
bool bw_same_arguments(const bw_template *template, const bw_template_value *a,
                       const bw_template_value *b);
bw_template_value *bw_keep_arguments(bw_parser *p, const bw_template *template,
                                     const bw_template_value *values);
const char *bw_instance_name(bw_parser *p, const bw_template *template,
                             const bw_template_value *values);
bw_function *bw_new_instance(bw_parser *p, bw_function *f, const bw_template_value *values);

/* Where the parser was before it went to a template's text, in a scope of its own. */
typedef struct bw_whereabouts {
    size_t at, half_at;
    unsigned loops, switches;
    bool greater, labels;
    bw_scope *scope;
    bw_function *function;
    bw_stmt *pending;
} bw_whereabouts;
bw_whereabouts bw_go_to_template(bw_parser *p, const bw_template *template);
void bw_return_to(bw_parser *p, bw_whereabouts place);
/* Unwinds where a template makes its `count`-th instance without end in sight. */
void bw_check_growth(bw_parser *p, const bw_template *template, unsigned count);
/* Gives a template's constants the types that its parameters have: <bool B>, <unsigned N>. */
void bw_type_template_constants(bw_parser *p, const bw_template *template);
/* The instance for these arguments, made where there is none; NULL after an error. */
bw_function *bw_instantiate(bw_parser *p, bw_function *function, bw_template_value *values,
                            bw_span span);
/* After the ">" that closes the "<" at `ahead`; `ahead` itself if it opens no list. */
size_t bw_after_angles(const bw_parser *p, size_t ahead);
/* Takes ">", or one half of ">>". */
void bw_close_angle(bw_parser *p, const char *where);

/* ---- structs ---- */
/* The members of a struct that is being read; in the arena. */
typedef struct bw_members {
    bw_member *items;
    uint32_t count, capacity, size, align;
    bool is_union;
} bw_members;
typedef struct bw_class_text bw_class_text;
typedef struct bw_record_body {
    bw_type *type;
    bw_record *record;
    const char *base; /* the name without template arguments, which constructors have */
    bw_members list;
    bw_class_text *text; /* what is no member, or NULL; see parse_class.c */
} bw_record_body;
/* After "struct", "class" or "union"; of a template's instance where `instance` is given. */
const bw_type *bw_parse_record(bw_parser *p, bool is_union, bw_type_instance *instance,
                               bw_type_template *of);
/* Between a struct's braces: a function, an operator or a template of one. */
bool bw_at_method(const bw_parser *p);

#endif
