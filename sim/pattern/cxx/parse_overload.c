/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a call means: of several functions of one name that which takes the arguments with the least
 * conversion, template arguments from a call's arguments, operators and conversions.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <string.h>

#include "cxx.h"

#define NO_MATCH UINT32_MAX

/* ---- template arguments from a call's arguments
 * -------------------------------------------------- */

/* "Tile<T, N> &tile": T and N from the arguments that the instance was made with. */
static void deduce_instance(bw_parser *p, const bw_function *f, size_t from, size_t to,
                            const bw_type *arg, bw_template_value *values)
{
    const bw_record *r = arg->kind == BW_TY_STRUCT ? arg->record : NULL;
    size_t at = from;
    while (r && r->of && at < to && !bw_token_named(&p->tokens[at], r->of->header.name))
        at++;
    if (!r || !r->of || at + 1 >= to || !bw_token_is(&p->tokens[at + 1], BW_TOK_LESS))
        return;
    uint32_t k = 0;
    for (at += 2; at < to && k < r->of->header.count; at++) {
        const bw_token *token = &p->tokens[at], *next = &p->tokens[at + 1];
        k += bw_token_is(token, BW_TOK_COMMA);
        bool alone = bw_token_is(next, BW_TOK_COMMA) || bw_token_is(next, BW_TOK_GREATER) ||
                     bw_token_is(next, BW_TOK_SHR);
        for (uint32_t t = 0; alone && t < f->template->count; t++) {
            bool free = !values[t].type && !values[t].value;
            if (free && bw_token_named(token, f->template->parameters[t].name) &&
                k < r->of->header.count)
                values[t] = r->instance->arguments[k];
        }
    }
}

/* Tokens [from, to) of a parameter of template `f`, and the type of its argument: "T *p" binds T to
 * what the argument points to, "T (&a)[N]" also N. */
static void deduce_one(bw_parser *p, const bw_function *f, size_t from, size_t to,
                       const bw_type *arg, bw_template_value *values, bw_span span)
{
    bool reference = false;
    const bw_type *type = arg;
    deduce_instance(p, f, from, to, arg, values);
    for (size_t k = from; k < to; k++)
        reference |= bw_token_is(&p->tokens[k], BW_TOK_AND);
    for (size_t k = from; k < to; k++) {
        bool star = bw_token_is(&p->tokens[k], BW_TOK_STAR),
             bracket = bw_token_is(&p->tokens[k], BW_TOK_LBRACKET);
        if (!star && !bracket)
            continue;
        for (uint32_t t = 0; bracket && type->kind == BW_TY_ARRAY && t < f->template->count; t++)
            if (!f->template->parameters[t].is_type && !values[t].value &&
                bw_token_named(&p->tokens[k + 1], f->template->parameters[t].name))
                values[t].value = bw_new_integer(p, &bw_ty_long, type->count, span);
        if (type->kind == BW_TY_POINTER || type->kind == BW_TY_ARRAY)
            type = type->elem;
    }
    if (type == arg && type->kind == BW_TY_ARRAY && !reference)
        type = bw_type_pointer(p->arena, type->elem);
    for (size_t k = from; k < to; k++)
        for (uint32_t t = 0; t < f->template->count; t++)
            if (f->template->parameters[t].is_type && !values[t].type &&
                bw_token_named(&p->tokens[k], f->template->parameters[t].name)) {
                values[t].type = type;
                break; /* each auto is a type of its own */
            }
}

/* Binds template parameters from arguments; returns how many parameters the function has. */
size_t bw_deduce(bw_parser *p, const bw_function *f, bw_expr **args, size_t count,
                 bw_template_value *values, bw_span span)
{
    size_t at = bw_template_parameters_at(p, f->template) + 1, from = at, index = 0;
    for (int depth = 0; at < p->count; at++) {
        const bw_token *token = &p->tokens[at];
        bool end = depth == 0 && bw_token_is(token, BW_TOK_RPAREN);
        depth += bw_token_is(token, BW_TOK_LPAREN) || bw_token_is(token, BW_TOK_LESS);
        depth -= bw_token_is(token, BW_TOK_RPAREN) || bw_token_is(token, BW_TOK_GREATER);
        depth -= bw_token_is(token, BW_TOK_SHR) ? 2 : 0;
        if (!end && (depth > 0 || !bw_token_is(token, BW_TOK_COMMA)))
            continue;
        if (index < count && !bw_is_error(args[index]))
            deduce_one(p, f, from, at, args[index]->type, values, span);
        index += at > from;
        from = at + 1;
        if (end)
            break;
    }
    return index;
}

