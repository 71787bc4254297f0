/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <stdlib.h>
#include <string.h>

#include "parse.h"

/* ---- parameters and bodies
 * ----------------------------------------------------------------------- */

static void parse_parameter(bw_parser *p, bw_function *f)
{
    if (f->param_count == BW_MAX_FUNCTION_PARAMETERS)
        bw_syntax_error(p, BW_MSG_TOO_MANY, "put them into a struct", "more than %d parameters",
                        BW_MAX_FUNCTION_PARAMETERS);
    bw_specifiers spec = bw_parse_specifiers(p);
    bw_declarator d = bw_parse_declarator(p, spec.type);
    const bw_type *type = d.type;
    if (p->autos && bw_type_based_on_auto(type))
        type = bw_type_replace_auto(p->arena, type, p->autos++->type);
    if (type->kind == BW_TY_ARRAY && !d.is_reference)
        type = bw_type_pointer(p->arena, type->elem);
    bw_span span = d.name ? d.name->span : spec.span;
    const char *name = d.name ? bw_name_of(p, d.name) : "";
    bw_symbol *s = bw_declare(p, *name ? name : bw_arena_format(p->arena, "#%u", f->param_count),
                              BW_SY_VARIABLE, type, span);
    s->storage = type->kind == BW_TY_STRUCT && !d.is_reference ? BW_ST_LOCAL : BW_ST_REGISTER;
    s->is_reference = d.is_reference;
    s->is_rvalue = d.is_rvalue;
    s->is_const = spec.is_const && d.is_reference;
    s->is_volatile = spec.is_volatile;
    f->params[f->param_count] = s;
    if (bw_accept(p, BW_TOK_ASSIGN))
        f->defaults[f->param_count] = bw_convert(p, bw_parse_assignment(p), type);
    f->param_count++;
}

void bw_parse_parameters(bw_parser *p, bw_function *f)
{
    bw_symbol **before = f->params;
    f->params = bw_arena_alloc(p->arena, BW_MAX_FUNCTION_PARAMETERS * sizeof *f->params);
    f->defaults = bw_arena_alloc(p->arena, BW_MAX_FUNCTION_PARAMETERS * sizeof *f->defaults);
    for (uint32_t i = 0; i < f->param_count; i++)
        f->params[i] = before[i];
    bw_expect_token(p, BW_TOK_LPAREN, "before the parameters");
    if (bw_at(p, BW_TOK_VOID) && bw_token_is(bw_peek(p, 1), BW_TOK_RPAREN))
        bw_take(p);
    while (!bw_at(p, BW_TOK_RPAREN)) {
        parse_parameter(p, f);
        if (!bw_accept(p, BW_TOK_COMMA))
            break;
    }
    bw_expect_token(p, BW_TOK_RPAREN, "after the parameters");
    bw_skip_attributes(p, NULL);
    p->cxx->after_parameters(p, f);
}

void bw_parse_function_body(bw_parser *p, bw_function *f)
{
    bw_function *outer = p->function;
    size_t errors = p->diags->errors;
    p->function = f;
    f->body = bw_parse_block(p);
    f->parsed = true;
    if (f->result->kind == BW_TY_AUTO) /* no return, or one that was not understood */
        f->result = p->diags->errors > errors ? &bw_ty_error : &bw_ty_void;
    p->function = outer;
}

void bw_skip_braces(bw_parser *p)
{
    int depth = 0;
    do {
        if (bw_peek(p, 0)->kind == BW_TOK_END)
            bw_syntax_error(p, BW_MSG_UNCLOSED, "add '}'", "this function does not end");
        depth += bw_at(p, BW_TOK_LBRACE) - bw_at(p, BW_TOK_RBRACE);
        bw_take(p);
    } while (depth > 0);
}

bw_function *bw_new_function(bw_parser *p, const char *name, bw_span span)
{
    bw_function *f = bw_arena_alloc(p->arena, sizeof *f);
    f->name = f->full_name = name;
    f->span = span;
    return f;
}

static void defined_twice(bw_parser *p, const bw_function *f, const bw_function *old)
{
    bw_diagnostic *d = bw_diagnose(p->diags, BW_MSG_DECLARED_TWICE, p->source, f->span,
                                   "'%s' is defined twice", f->name);
    bw_also(p->diags, d, p->source, old->span, "the first definition is here");
    bw_note(p->diags, d, "remove one, or give them different names or parameters");
}

static bool has_body(const bw_function *f)
{
    return bw_is_template(f) ? f->template->body_at != 0 : f->parsed;
}

/* Where a function's body may stand. */
static bool is_prototype(const bw_parser *p, const bw_function *f)
{
    return bw_is_template(f) ? !has_body(f) : bw_at(p, BW_TOK_SEMICOLON);
}

