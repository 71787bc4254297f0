/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a build without the rooms cxx and host answers in their place: C++ beyond the language is
 * refused where it stands, with what to write instead and the way that takes all of C++.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "definitions.h"
#include "hooks.h"
#include "nodes.h"

/* What is refused, and the nearest thing that works. */
typedef struct refusal {
    const char *what, *cure;
} refusal;

static const refusal access_label = {"an access label", "write a struct without it"};
static const refusal method = {"a function in a struct",
                               "write a __device__ function that takes the struct"};
static const refusal inner_type = {"a declaration in a struct", "put it before the struct"};
static const refusal static_member = {"a static member", "put the constant before the struct"};
static const refusal member_value = {"a value that a member starts with",
                                     "give it where the object is declared"};
static const refusal own_operator = {"an operator of the file's own",
                                     "write a __device__ function"};
static const refusal self = {"'this'", "name the object"};
static const refusal type_of = {"decltype", "write the type"};
static const refusal automatic = {"auto", "write the type"};
static const refusal reference = {"a reference", "write a pointer"};
static const refusal alias = {"an alias by using", "write typedef TYPE NAME"};
static const refusal name_space = {"a namespace", "put what it holds at top level"};
static const refusal range = {"a loop over a range", "write for (int i = 0; i < n; i++)"};
static const refusal after_parameters = {"what stands after a function's parameters",
                                         "leave it out"};
static const refusal lambda = {"a lambda", "write a __device__ function"};
static const refusal overload = {"a second function of this name",
                                 "give each function its own name"};
static const refusal deduction = {"a template argument that is left out",
                                  "write all of them: name<…>(…)"};
static const refusal specialisation = {"a specialisation of a template",
                                       "write a function with a name of its own"};
static const refusal type_template = {"a template of a type", "write the type for the case in use"};
static const refusal copy = {
    "memcpy_async of a group",
    "write the copy of each thread: __pipeline_memcpy_async(shared, global, 16)"};
static const refusal swap = {"swap", "write its three assignments"};
static const refusal limits = {"numeric_limits", "write the number, INT_MAX or FLT_MAX"};
static const refusal host_code = {"host code",
                                  "write its launches at top level: name<<<grid, block>>>(…)"};
static const refusal shape = {"a variable of host code", "write its numbers in the launch"};

/* After a cure: what takes all of C++. */
#define THE_WAY "compile the kernel and give bankwise the machine code"

static void report(bw_parser *p, const refusal *r, bw_span span)
{
    bw_note(p->diags,
            bw_diagnose(p->diags, BW_MSG_CXX_NOT_IN_LANGUAGE, p->source, span,
                        "%s is not in the language", r->what),
            "%s, or " THE_WAY, r->cure);
}

static _Noreturn void refuse_at(bw_parser *p, const refusal *r, bw_span span)
{
    report(p, r, span);
    bw_unwind(p);
}

static _Noreturn void refuse(bw_parser *p, const refusal *r)
{
    refuse_at(p, r, bw_peek(p, 0)->span);
}

/* ---- structs
 * ------------------------------------------------------------------------------------- */

static bool class_line(bw_parser *p, bw_record_body *body)
{
    static const bw_token_kind access[] = {BW_TOK_PUBLIC, BW_TOK_PRIVATE, BW_TOK_PROTECTED};
    static const bw_token_kind functions[] = {BW_TOK_FRIEND, BW_TOK_VIRTUAL};
    static const bw_token_kind declarations[] = {BW_TOK_USING, BW_TOK_TYPEDEF,
                                                 BW_TOK_STATIC_ASSERT};
    (void)body;
    const bw_token *first = bw_peek(p, 0);
    if (BW_IS_IN(first, access))
        refuse(p, &access_label);
    if (BW_IS_IN(first, declarations))
        refuse(p, &inner_type);
    if (BW_IS_IN(first, functions) || bw_at_method(p))
        refuse(p, &method);
    return false;
}

static void refuse_static_member(bw_parser *p, const bw_specifiers *spec)
{
    refuse_at(p, &static_member, spec->span);
}

static void refuse_member_value(bw_parser *p, bw_record_body *body)
{
    (void)body;
    refuse(p, &member_value);
}

static void finish_class(bw_parser *p, bw_record_body *body)
{
    (void)p;
    (void)body;
}

