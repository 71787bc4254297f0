/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Loops over a range.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "cxx.h"

/* A variable that no source text can name. */
static bw_symbol *hidden(bw_parser *p, const char *name, const bw_type *type, bw_span span,
                         bw_expr *value, bw_stmt ***end)
{
    bw_symbol *s = bw_declare(p, name, BW_SY_VARIABLE, type, span);
    s->storage = BW_ST_REGISTER;
    bw_stmt *d = bw_new_stmt(p, BW_SM_DECLARE, span);
    d->symbol = s;
    d->expr = value;
    **end = d;
    *end = &d->next;
    return s;
}

/* for (int x : {1, 2}): an array of its own. */
static bw_expr *listed_range(bw_parser *p, const bw_type *type, bw_stmt ***end)
{
    if (type->kind == BW_TY_AUTO)
        bw_syntax_error(p, BW_MSG_INITIALIZER, "write for (int x : { … })",
                        "a list needs the type of its values");
    const bw_type *array = bw_type_array(p->arena, type, -1);
    bw_expr *list = bw_parse_initializer(p, &array);
    bw_symbol *s = hidden(p, "#list", array, list->span, list, end);
    s->storage = BW_ST_LOCAL;
    return bw_new_symbol(p, s, list->span);
}

/* for (T x : array) body is { auto &r = array; for (int i = 0; i < n; i++) { T x = r[i]; body } }.
 */
bw_stmt *bw_parse_range_for(bw_parser *p, size_t start)
{
    bw_specifiers spec = bw_parse_specifiers(p);
    bw_declarator d = bw_parse_declarator(p, spec.type);
    if (!d.name)
        bw_syntax_error(p, BW_MSG_EXPECTED_NAME, "write for (int x : array)", "expected a name");
    bw_expect_token(p, BW_TOK_COLON, "after the name");
    bw_stmt *block = bw_new_stmt(p, BW_SM_BLOCK, d.name->span), **end = &block->body;
    bw_expr *range =
        bw_at(p, BW_TOK_LBRACE) ? listed_range(p, d.type, &end) : bw_parse_expression(p);
    bw_span span = range->span;
    if (bw_is_error(range))
        bw_unwind(p);
    if (range->type->kind != BW_TY_ARRAY || !range->lvalue || range->type->count < 0)
        bw_syntax_error(p, BW_MSG_OPERAND_TYPE, "write for (int i = 0; i < n; i++)",
                        "a loop over a range takes an array with a size");
    bw_expect_token(p, BW_TOK_RPAREN, "after the range");
    bw_symbol *r = hidden(p, "#range", range->type, span, bw_new_address(p, range, span), &end);
    r->is_reference = true;
    bw_symbol *i =
        hidden(p, "#index", &bw_ty_int, span, bw_new_integer(p, &bw_ty_int, 0, span), &end);
    bw_stmt *loop = bw_new_stmt(p, BW_SM_LOOP, bw_span_from(p, start)), *body;
    loop->cond = bw_new_binary(p, BW_LT, bw_new_symbol(p, i, span),
                               bw_new_integer(p, &bw_ty_int, range->type->count, span), span);
    loop->step = bw_new_step(p, BW_ADD, false, bw_new_symbol(p, i, span), span);
    *end = loop;
    bw_expr *element = bw_new_index(p, bw_new_symbol(p, r, span), bw_new_symbol(p, i, span), span);
    const bw_type *type = d.type->kind == BW_TY_AUTO ? range->type->elem : d.type;
    bw_symbol *x = bw_declare(p, bw_name_of(p, d.name), BW_SY_VARIABLE, type, d.name->span);
    d.is_reference = d.is_reference && bw_reference_binds(p, &d, spec.is_const, element);
    x->is_reference = d.is_reference;
    bool in_memory = type->kind == BW_TY_ARRAY || type->kind == BW_TY_STRUCT;
    x->storage = in_memory && !d.is_reference ? BW_ST_LOCAL : BW_ST_REGISTER;
    x->is_const = spec.is_const;
    body = loop->body = bw_new_stmt(p, BW_SM_BLOCK, span);
    body->body = bw_new_stmt(p, BW_SM_DECLARE, d.name->span);
    body->body->symbol = x;
    body->body->expr = d.is_reference              ? bw_new_address(p, element, span)
                       : type->kind == BW_TY_ARRAY ? element
                                                   : bw_convert(p, element, type);
    p->loops++;
    body->body->next = bw_parse_body(p);
    p->loops--;
    bw_pop_scope(p);
    return block;
}