static bool has_same_parameters(const bw_function *a, const bw_function *b)
{
    bool same = a->param_count == b->param_count;
    for (uint32_t i = 0; same && i < a->param_count; i++)
        same = bw_type_same(a->params[i]->type, b->params[i]->type);
    return same;
}

/* The function of `f`'s name and parameters that was declared before, or NULL. Of templates, bodies
 * may differ in what only their arguments tell apart, so two that have one are two. */
static bw_function *find_declared(const bw_parser *p, bw_function *first, const bw_function *f)
{
    for (bw_function *o = first; o; o = o->next_overload) {
        if (bw_is_template(o) != bw_is_template(f) || o->is_const_method != f->is_const_method)
            continue;
        if (bw_is_template(f)
                ? !(has_body(o) && has_body(f)) && bw_same_signature(p, o->template, f->template)
                : has_same_parameters(o, f))
            return o;
    }
    return NULL;
}

/* Arguments that the one declaration gives, and the other does not. */
static void take_defaults(bw_function *into, const bw_function *from)
{
    if (bw_is_template(into)) {
        for (uint32_t i = 0; i < into->template->count; i++)
            if (!into->template->parameters[i].default_at)
                into->template->parameters[i].default_at = from->template->parameters[i].default_at;
        return;
    }
    for (uint32_t i = 0; i < into->param_count; i++)
        into->defaults[i] = into->defaults[i] ? into->defaults[i] : from->defaults[i];
}

/* Puts `f` among the functions of one name that begin at *first, or completes the declaration that
 * it defines; returns the one to go on with. */
bw_function *bw_add_function(bw_parser *p, bw_function **first, bw_function *f)
{
    bw_function *old = find_declared(p, *first, f);
    if (old && has_body(old)) {
        if (!is_prototype(p, f)) {
            defined_twice(p, f, old);
            return f; /* checked, and known to nobody */
        }
        take_defaults(old, f);
        return old;
    }
    if (old) {
        take_defaults(f, old);
        f->next = old->next;
        f->next_overload = old->next_overload;
        *old = *f;
        return old;
    }
    f->next = p->tree->functions;
    p->tree->functions = f;
    if (*first)
        p->cxx->overload(p, *first, f);
    else
        *first = f;
    return f;
}

/* Makes `f` known in the current scope. */
bw_function *bw_register_function(bw_parser *p, bw_function *f)
{
    bw_symbol *s = bw_lookup_in(p->scope, f->name, strlen(f->name));
    bw_function *first = s && s->kind == BW_SY_FUNCTION ? s->function : NULL;
    bool known = first != NULL;
    f = bw_add_function(p, &first, f);
    if (!known)
        bw_declare(p, f->name, BW_SY_FUNCTION, &bw_ty_void, f->span)->function = first;
    return f;
}

/* A template is parsed when its arguments are known. */
static void skip_template(bw_parser *p, bw_function *f)
{
    while (!bw_at(p, BW_TOK_LBRACE) && !bw_at(p, BW_TOK_SEMICOLON) &&
           bw_peek(p, 0)->kind != BW_TOK_END)
        bw_take(p);
    f->template->body_at = bw_at(p, BW_TOK_LBRACE) ? p->at : 0;
    bw_register_function(p, f);
    if (!bw_accept(p, BW_TOK_SEMICOLON))
        bw_skip_braces(p);
}

void bw_parse_function(bw_parser *p, const bw_specifiers *spec, const bw_declarator *declarator,
                       bw_template *template)
{
    const bw_token *name = declarator->name;
    const bw_type *result = declarator->type;
    bool returns_reference = declarator->is_reference && !template;
    bw_function *f = bw_new_function(p, bw_name_of(p, name), name->span);
    f->is_kernel = spec->is_kernel;
    f->is_constexpr = spec->is_constexpr;
    f->returns_reference = returns_reference;
    f->result = returns_reference ? bw_type_pointer(p->arena, result) : result;
    f->template = template;
    if (template) {
        template->name = f->name;
        template->kind = f->is_kernel ? BW_TP_KERNEL : BW_TP_FUNCTION;
        skip_template(p, f);
        return;
    }
    if (f->is_kernel && result->kind != BW_TY_VOID)
        bw_note(p->diags,
                bw_diagnose(p->diags, BW_MSG_RETURN_TYPE, p->source, name->span,
                            "a kernel returns void"),
                "write __global__ void");
    bw_scope *outer = p->scope;
    bw_push_scope(p);
    bw_scope *inner = p->scope;
    bw_parse_parameters(p, f);
    p->scope = outer;
    f = bw_register_function(p, f);
    p->scope = inner;
    if (!bw_accept(p, BW_TOK_SEMICOLON))
        bw_parse_function_body(p, f);
    bw_pop_scope(p);
}