/* ---- objects: plain ones have none of this
 * -------------------------------------------------------- */

static bw_expr *no_default(bw_parser *p, const bw_type *type, uint32_t k)
{
    (void)p;
    (void)type;
    (void)k;
    return NULL;
}

static bw_expr *no_object(bw_parser *p, const bw_type *type, bw_span span)
{
    (void)p;
    (void)type;
    (void)span;
    return NULL;
}

static bw_expr *no_constructor(bw_parser *p, const bw_type *type, bw_expr **args, size_t count,
                               bw_span span)
{
    (void)args;
    (void)count;
    return no_object(p, type, span);
}

static bw_expr *no_conversion(bw_parser *p, bw_expr *e, const bw_type *type)
{
    return no_object(p, type, e->span);
}

static const bw_token *refuse_operator(bw_parser *p, const bw_token *word)
{
    refuse_at(p, &own_operator, word->span);
}

static bw_expr *no_operator(bw_parser *p, const char *name, bw_expr *a, bw_expr *b, bw_span span)
{
    (void)name;
    (void)b;
    return no_object(p, a->type, span);
}

static bw_expr *no_inner(bw_parser *p, bw_expr *object, const bw_token *name, size_t start)
{
    (void)start;
    return no_object(p, object->type, name->span);
}

static bw_expr *no_call(bw_parser *p, bw_expr *object, size_t start)
{
    (void)start;
    return no_object(p, object->type, object->span);
}

static bw_expr *refuse_self(bw_parser *p)
{
    refuse(p, &self);
}

static bw_expr *no_own_object(bw_parser *p, bw_span span)
{
    (void)p;
    (void)span;
    return NULL;
}

/* ---- types and declarations
 * ----------------------------------------------------------------------- */

static const bw_type *refuse_type_of(bw_parser *p)
{
    refuse(p, &type_of);
}

static void refuse_automatic(bw_parser *p)
{
    refuse(p, &automatic);
}

static void refuse_reference(bw_parser *p, bw_declarator *declarator)
{
    (void)declarator;
    refuse(p, &reference);
}

static void refuse_alias(bw_parser *p)
{
    refuse(p, &alias);
}

static void refuse_namespace(bw_parser *p)
{
    refuse(p, &name_space);
}

static bw_stmt *refuse_range(bw_parser *p, size_t start)
{
    (void)start;
    refuse(p, &range);
}

static void refuse_after_parameters(bw_parser *p, bw_function *f)
{
    static const bw_token_kind words[] = {BW_TOK_CONST, BW_TOK_NOEXCEPT, BW_TOK_OVERRIDE,
                                          BW_TOK_FINAL, BW_TOK_MUTABLE,  BW_TOK_ARROW};
    (void)f;
    if (BW_IS_IN(bw_peek(p, 0), words))
        refuse(p, &after_parameters);
}

static void no_instance_object(bw_parser *p, bw_function *made, const bw_function *of)
{
    (void)p;
    (void)made;
    (void)of;
}

/* ---- lambdas, functions and templates
 * ------------------------------------------------------------- */

static bw_expr *refuse_lambda(bw_parser *p)
{
    refuse(p, &lambda);
}

static bw_symbol *same_symbol(bw_parser *p, bw_symbol *s, const bw_token *name)
{
    (void)p;
    (void)name;
    return s;
}

static void refuse_overload(bw_parser *p, bw_function *first, bw_function *f)
{
    (void)first;
    refuse_at(p, &overload, f->span);
}

/* One function a name: there is nothing to choose from. */
static bw_function *choose(bw_parser *p, bw_function *first, const bw_call_args *c, bool templates,
                           bw_span span)
{
    (void)p;
    (void)c;
    (void)templates;
    (void)span;
    return first;
}

static void refuse_deduction(bw_parser *p, const bw_function *f, bw_template_value *values,
                             bw_span span)
{
    for (uint32_t i = 0; i < f->template->count; i++)
        if (!values[i].type && !values[i].value && !f->template->parameters[i].default_at)
            refuse_at(p, &deduction, span);
}

static size_t deduce(bw_parser *p, const bw_function *f, bw_expr **args, size_t count,
                     bw_template_value *values, bw_span span)
{
    (void)args;
    refuse_deduction(p, f, values, span);
    return count;
}

