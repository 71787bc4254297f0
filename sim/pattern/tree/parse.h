/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * parse: tokens to a typed tree.
 *
 * Recursive descent over the whole token list; types are computed while parsing, constants folded
 * at once. An error of grammar unwinds to the statement it stands in and parsing goes on behind
 * it; an error of meaning is reported and the expression gets the error type, which silences what
 * would follow from it. Templates are parsed again for each set of arguments.
 *
 * Internal to sim/pattern. All memory is the pattern's arena.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_PARSE_H
#define BANKWISE_PARSE_H

#include <setjmp.h>

#include "lex.h"
#include "tree.h"

/* A lambda's captures: its scope copies what it names by value. */
typedef struct bw_capture {
    bool all_by_copy, all_by_reference, closed;
    const bw_token *copied[16], *referred[16];
    unsigned copied_count, referred_count;
    bw_stmt *copies, **end; /* declarations that make the copies */
} bw_capture;

struct bw_scope {
    bw_scope *parent;
    bw_symbol *symbols;
    bw_capture *capture; /* of a lambda's parameters */
};

typedef struct bw_parser {
    const bw_cxx_hooks *cxx;
    const bw_host_hooks *host;
    bw_arena *arena;
    const bw_source *source;
    const bw_tree_input *input;
    bw_tree *tree; /* what is read goes here, as it does from copies of a parser that look ahead */
    bw_diags *diags;
    const bw_token *tokens;
    size_t at, count;
    bw_scope *globals, *scope;
    bw_function *function; /* being parsed, or NULL */
    jmp_buf *recover;
    bool kernel_form; /* the file has a kernel or a launch */
    unsigned depth;   /* of nested expressions and statements */
    unsigned loops, switches;
    const bw_template_value *autos; /* what "auto" stands for in the parameters that are parsed */
    bool labels;                    /* directly in the body of a switch */
    bool no_greater;                /* inside <…>: ">" ends the expression */
    size_t half_at;                 /* 1 + the token ">>" whose first half closed a list; 0: none */
    bw_stmt *pending;               /* what runs before the statement that is being parsed */
    bw_stmt **script_end;
} bw_parser;

/* Nesting beyond this is an error: it would exhaust the stack. */
#define BW_MAX_DEPTH 200
/* Operators and brackets in a row: more would make the tree as deep. */
#define BW_MAX_CHAIN 1000
#define BW_MAX_TEMPLATE_PARAMETERS 16
#define BW_MAX_FUNCTION_PARAMETERS 64

/* ---- parse.c: tokens, scopes, errors ---- */
const bw_token *bw_peek(const bw_parser *p, size_t ahead);
bool bw_at(const bw_parser *p, bw_token_kind kind);
/* Whether the token is one of words[count]; BW_IS_IN: of an array. */
bool bw_is_in(const bw_token *token, const bw_token_kind *words, size_t count);
#define BW_IS_IN(token, words) bw_is_in(token, words, sizeof(words) / sizeof *(words))
bool bw_accept(bw_parser *p, bw_token_kind kind);
void bw_expect_token(bw_parser *p, bw_token_kind kind, const char *where);
const bw_token *bw_take(bw_parser *p);
bw_span bw_span_from(const bw_parser *p, size_t first_token); /* to the last token taken */
const char *bw_name_of(bw_parser *p, const bw_token *token);
/* Reports at the next token and unwinds. */
_Noreturn void bw_syntax_error(bw_parser *p, bw_message_id id, const char *note, const char *format,
                               ...) __attribute__((format(printf, 4, 5)));
_Noreturn void bw_unwind(bw_parser *p);
void bw_enter(bw_parser *p); /* one level deeper; unwinds with an error if too deep */
void bw_leave(bw_parser *p);
void bw_check_chain(bw_parser *p, unsigned *links); /* one more link; unwinds if too many */
bw_symbol *bw_lookup(const bw_parser *p, const char *name, size_t len);
bw_symbol *bw_lookup_in(const bw_scope *scope, const char *name, size_t len);
bw_symbol *bw_declare(bw_parser *p, const char *name, bw_symbol_kind kind, const bw_type *type,
                      bw_span span);
void bw_push_scope(bw_parser *p);
void bw_pop_scope(bw_parser *p);
/* Behind an error in the statement that began at token `start`: to its end. */
void bw_skip_statement(bw_parser *p, size_t start);
/* One statement, unread: if with its else, a block, or up to the semicolon. */
void bw_skip_substatement(bw_parser *p);
/* Takes what stands in parentheses or braces, from the opening one on. */
void bw_skip_bracketed(bw_parser *p);
/* The token behind the bracket, of any kind, that closes the one at token `at`; takes nothing. */
size_t bw_behind_brackets(const bw_parser *p, size_t at);

