/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lambdas. A closure is an empty struct whose operator() sees the variables around it: calls are
 * inlined, so they are in place. What is captured by value is copied where the lambda stands, by
 * declarations that run before its statement.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <string.h>

#include "cxx.h"

#define CAPTURES (sizeof((bw_capture *)0)->copied / sizeof *((bw_capture *)0)->copied)

static void add_copy(bw_parser *p, bw_capture *c, bw_symbol *copy, bw_expr *value)
{
    bw_stmt *s = bw_new_stmt(p, BW_SM_DECLARE, copy->span);
    s->symbol = copy;
    s->expr = value;
    *c->end = s;
    c->end = &s->next;
}

static bw_symbol *declare_copy(bw_parser *p, const char *name, const bw_type *type, bw_span span)
{
    bw_symbol *s = bw_declare(p, name, BW_SY_VARIABLE, type, span);
    s->storage = type->kind == BW_TY_STRUCT ? BW_ST_LOCAL : BW_ST_REGISTER;
    return s;
}

/* One of "&", "=", "&x", "x", "x = e", "this". */
static void parse_capture(bw_parser *p, bw_capture *c)
{
    bool reference = bw_accept(p, BW_TOK_AND);
    if (bw_accept(p, BW_TOK_STAR) || bw_at(p, BW_TOK_THIS)) {
        bw_take(p);
        return;
    }
    if (reference && (bw_at(p, BW_TOK_COMMA) || bw_at(p, BW_TOK_RBRACKET))) {
        c->all_by_reference = true;
        return;
    }
    if (!reference && bw_accept(p, BW_TOK_ASSIGN)) {
        c->all_by_copy = true;
        return;
    }
    if (!bw_is_name(bw_peek(p, 0)))
        bw_syntax_error(p, BW_MSG_EXPECTED_TOKEN, "write [&], [=] or the names",
                        "expected what the lambda captures");
    const bw_token *name = bw_take(p);
    if (bw_accept(p, BW_TOK_ASSIGN)) {
        bw_scope *own = p->scope;
        p->scope = own->parent;
        bw_expr *value = bw_value(p, bw_parse_assignment(p));
        p->scope = own;
        if (reference)
            bw_syntax_error(p, BW_MSG_CXX_NOT_IN_LANGUAGE,
                            "declare the reference before the lambda",
                            "a named reference as a capture is not in the language");
        add_copy(p, c, declare_copy(p, bw_name_of(p, name), value->type, name->span), value);
        return;
    }
    if (c->copied_count == CAPTURES || c->referred_count == CAPTURES)
        bw_syntax_error(p, BW_MSG_TOO_MANY, "write [&]", "more than %zu captures", CAPTURES);
    if (reference)
        c->referred[c->referred_count++] = name;
    else
        c->copied[c->copied_count++] = name;
}

static bool names(const bw_token *const *list, unsigned count, const bw_token *name)
{
    for (unsigned i = 0; i < count; i++)
        if (list[i]->len == name->len && memcmp(list[i]->text, name->text, name->len) == 0)
            return true;
    return false;
}

static bw_symbol *capture(bw_parser *p, bw_scope *scope, bw_symbol *s, const bw_token *name)
{
    bw_capture *c = scope->capture;
    bool copied = names(c->copied, c->copied_count, name);
    bool referred = names(c->referred, c->referred_count, name);
    if (!copied && !referred && !c->all_by_copy && !c->all_by_reference)
        bw_syntax_error(p, BW_MSG_LAMBDA_CAPTURE, "write [&] or [=]",
                        "the lambda does not capture '%.*s'", (int)name->len, name->text);
    if (!copied && (referred || !c->all_by_copy))
        return s;
    bool closure = s->type->record && s->type->record->is_closure;
    if (closure && s->type->record->has_state)
        bw_syntax_error(p, BW_MSG_CXX_NOT_IN_LANGUAGE, "capture it by reference: [&]",
                        "a copy of a mutable lambda is not in the language");
    if (s->type->kind == BW_TY_HANDLE || closure)
        return s; /* these hold nothing that could change */
    if (c->closed && s->is_const)
        return s; /* as it was */
    if (c->closed)
        bw_syntax_error(p, BW_MSG_CXX_NOT_IN_LANGUAGE,
                        "capture by reference, [&], or write the parameters' types",
                        "a copy in a lambda with auto parameters is not in the language");
    if (s->type->kind == BW_TY_ARRAY)
        bw_syntax_error(p, BW_MSG_CXX_NOT_IN_LANGUAGE, "capture it by reference: [&]",
                        "an array captured by value is not in the language");
    bw_scope *outer = p->scope;
    p->scope = scope;
    bw_symbol *copy = declare_copy(p, s->name, s->type, s->span);
    p->scope = outer;
    add_copy(p, c, copy, bw_new_symbol(p, s, name->span));
    return copy;
}

/* From the outermost lambda that stands between the symbol and here inwards. */
static bw_symbol *capture_through(bw_parser *p, bw_scope *scope, bw_symbol *s, const bw_token *name)
{
    for (; scope; scope = scope->parent) {
        if (bw_lookup_in(scope, name->text, name->len))
            return s;
        if (scope->capture)
            return capture(p, scope, capture_through(p, scope->parent, s, name), name);
    }
    return s;
}