/* ---- overloads
 * ----------------------------------------------------------------------------------- */

void bw_add_overload(bw_parser *p, bw_function *first, bw_function *f)
{
    (void)p;
    f->next_overload = first->next_overload;
    first->next_overload = f;
}

static uint32_t conversion_cost(const bw_expr *arg, const bw_type *to)
{
    const bw_type *from = arg->type;
    bool array = from->kind == BW_TY_ARRAY && to->kind == BW_TY_POINTER;
    if (bw_type_same(from, to) || (array && bw_type_same(from->elem, to->elem)))
        return 0;
    if (bw_type_is_arithmetic(from) && bw_type_is_arithmetic(to)) {
        bool promotion = bw_type_same(bw_type_promote(from), to) ||
                         (from->kind == BW_TY_FLOAT && to->kind == BW_TY_DOUBLE);
        return promotion ? 1 : 16;
    }
    bool pointer = array || from->kind == BW_TY_POINTER;
    if (to->kind == BW_TY_POINTER && pointer && to->elem->kind == BW_TY_VOID)
        return 16;
    return NO_MATCH;
}

static uint32_t object_cost(const bw_function *f, const bw_expr *object)
{
    if (!object)
        return NO_MATCH;
    bool is_const = object->type->is_const;
    return f->is_const_method == is_const ? 0 : is_const ? 16 : 1;
}

static uint32_t call_cost(bw_parser *p, const bw_function *f, const bw_call_args *c, bw_span span)
{
    uint32_t sum = 0, own = f->is_method;
    if (own && (sum = object_cost(f, c->object)) == NO_MATCH)
        return NO_MATCH;
    if (bw_is_template(f)) { /* its parameters fit, where they can be found */
        bw_template_value values[BW_MAX_TEMPLATE_PARAMETERS] = {{0}};
        if (bw_deduce(p, f, c->args, c->count, values, span) < c->count)
            return NO_MATCH;
        for (uint32_t t = 0; t < f->template->count; t++)
            if (!values[t].type && !values[t].value && !f->template->parameters[t].default_at)
                return NO_MATCH;
        return sum + 2;
    }
    size_t count = c->count + own;
    if (count > f->param_count || (count < f->param_count && !f->defaults[count]))
        return NO_MATCH;
    for (size_t i = 0; i < c->count; i++) {
        uint32_t cost = conversion_cost(c->args[i], f->params[i + own]->type);
        if (cost == NO_MATCH)
            return NO_MATCH;
        sum += 2 * cost;
    }
    return sum;
}

/* The best of those that begin at `first`, or NULL: none, or several alike. */
static bw_function *best_overload(bw_parser *p, bw_function *first, const bw_call_args *c,
                                  bool templates, bw_span span, bool *tie)
{
    bw_function *best = NULL;
    uint32_t least = NO_MATCH;
    *tie = false;
    for (bw_function *f = first; f; f = f->next_overload) {
        if (templates && !bw_is_template(f))
            continue;
        uint32_t cost = templates ? 1 : call_cost(p, f, c, span);
        *tie = cost == least ? *tie || best != NULL : cost < least ? false : *tie;
        best = cost < least ? f : best;
        least = cost < least ? cost : least;
    }
    return best;
}

bw_function *bw_choose_overload(bw_parser *p, bw_function *first, const bw_call_args *c,
                                bool templates, bw_span span)
{
    bool tie;
    bw_function *best = best_overload(p, first, c, templates, span, &tie);
    if (best && !tie)
        return best;
    bw_refuse(p, BW_MSG_OVERLOAD, span,
              bw_arena_format(p->arena,
                              best ? "more than one '%s' takes these arguments"
                                   : "no '%s' takes these arguments",
                              first->name),
              "cast the arguments to the parameters' types");
    return NULL;
}

/* ---- operators and conversions
 * -------------------------------------------------------------------- */

static bw_function *method(const bw_type *type, const char *name, size_t len)
{
    const bw_record *r = type->kind == BW_TY_STRUCT ? type->record : NULL;
    const bw_symbol *s = r ? bw_lookup_in(r->scope, name, len) : NULL;
    return s && s->kind == BW_SY_FUNCTION ? s->function : NULL;
}