/* ---- parse_type.c ---- */
typedef struct bw_specifiers {
    const bw_type *type;
    bool is_const, is_constexpr, is_shared, is_extern, is_static, is_kernel, is_device, is_typedef,
        is_constant_memory, is_host, is_volatile;
    uint32_t align;
    bw_span span;
} bw_specifiers;
bool bw_at_type(const bw_parser *p);
bool bw_at_declaration(const bw_parser *p);
bw_specifiers bw_parse_specifiers(bw_parser *p);
/* A declarator around `base`; *name gets its token or NULL. */
typedef struct bw_declarator {
    const bw_type *type;
    const bw_token *name;
    bool is_reference, is_rvalue;
} bw_declarator;
bw_declarator bw_parse_declarator(bw_parser *p, const bw_type *base);
const bw_type *bw_parse_type_name(bw_parser *p); /* in casts, sizeof and template arguments */
void bw_skip_attributes(bw_parser *p, bw_specifiers *into);
/* Takes "std::", "Tile<64>::" …; returns the struct's scope in which the name behind them is looked
 * up, or NULL where it is looked up as if it stood alone (namespaces are not kept apart). */
const bw_scope *bw_take_qualifiers(bw_parser *p);

/* ---- parse_expr.c ---- */
bw_expr *bw_parse_expression(bw_parser *p);
bw_expr *bw_parse_assignment(bw_parser *p);
bw_expr *bw_parse_conditional(bw_parser *p);
/* An integer constant expression; reports and returns `fallback` where it is none. */
int64_t bw_parse_integer(bw_parser *p, const char *what, int64_t fallback);
/* One between "<" and ">": ">" ends it. */
int64_t bw_parse_angled_integer(bw_parser *p, const char *what, int64_t fallback);

/* ---- parse_init.c ---- */
/* { … } or an expression for a variable of `type` (which may be an array of unknown count: *type is
 * then completed). */
bw_expr *bw_parse_initializer(bw_parser *p, const bw_type **type);
/* {}: the values that a struct's text gives to its members, and zeros. */
bw_expr *bw_empty_list(bw_parser *p, const bw_type *type, bw_span span);

/* ---- expr.c: nodes, typed and folded ---- */
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
void bw_mark_address_taken(bw_expr *lvalue);

/* ---- parse_call.c ---- */
/* A call of the built-in `name` whose "(" is the next token; numbers in angle brackets are next
 * where the name takes them. */
bw_expr *bw_parse_call(bw_parser *p, const bw_token *name);
bool bw_is_builtin(const bw_token *name);
/* Unwinds where the next token begins what is not in the language: goto, new, wmma … */
void bw_refuse_keyword(bw_parser *p);
bw_expr *bw_parse_method(bw_parser *p, bw_expr *handle, const bw_token *name, bw_span span);
/* A group's thread_rank() and size(). */
bw_expr *bw_group_rank(bw_parser *p, const bw_type *group, bw_span span);
bw_expr *bw_group_size(bw_parser *p, const bw_type *group, bw_span span);
bw_expr *bw_parse_coalesced(bw_parser *p, bw_expr *group, const bw_token *name, bw_span span);
bw_expr *bw_new_intrinsic(bw_parser *p, bw_intrinsic what, int number, const bw_type *type,
                          bw_span span, uint32_t arg_count, bw_expr **args);
size_t bw_parse_arguments(bw_parser *p, bw_expr ***args);
size_t bw_parse_list(bw_parser *p, bw_expr ***args, bw_token_kind open, bw_token_kind close);
/* The laws inside `assume` comments use the same table. */

/* ---- parse_asm.c ---- */
bw_stmt *bw_parse_asm(bw_parser *p);

