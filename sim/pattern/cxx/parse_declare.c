/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What C++ adds to declarations: decltype and auto, references, aliases, namespaces, and what
 * stands after a function's parameters.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <string.h>

#include "cxx.h"

/* Whether tokens [from, to) are a name or a member access by themselves: decltype of these is what
 * was declared; of anything else that has a place, decltype((x)) too, a reference. */
static bool names_only(const bw_parser *p, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        const bw_token *t = &p->tokens[i];
        if (bw_token_is(t, BW_TOK_LBRACKET) && i + 1 < to) {
            i = bw_after_brackets(p, i) - 1;
            if (i + 1 == to)
                return false; /* a[0] */
        } else if (!bw_is_name(t) && !bw_token_is(t, BW_TOK_SCOPE) && !bw_token_is(t, BW_TOK_DOT) &&
                   !bw_token_is(t, BW_TOK_ARROW)) {
            return false;
        }
    }
    return true;
}

const bw_type *bw_parse_decltype(bw_parser *p)
{
    bw_take(p);
    bw_expect_token(p, BW_TOK_LPAREN, "after decltype");
    size_t from = p->at;
    const bw_expr *e = bw_parse_expression(p);
    bool declared = names_only(p, from, p->at);
    bw_expect_token(p, BW_TOK_RPAREN, "after the expression");
    bool either = e->kind == BW_EX_COND && e->cond.yes->lvalue && e->cond.no->lvalue;
    bool changed = e->kind == BW_EX_ASSIGN || (e->kind == BW_EX_STEP && !e->step.post);
    bool reference = declared ? e->kind == BW_EX_SYMBOL && e->symbol->is_reference
                              : e->lvalue || either || changed;
    return reference ? bw_type_reference(p->arena, e->type) : e->type;
}

void bw_take_auto(bw_parser *p)
{
    (void)p; /* a type like others, until the value is known */
}

void bw_parse_reference(bw_parser *p, bw_declarator *d)
{
    d->is_reference = true;
    d->is_rvalue = bw_token_is(bw_take(p), BW_TOK_AND_AND);
}

void bw_parse_alias(bw_parser *p)
{
    const bw_token *name = bw_take(p);
    bw_take(p);
    bw_specifiers spec = bw_parse_specifiers(p);
    bw_declarator d = bw_parse_declarator(p, spec.type);
    const bw_type *type = d.is_reference ? bw_type_reference(p->arena, d.type) : d.type;
    bw_declare(p, bw_name_of(p, name), BW_SY_TYPE, type, name->span);
}

/* The scope of a namespace within the one at hand, made where it is new. */
static void enter_space(bw_parser *p, const bw_token *name)
{
    for (bw_scope *s = *p->spaces; s; s = s->next_space)
        if (s->parent == p->scope && strlen(s->space) == name->len &&
            memcmp(s->space, name->text, name->len) == 0) {
            p->scope = s;
            return;
        }
    bw_push_scope(p);
    p->scope->space = bw_name_of(p, name);
    p->scope->next_space = *p->spaces;
    *p->spaces = p->scope;
}

void bw_parse_namespace(bw_parser *p)
{
    bw_take(p);
    for (; bw_is_name(bw_peek(p, 0)); bw_accept(p, BW_TOK_SCOPE))
        enter_space(p, bw_take(p));
    bw_skip_attributes(p, NULL);
    bw_expect_token(p, BW_TOK_LBRACE, "after namespace");
}

void bw_parse_after_parameters(bw_parser *p, bw_function *f)
{
    for (;;) {
        size_t before = p->at;
        if (bw_accept(p, BW_TOK_CONST))
            f->is_const_method = f->is_method;
        bw_accept(p, BW_TOK_NOEXCEPT);
        bw_accept(p, BW_TOK_DEVICE); /* of a lambda */
        bw_accept(p, BW_TOK_HOST);
        bw_accept(p, BW_TOK_MUTABLE);
        bw_skip_attributes(p, NULL);
        if (p->at == before)
            break;
    }
    if (bw_accept(p, BW_TOK_ARROW)) {
        bw_specifiers spec = bw_parse_specifiers(p);
        bw_declarator d = bw_parse_declarator(p, spec.type);
        f->returns_reference = d.is_reference;
        f->result = d.is_reference ? bw_type_pointer(p->arena, d.type) : d.type;
    }
}