bw_symbol *bw_captured(bw_parser *p, bw_symbol *s, const bw_token *name)
{
    bool automatic =
        s && s->kind == BW_SY_VARIABLE && s->storage != BW_ST_SHARED && s->storage != BW_ST_GLOBAL;
    return automatic ? capture_through(p, p->scope, s, name) : s;
}

/* "mutable" between the parameters and the body of the lambda that began at token `start`. */
static bool is_mutable(const bw_parser *p, size_t start)
{
    size_t at = bw_after_brackets(p, start);
    for (; at < p->at && !bw_token_is(&p->tokens[at], BW_TOK_LBRACE); at++)
        if (bw_token_is(&p->tokens[at], BW_TOK_MUTABLE))
            return true;
    return false;
}

static const bw_type *closure_type(bw_parser *p, bw_function *f, bool has_state)
{
    bw_type *type = bw_arena_alloc(p->arena, sizeof *type);
    bw_record *record = bw_arena_alloc(p->arena, sizeof *record);
    *type =
        (bw_type){.kind = BW_TY_STRUCT, .size = 1, .align = 1, .name = "lambda", .record = record};
    bw_scope *outer = p->scope;
    p->scope = NULL;
    bw_push_scope(p);
    *record = (bw_record){.type = type,
                          .scope = p->scope,
                          .complete = true,
                          .is_closure = true,
                          .has_state = has_state};
    bw_declare(p, "operator()", BW_SY_FUNCTION, &bw_ty_void, f->span)->function = f;
    p->scope = outer;
    return type;
}

/* With auto among its parameters, which are `count` then, a lambda is parsed for each set of their
 * types. */
static void make_generic(bw_parser *p, bw_function *f, uint32_t count, size_t header_at)
{
    if (count > BW_MAX_TEMPLATE_PARAMETERS)
        bw_syntax_error(p, BW_MSG_TOO_MANY, "write their types", "more than %d auto parameters",
                        BW_MAX_TEMPLATE_PARAMETERS);
    bw_template *t = bw_arena_alloc(p->arena, sizeof *t);
    *t = (bw_template){.name = f->name,
                       .span = f->span,
                       .scope = p->scope->parent,
                       .count = count,
                       .header_at = header_at};
    t->parameters = bw_arena_alloc(p->arena, count * sizeof *t->parameters);
    for (uint32_t i = 0; i < count; i++)
        t->parameters[i] = (bw_template_parameter){.name = "auto", .is_type = true};
    f->template = t;
    f->is_generic = true;
    bw_skip_braces(p);
}

void bw_parse_lambda_instance(bw_parser *p, bw_function *made)
{
    const bw_template_value *outer = p->autos;
    p->at = made->template->header_at;
    made->result = &bw_ty_auto;
    p->autos = made->arguments;
    bw_parse_parameters(p, made);
    p->autos = outer;
    bw_parse_function_body(p, made);
}

static void parse_lambda_function(bw_parser *p, bw_function *f)
{
    unsigned loops = p->loops, switches = p->switches;
    bool labels = p->labels, greater = p->no_greater;
    bw_stmt *pending = p->pending;
    p->loops = p->switches = 0;
    p->labels = p->no_greater = false;
    p->pending = NULL;
    while (bw_accept(p, BW_TOK_DEVICE) || bw_accept(p, BW_TOK_HOST))
        continue;
    if (bw_at(p, BW_TOK_LESS))
        bw_syntax_error(p, BW_MSG_CXX_NOT_IN_LANGUAGE, "write the parameters' types",
                        "a lambda with template parameters");
    size_t header_at = p->at;
    uint32_t autos = 0;
    if (bw_at(p, BW_TOK_LPAREN))
        bw_parse_parameters(p, f);
    for (uint32_t i = 0; i < f->param_count; i++)
        autos += bw_type_based_on_auto(f->params[i]->type);
    if (!bw_at(p, BW_TOK_LBRACE))
        bw_syntax_error(p, BW_MSG_EXPECTED_TOKEN, "write [&](int i) { … }",
                        "expected the lambda's body");
    if (autos)
        make_generic(p, f, autos, header_at);
    else
        bw_parse_function_body(p, f);
    p->loops = loops;
    p->switches = switches;
    p->labels = labels;
    p->no_greater = greater;
    p->pending = pending;
}

bw_expr *bw_parse_lambda(bw_parser *p)
{
    size_t start = p->at;
    bw_scope *outer = p->scope;
    bw_capture *c = bw_arena_alloc(p->arena, sizeof *c);
    c->end = &c->copies;
    bw_take(p);
    bw_push_scope(p);
    p->scope->capture = c;
    while (!bw_at(p, BW_TOK_RBRACKET)) {
        parse_capture(p, c);
        if (!bw_accept(p, BW_TOK_COMMA))
            break;
    }
    bw_expect_token(p, BW_TOK_RBRACKET, "after the captures");
    bw_function *f = bw_new_function(p, "lambda", bw_span_from(p, start));
    f->result = &bw_ty_auto;
    bw_push_scope(p);
    parse_lambda_function(p, f);
    p->scope = outer;
    bw_stmt **end = &p->pending;
    while (*end)
        end = &(*end)->next;
    *end = c->copies;
    c->closed = true;
    const bw_type *type = closure_type(p, f, c->copies && is_mutable(p, start));
    bw_expr *e = bw_new_expr(p, BW_EX_LIST, type, bw_span_from(p, start));
    return e;
}