/* ---- parse_stmt.c ---- */
bw_stmt *bw_parse_statement(bw_parser *p);
bw_stmt *bw_parse_block(bw_parser *p); /* at "{" */
bw_stmt *bw_new_stmt(bw_parser *p, bw_stmt_kind kind, bw_span span);
void bw_note_statement(bw_parser *p, size_t start);
bw_stmt *bw_new_expr_stmt(bw_parser *p, bw_expr *e);
/* What p->pending holds, and `s` behind it. */
bw_stmt *bw_behind_pending(bw_parser *p, bw_stmt *s);
/* Parses until the construct ends, or reports, skips behind it and returns NULL. */
bw_stmt *bw_parse_declaration_statement(bw_parser *p);
/* Whether -D gives `name` a value (which it then has used). */
bool bw_is_defined(bw_parser *p, const char *name);
/* The value of a parameter: that of -D, or `value`, whose type it has. Reports show it. */
bw_expr *bw_parameter_value(bw_parser *p, const char *name, bw_expr *value);

/* ---- parse_function.c ---- */
/* Behind the declarator's name, at "(": a function's parameters, and its body if there is one. */
void bw_parse_function(bw_parser *p, const bw_specifiers *spec, const bw_declarator *declarator,
                       bw_template *template);
bw_function *bw_new_function(bw_parser *p, const char *name, bw_span span);
/* From "(" to behind what follows ")"; `object`: the struct that a method belongs to. */
void bw_parse_parameters(bw_parser *p, bw_function *f, const bw_type *object);
void bw_parse_function_body(bw_parser *p, bw_function *f);
void bw_skip_braces(bw_parser *p);
bw_function *bw_add_function(bw_parser *p, bw_function **first, bw_function *f);
bw_function *bw_register_function(bw_parser *p, bw_function *f);

/* ---- parse_launch.c ---- */
bool bw_at_launch(const bw_parser *p); /* NAME or NAME<…> followed by <<< */
void bw_parse_launch(bw_parser *p);
/* "(x, y, z)", "{x, y, z}" or, without brackets, one number; what is not given stays. */
void bw_parse_extents(bw_parser *p, uint32_t dims[3], bool bracketed);
bool bw_at_host_function(const bw_parser *p);
bool bw_at_host_dim3(const bw_parser *p);
/* The token at depth 0 that ends the value at token `at`: a comma, semicolon, bracket or ">>>". */
size_t bw_host_value_end(const bw_parser *p, size_t at);

/* ---- parse_assume.c ---- */
void bw_parse_assume(bw_parser *p, const bw_comment *comment);

/* ---- parse_template.c ---- */
void bw_parse_template(bw_parser *p);
bool bw_at_record(const bw_parser *p); /* struct, class or union */
/* At "template": its parameters, in a scope of their own. */
bw_template *bw_parse_template_parameters(bw_parser *p);
/* <A, B, …> behind a template's name, one value a parameter; false if there are none. */
bool bw_parse_template_arguments(bw_parser *p, const bw_template *template,
                                 bw_template_value *values);
/* Fills in defaults and declares the parameters in the current scope; false, with an error, where
 * one has no value. */
bool bw_bind_template(bw_parser *p, const bw_template *template, bw_template_value *values,
                      bw_span span);
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
/* Behind the ">" that closes the "<" at `ahead`; `ahead` itself if it opens no list. */
size_t bw_behind_angles(const bw_parser *p, size_t ahead);
/* Takes ">", or one half of ">>". */
void bw_close_angle(bw_parser *p, const char *where);

/* ---- parse_record.c ---- */
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
/* Behind "struct", "class" or "union"; of a template's instance where `instance` is given. */
const bw_type *bw_parse_record(bw_parser *p, bool is_union, bw_type_instance *instance,
                               bw_type_template *of);
/* Between a struct's braces: a function, an operator or a template of one. */
bool bw_at_method(const bw_parser *p);
bw_expr *bw_construct(bw_parser *p, const bw_type *type, bw_expr **args, size_t count,
                      bw_span span);
bw_expr *bw_parse_construction_of(bw_parser *p, const bw_type *type, size_t start);

/* ---- parse_user_call.c ---- */
/* What a call gives: arguments, and the object before them. */
typedef struct bw_call_args {
    bw_expr *object; /* NULL where there is none */
    bw_expr **args;
    size_t count;
} bw_call_args;
/* Behind a function's name: template arguments, and the call. `object`: what a method works on. */
bw_expr *bw_parse_user_call(bw_parser *p, bw_function *first, bw_expr *object, size_t start);
bw_expr *bw_call(bw_parser *p, bw_function *first, bw_expr *object, bw_expr **args, size_t count,
                 bw_span span);
/* The call of `f`; of a template's instance, whose arguments are `values` as far as given. */
bw_expr *bw_call_instance(bw_parser *p, bw_function *f, const bw_call_args *c,
                          bw_template_value *values, bw_span span);

#endif