static bw_expr *no_fold(bw_parser *p, const bw_function *f, bw_expr *const *args, bw_span span)
{
    (void)args;
    return no_object(p, f->result, span);
}

static void refuse_specialisation(bw_parser *p)
{
    refuse(p, &specialisation);
}

static void refuse_type_template(bw_parser *p, bw_template *header)
{
    (void)header;
    refuse(p, &type_template);
}

static const bw_type *refuse_type_instance(bw_parser *p, bw_type_template *t,
                                           bw_template_value *values, bw_span span)
{
    (void)t;
    (void)values;
    refuse_at(p, &type_template, span);
}

static void refuse_lambda_instance(bw_parser *p, bw_function *made)
{
    refuse_at(p, &lambda, made->span);
}

/* ---- library
 * ------------------------------------------------------------------------------------- */

static bw_expr *refuse_copy(bw_parser *p, bw_expr **args, uint32_t count, bw_span span)
{
    (void)args;
    (void)count;
    report(p, &copy, span);
    return bw_new_error(p, span);
}

static bw_expr *refuse_swap(bw_parser *p, bw_expr **args, bw_span span)
{
    (void)args;
    report(p, &swap, span);
    return bw_new_error(p, span);
}

static bw_expr *refuse_limits(bw_parser *p)
{
    refuse(p, &limits);
}

const bw_cxx_hooks bw_cxx_room = {
    .class_line = class_line,
    .static_member = refuse_static_member,
    .member_value = refuse_member_value,
    .finish_class = finish_class,
    .default_of = no_default,
    .default_object = no_object,
    .construct = no_constructor,
    .convert = no_conversion,
    .operator_name = refuse_operator,
    .apply_operator = no_operator,
    .inner = no_inner,
    .call_object = no_call,
    .self = refuse_self,
    .own_object = no_own_object,
    .bare_return = no_own_object,
    .type_of = refuse_type_of,
    .automatic = refuse_automatic,
    .reference = refuse_reference,
    .alias = refuse_alias,
    .name_space = refuse_namespace,
    .range_for = refuse_range,
    .lambda = refuse_lambda,
    .captured = same_symbol,
    .after_parameters = refuse_after_parameters,
    .instance_object = no_instance_object,
    .overload = refuse_overload,
    .choose = choose,
    .deduce = deduce,
    .fold = no_fold,
    .specialise = refuse_specialisation,
    .type_template = refuse_type_template,
    .type_instance = refuse_type_instance,
    .lambda_instance = refuse_lambda_instance,
    .memcpy_async = refuse_copy,
    .swap = refuse_swap,
    .limits = refuse_limits,
};

/* ---- host code
 * ----------------------------------------------------------------------------------- */

static void refuse_function(bw_parser *p)
{
    refuse(p, &host_code);
}

static void refuse_function_template(bw_parser *p, const bw_template *template)
{
    (void)template;
    refuse_function(p);
}

static void no_functions(bw_parser *p)
{
    (void)p;
}

static void refuse_variable(bw_parser *p)
{
    refuse(p, &shape);
}

static bw_expr *refuse_dim3_member(bw_parser *p, const bw_symbol *s, const bw_token *name)
{
    (void)s;
    refuse_at(p, &shape, name->span);
}

static bool literal_shape(bw_parser *p, uint32_t dims[3], bool grid)
{
    (void)p;
    (void)dims;
    (void)grid;
    return false;
}

static bool literal_bytes(bw_parser *p)
{
    (void)p;
    return false;
}

/* Host code may declare it. */
static void unknown_value(bw_parser *p, bw_diagnostic *d)
{
    if (d->note)
        bw_note(p->diags, d, "%s or " THE_WAY, d->note);
}

static bool is_unknown(const bw_parser *p, size_t from, size_t to)
{
    (void)p;
    (void)from;
    (void)to;
    return false;
}

const bw_host_hooks bw_host_room = {
    .function = refuse_function,
    .function_template = refuse_function_template,
    .finish = no_functions,
    .dim3 = refuse_variable,
    .dim3_member = refuse_dim3_member,
    .shape = literal_shape,
    .unknown_bytes = literal_bytes,
    .unknown_value = unknown_value,
    .is_unknown = is_unknown,
    .deduce = refuse_deduction,
};
