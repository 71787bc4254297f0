/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * hooks: the wall between the language and C++.
 *
 * The tree room reads functions, structs with members, and templates whose arguments are given. It
 * recognises where C++ goes further and asks here; it knows nothing of the answer. Two rooms above
 * it answer: cxx (classes, lambdas, overloads, deduction, specialisations, library types) and host
 * (what host code around a launch says). In a build without them, refuse.c answers: no.
 *
 * Each table is constant and one for the whole program. Hooks get the parser at the token that was
 * recognised and leave it after what they took; they report, or unwind, as the parser does.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_HOOKS_H
#define BANKWISE_HOOKS_H

#include "tree.h"

typedef struct bw_parser bw_parser;
typedef struct bw_specifiers bw_specifiers;
typedef struct bw_declarator bw_declarator;
typedef struct bw_record_body bw_record_body;
typedef struct bw_call_args bw_call_args;

/* Where NULL or false is said to mean "no", the tree goes on by itself. */
struct bw_cxx_hooks {
    /* ---- between the braces of a struct ---- */
    /* Takes what is no member, and returns true; it may wait until the struct is finished. */
    bool (*class_line)(bw_parser *p, bw_record_body *body);
    /* After the type of a static member. */
    void (*static_member)(bw_parser *p, const bw_specifiers *spec);
    /* "= 3" or "{3}" after the member that was added last. */
    void (*member_value)(bw_parser *p, bw_record_body *body);
    /* After "}": all members are known, and laid out. */
    void (*finish_class)(bw_parser *p, bw_record_body *body);

    /* ---- objects ---- */
    /* The value that the struct's text gives to member `k`; NULL: none. */
    bw_expr *(*default_of)(bw_parser *p, const bw_type *type, uint32_t k);
    /* What "T name;" starts with; NULL: nothing. */
    bw_expr *(*default_object)(bw_parser *p, const bw_type *type, bw_span span);
    /* T(a, b) by a constructor or a conversion; NULL: a value a member. */
    bw_expr *(*construct)(bw_parser *p, const bw_type *type, bw_expr **args, size_t count,
                          bw_span span);
    /* By a conversion function or a constructor; NULL: there is none. */
    bw_expr *(*convert)(bw_parser *p, bw_expr *e, const bw_type *type);
    /* After "operator", at its sign: the name of what is declared. */
    const bw_token *(*operator_name)(bw_parser *p, const bw_token *word);
    /* a.operator+(b) or operator+(a, b); b may be NULL. NULL: there is none. */
    bw_expr *(*apply_operator)(bw_parser *p, const char *name, bw_expr *a, bw_expr *b,
                               bw_span span);
    /* object.name, after the name, where it is a function or a constant; NULL: it is neither. */
    bw_expr *(*inner)(bw_parser *p, bw_expr *object, const bw_token *name, size_t start);
    /* At "(" after an object; NULL: it cannot be called. */
    bw_expr *(*call_object)(bw_parser *p, bw_expr *object, size_t start);
    bw_expr *(*self)(bw_parser *p); /* at "this" */
    /* What a struct's function is called for, where a member is named alone; NULL: this is none. */
    bw_expr *(*own_object)(bw_parser *p, bw_span span);
    /* What "return;" gives back: a constructor's object. NULL: nothing. */
    bw_expr *(*bare_return)(bw_parser *p, bw_span span);

    /* ---- types and declarations ---- */
    const bw_type *(*type_of)(bw_parser *p); /* at "decltype" */
    void (*automatic)(bw_parser *p);         /* at "auto", which the tree takes */
    /* At "&" or "&&" of a declarator. */
    void (*reference)(bw_parser *p, bw_declarator *declarator);
    void (*alias)(bw_parser *p);      /* after "using", at "NAME =": up to the semicolon */
    void (*name_space)(bw_parser *p); /* at "namespace": into its scope, after its brace */
    /* After "for (", where a range follows; in the loop's scope, which it ends. */
    bw_stmt *(*range_for)(bw_parser *p, size_t start);

    /* ---- lambdas ---- */
    bw_expr *(*lambda)(bw_parser *p); /* at "[" */
    /* What a name found as `s` means here: a lambda's copy, or `s`. */
    bw_symbol *(*captured)(bw_parser *p, bw_symbol *s, const bw_token *name);

    /* ---- functions and templates ---- */
    /* After ")" of the parameters: const, noexcept, "-> TYPE" … */
    void (*after_parameters)(bw_parser *p, bw_function *f);
    /* Before the parameters of `made`, an instance of template `of`: the object of a struct's. */
    void (*instance_object)(bw_parser *p, bw_function *made, const bw_function *of);
    /* `f` has the name of `first` and other parameters: makes it known too. */
    void (*overload)(bw_parser *p, bw_function *first, bw_function *f);
    /* Of several functions (of templates alone) the one that takes the arguments; NULL after an
     * error. */
    bw_function *(*choose)(bw_parser *p, bw_function *first, const bw_call_args *c, bool templates,
                           bw_span span);
    /* Template arguments that a call does not give, from its arguments. Returns how many parameters
     * the function has. */
    size_t (*deduce)(bw_parser *p, const bw_function *f, bw_expr **args, size_t count,
                     bw_template_value *values, bw_span span);
    /* The value of a constexpr function's call; NULL: it is computed when the kernel runs. */
    bw_expr *(*fold)(bw_parser *p, const bw_function *f, bw_expr *const *args, bw_span span);
    void (*specialise)(bw_parser *p);                         /* after "template <>" */
    void (*type_template)(bw_parser *p, bw_template *header); /* at "struct" or "using" after it */
    /* NAME<values>; NULL after an error. */
    const bw_type *(*type_instance)(bw_parser *p, bw_type_template *t, bw_template_value *values,
                                    bw_span span);
    void (*lambda_instance)(bw_parser *p, bw_function *made); /* its arguments are known */

    /* ---- library ---- */
    bw_expr *(*memcpy_async)(bw_parser *p, bw_expr **args, uint32_t count, bw_span span);
    bw_expr *(*swap)(bw_parser *p, bw_expr **args, bw_span span);
    bw_expr *(*limits)(bw_parser *p); /* at "numeric_limits" */
};

struct bw_host_hooks {
    void (*function)(bw_parser *p);                                /* at its first word */
    void (*function_template)(bw_parser *p, const bw_template *t); /* after "template <…>" */
    void (*finish)(bw_parser *p); /* after the file: functions are read, as their calls need */
    void (*dim3)(bw_parser *p);   /* at "dim3 NAME" */
    bw_expr *(*dim3_member)(bw_parser *p, const bw_symbol *s, const bw_token *name); /* at "." */
    /* A grid or a block that names a dim3, or depends on what is not known (reported); false: its
     * numbers stand here. */
    bool (*shape)(bw_parser *p, uint32_t dims[3], bool grid);
    /* Bytes of dynamic shared memory that depend on what is not known: reported, and taken. */
    bool (*unknown_bytes)(bw_parser *p);
    /* A name of a launch that is declared nowhere was reported as `d`. */
    void (*unknown_value)(bw_parser *p, bw_diagnostic *d);
    /* Whether the value of tokens [from, to) is not known here. */
    bool (*is_unknown)(const bw_parser *p, size_t from, size_t to);
    /* At "(": template arguments that a launch does not give, from its arguments. */
    void (*deduce)(bw_parser *p, const bw_function *kernel, bw_template_value *values,
                   bw_span span);
};

extern const bw_cxx_hooks bw_cxx_room;
extern const bw_host_hooks bw_host_room;

#endif