/* operator+, operator(): a name of one token. */
const bw_token *bw_parse_operator_name(bw_parser *p, const bw_token *name)
{
    bw_token *made = bw_arena_alloc(p->arena, sizeof *made);
    size_t start = p->at - 1;
    *made = *name;
    made->kind = BW_TOK_NAME;
    const bw_token *symbol = bw_take(p);
    bool pair = bw_token_is(symbol, BW_TOK_LPAREN) || bw_token_is(symbol, BW_TOK_LBRACKET);
    if (pair)
        bw_expect_token(p, bw_token_is(symbol, BW_TOK_LPAREN) ? BW_TOK_RPAREN : BW_TOK_RBRACKET,
                        "in the operator's name");
    made->text = bw_arena_format(p->arena, "operator%.*s%s", (int)symbol->len, symbol->text,
                                 !pair                                ? ""
                                 : bw_token_is(symbol, BW_TOK_LPAREN) ? ")"
                                                                      : "]");
    made->len = (uint32_t)strlen(made->text);
    made->span = bw_span_from(p, start);
    return made;
}

bw_expr *bw_parse_inner(bw_parser *p, bw_expr *object, const bw_token *name, size_t start)
{
    const bw_symbol *s = bw_lookup_in(object->type->record->scope, name->text, name->len);
    if (s && s->kind == BW_SY_FUNCTION)
        return bw_parse_user_call(p, s->function, object, start);
    return s && s->kind == BW_SY_CONSTANT ? bw_new_constant(p, s, bw_span_from(p, start)) : NULL;
}

bw_expr *bw_parse_object_call(bw_parser *p, bw_expr *object, size_t start)
{
    bw_function *f = method(object->type, "operator()", 10);
    return f ? bw_parse_user_call(p, f, object, start) : NULL;
}

bw_expr *bw_user_operator(bw_parser *p, const char *name, bw_expr *a, bw_expr *b, bw_span span)
{
    bw_template_value values[BW_MAX_TEMPLATE_PARAMETERS] = {{0}};
    bw_expr *both[2] = {a, b};
    bool tie;
    bw_call_args inner = {a, &b, b != NULL}, outer = {NULL, both, b ? 2 : 1};
    bw_function *f = method(a->type, name, strlen(name));
    f = f ? best_overload(p, f, &inner, false, span, &tie) : NULL;
    if (f && f->is_method)
        return bw_call_instance(p, f, &inner, values, span);
    const bw_symbol *s = bw_lookup(p, name, strlen(name));
    bw_function *sources[3] = {method(a->type, name, strlen(name)),
                               b ? method(b->type, name, strlen(name)) : NULL,
                               s && s->kind == BW_SY_FUNCTION ? s->function : NULL};
    for (int k = 0; k < 3; k++) { /* friends of either, and functions beside them */
        f = sources[k] ? best_overload(p, sources[k], &outer, false, span, &tie) : NULL;
        if (f && !f->is_method)
            return bw_call_instance(p, f, &outer, values, span);
    }
    return NULL;
}

bw_expr *bw_user_conversion(bw_parser *p, bw_expr *e, const bw_type *type)
{
    const bw_record *from = e->type->kind == BW_TY_STRUCT ? e->type->record : NULL;
    const bw_record *to = type->kind == BW_TY_STRUCT ? type->record : NULL;
    bw_call_args c = {.object = e};
    bw_function *near = NULL;
    for (bw_function *f = from ? from->conversions : NULL; f; f = f->next_overload) {
        const bw_type *result = f->returns_reference ? f->result->elem : f->result;
        bool both = bw_type_is_arithmetic(result) && bw_type_is_arithmetic(type);
        if (bw_type_same(result, type) && (!near || !f->is_const_method))
            near = f;
        else if (both && !near)
            near = f;
    }
    if (near)
        return bw_convert(p, bw_call_instance(p, near, &c, NULL, e->span), type);
    for (bw_function *f = to ? to->constructors : NULL; f; f = f->next_overload) {
        bool one = f->param_count >= 1 && (f->param_count == 1 || f->defaults[1]);
        if (one && conversion_cost(e, f->params[0]->type) != NO_MATCH)
            return bw_call(p, to->constructors, NULL, &e, 1, e->span);
    }
    return NULL;
}
