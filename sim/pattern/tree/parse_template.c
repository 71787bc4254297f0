/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Templates: their parameters, their arguments, and instances of functions.
 *
 * A template is kept as the place where it stands, and parsed again for each set of arguments.
 * Those of structs and aliases are a bw_function too: their instance has its type as `result`.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <string.h>

#include "hooks.h"

#define MAX_INSTANCES 256

/* ---- angle brackets
 * ------------------------------------------------------------------------------ */

size_t bw_behind_angles(const bw_parser *p, size_t ahead)
{
    int angles = 0, brackets = 0;
    for (size_t k = ahead;; k++) {
        const bw_token *t = bw_peek(p, k);
        if (t->kind == BW_TOK_END || bw_token_is(t, BW_TOK_SEMICOLON) ||
            bw_token_is(t, BW_TOK_AND_AND) || bw_token_is(t, BW_TOK_OR_OR))
            return ahead;
        brackets += bw_token_is(t, BW_TOK_LPAREN) || bw_token_is(t, BW_TOK_LBRACE) ||
                    bw_token_is(t, BW_TOK_LBRACKET);
        brackets -= bw_token_is(t, BW_TOK_RPAREN) || bw_token_is(t, BW_TOK_RBRACE) ||
                    bw_token_is(t, BW_TOK_RBRACKET);
        if (brackets < 0)
            return ahead;
        if (brackets > 0)
            continue;
        angles += bw_token_is(t, BW_TOK_LESS);
        angles -= bw_token_is(t, BW_TOK_GREATER) ? 1 : bw_token_is(t, BW_TOK_SHR) ? 2 : 0;
        if (angles <= 0)
            return k + 1;
    }
}

/* The second half of ">>" closes another list. */
void bw_close_angle(bw_parser *p, const char *where)
{
    if (bw_at(p, BW_TOK_SHR) && p->half_at != p->at + 1) {
        p->half_at = p->at + 1;
        return;
    }
    if (!bw_accept(p, BW_TOK_SHR))
        bw_expect_token(p, BW_TOK_GREATER, where);
    p->half_at = 0;
}

static bool at_close_angle(const bw_parser *p)
{
    return bw_at(p, BW_TOK_GREATER) || bw_at(p, BW_TOK_SHR);
}

bool bw_parse_template_arguments(bw_parser *p, const bw_function *function,
                                 bw_template_value *values)
{
    if (!bw_accept(p, BW_TOK_LESS))
        return false;
    for (uint32_t i = 0; !at_close_angle(p); i++) {
        if (i >= function->template_count)
            bw_syntax_error(p, BW_MSG_TEMPLATE_ARGUMENT,
                            "give one argument for each parameter of its template<…>",
                            "too many template arguments for '%s'", function->name);
        if (function->templates[i].is_type) {
            values[i].type = bw_parse_type_name(p);
        } else {
            bw_span span = bw_peek(p, 0)->span;
            int64_t value = bw_parse_angled_integer(p, "a template argument", 0);
            values[i].value = bw_new_integer(p, &bw_ty_long, value, span);
        }
        if (!bw_accept(p, BW_TOK_COMMA))
            break;
    }
    bw_close_angle(p, "behind the template arguments");
    return true;
}

/* ---- parameters
 * ---------------------------------------------------------------------------------- */

/* To the comma or angle that ends a parameter. */
static void skip_parameter(bw_parser *p)
{
    for (int depth = 0; depth > 0 || (!bw_at(p, BW_TOK_COMMA) && !at_close_angle(p));) {
        if (bw_peek(p, 0)->kind == BW_TOK_END)
            bw_syntax_error(p, BW_MSG_UNCLOSED, "close it with '>'",
                            "this template's parameters do not end");
        size_t behind = bw_token_is(bw_peek(p, 1), BW_TOK_LESS) ? bw_behind_angles(p, 1) : 1;
        if (bw_is_name(bw_peek(p, 0)) && behind > 1) {
            p->at += behind;
            continue;
        }
        depth += bw_at(p, BW_TOK_LPAREN) - bw_at(p, BW_TOK_RPAREN);
        bw_take(p);
    }
}

static void parse_template_parameter(bw_parser *p, bw_template *t)
{
    if (bw_token_is(bw_peek(p, 1), BW_TOK_ELLIPSIS))
        bw_syntax_error(p, BW_MSG_CXX_NOT_IN_LANGUAGE, "write the parameters one by one",
                        "parameter packs are not in the language");
    if (bw_at(p, BW_TOK_TEMPLATE))
        bw_syntax_error(p, BW_MSG_CXX_NOT_IN_LANGUAGE,
                        "write the template's name where the parameter is used",
                        "templates as parameters of templates are not in the language");
    t->is_type = bw_at(p, BW_TOK_CLASS) ||
                 (bw_at(p, BW_TOK_TYPENAME) && !bw_token_is(bw_peek(p, 2), BW_TOK_SCOPE) &&
                  !bw_token_is(bw_peek(p, 2), BW_TOK_LESS));
    if (t->is_type)
        bw_take(p);
    else
        bw_parse_specifiers(p);
    if (bw_is_name(bw_peek(p, 0)))
        t->name = bw_name_of(p, bw_take(p));
    else if (bw_at(p, BW_TOK_COMMA) || bw_at(p, BW_TOK_ASSIGN) || at_close_angle(p))
        t->name = bw_arena_format(p->arena, "#%zu", p->at);
    else
        bw_syntax_error(p, BW_MSG_EXPECTED_NAME, "write template <int N, typename T>",
                        "expected a parameter's name");
    if (bw_accept(p, BW_TOK_ASSIGN)) {
        t->default_at = p->at;
        skip_parameter(p);
    }
    if (t->is_type) {
        bw_declare(p, t->name, BW_SY_TYPE, &bw_ty_int, (bw_span){0, 0});
    } else { /* earlier parameters may stand in later ones' types */
        bw_symbol *s = bw_declare(p, t->name, BW_SY_CONSTANT, &bw_ty_int, (bw_span){0, 0});
        s->value = bw_new_integer(p, &bw_ty_int, 1, (bw_span){0, 0});
    }
}

/* At "template": its parameters, in a scope of their own, into an instance-less bw_function. */
bw_function *bw_parse_template_parameters(bw_parser *p)
{
    bw_function *f = bw_new_function(p, "", bw_peek(p, 0)->span);
    bw_take(p);
    bw_expect_token(p, BW_TOK_LESS, "behind template");
    f->templates = bw_arena_alloc(p->arena, BW_MAX_TEMPLATE_PARAMETERS * sizeof *f->templates);
    bw_push_scope(p);
    while (!at_close_angle(p)) {
        if (f->template_count == BW_MAX_TEMPLATE_PARAMETERS)
            bw_syntax_error(p, BW_MSG_TOO_MANY, "use fewer", "more than %d template parameters",
                            BW_MAX_TEMPLATE_PARAMETERS);
        parse_template_parameter(p, &f->templates[f->template_count++]);
        if (!bw_accept(p, BW_TOK_COMMA))
            break;
    }
    bw_close_angle(p, "behind the template's parameters");
    f->header_at = p->at;
    f->is_template = true;
    return f;
}

/* ---- what is a template
 * -------------------------------------------------------------------------- */

bool bw_at_record(const bw_parser *p)
{
    return bw_at(p, BW_TOK_STRUCT) || bw_at(p, BW_TOK_CLASS) || bw_at(p, BW_TOK_UNION);
}

static bool values_are(const bw_function *a, const bw_template_value *values)
{
    for (uint32_t i = 0; i < a->template_count; i++) {
        const bw_template_value *x = &a->arguments[i], *y = &values[i];
        if (a->templates[i].is_type ? !bw_type_same(x->type, y->type)
                                    : x->value->integer != y->value->integer)
            return false;
    }
    return true;
}

static const char *instance_name(bw_parser *p, const bw_function *f, const bw_template_value *v)
{
    const char *list = "";
    for (uint32_t i = 0; i < f->template_count; i++) {
        const char *comma = i ? ", " : "";
        list = f->templates[i].is_type ? bw_arena_format(p->arena, "%s%s%s", list, comma,
                                                         bw_type_name(p->arena, v[i].type))
                                       : bw_arena_format(p->arena, "%s%s%lld", list, comma,
                                                         (long long)v[i].value->integer);
    }
    return bw_arena_format(p->arena, "%s<%s>", f->name, list);
}

bw_function *bw_new_instance(bw_parser *p, bw_function *f, const bw_template_value *values)
{
    bw_function *made = bw_new_function(p, f->name, f->span);
    made->full_name = instance_name(p, f, values);
    made->is_kernel = f->is_kernel;
    made->is_method = f->is_method;
    made->is_const_method = f->is_const_method;
    made->scope = f->scope;
    made->templates = f->templates;
    made->template_count = f->template_count;
    made->arguments =
        bw_arena_alloc(p->arena, BW_MAX_TEMPLATE_PARAMETERS * sizeof *made->arguments);
    memcpy(made->arguments, values, f->template_count * sizeof *values);
    made->next_instance = f->instances;
    f->instances = made;
    return made;
}

void bw_parse_template(bw_parser *p)
{
    bw_scope *outer = p->scope;
    bw_function *f = bw_parse_template_parameters(p);
    if (f->template_count == 0) {
        p->scope = outer;
        p->cxx->specialise(p);
        return;
    }
    if (bw_at_host_function(p)) {
        p->host->function_template(p);
        p->scope = outer;
        return;
    }
    if (bw_at_record(p) || bw_at(p, BW_TOK_USING)) {
        p->scope = outer;
        p->cxx->type_template(p, f);
        return;
    }
    bw_specifiers spec = bw_parse_specifiers(p);
    bw_declarator d = bw_parse_declarator(p, spec.type);
    p->scope = outer;
    if (!d.name || !bw_at(p, BW_TOK_LPAREN))
        bw_syntax_error(p, BW_MSG_CXX_NOT_IN_LANGUAGE, "write a const, or a constexpr function",
                        "templates of variables are not in the language");
    d.type = &bw_ty_void;
    bw_parse_function(p, &spec, &d, f->templates, f->template_count, f->header_at);
}

/* ---- instances
 * ----------------------------------------------------------------------------------- */

/* Fills defaults and declares the parameters in the current scope. False where one is missing. */
bool bw_bind_templates(bw_parser *p, bw_function *f, bw_template_value *values, bw_span span)
{
    bool of_type = f->is_record || f->is_alias;
    for (uint32_t i = 0; i < f->template_count; i++) {
        bw_template *t = &f->templates[i];
        if (!values[i].type && !values[i].value && t->default_at) {
            size_t at = p->at;
            p->at = t->default_at;
            if (t->is_type)
                values[i].type = bw_parse_type_name(p);
            else
                values[i].value = bw_new_integer(
                    p, &bw_ty_long, bw_parse_angled_integer(p, "a template argument", 0), span);
            p->at = at;
            p->half_at = 0;
        }
        if (!values[i].type && !values[i].value) {
            bw_note(p->diags,
                    bw_diagnose(p->diags, BW_MSG_TEMPLATE_ARGUMENT, p->source, span,
                                "the template argument '%s' of '%s' is not given", t->name,
                                f->name),
                    f->is_kernel ? "write %s<…><<<grid, block>>>(…)"
                    : of_type    ? "write %s<…>"
                                 : "write %s<…>(…)",
                    f->name);
            return false;
        }
        bw_symbol *s = bw_declare(p, t->name, t->is_type ? BW_SY_TYPE : BW_SY_CONSTANT,
                                  t->is_type ? values[i].type : &bw_ty_int, f->span);
        s->value = values[i].value;
    }
    return true;
}

/* Gives a template's constant the type its parameter has: template <bool B>, <unsigned N>. */
static void type_constants(bw_parser *p, bw_function *f)
{
    size_t at = f->header_at;
    while (at > 0 && !bw_token_is(&p->tokens[at], BW_TOK_TEMPLATE))
        at--;
    size_t saved = p->at;
    p->at = at + 2;
    for (uint32_t i = 0; i < f->template_count; i++) {
        bw_template *t = &f->templates[i];
        if (!t->is_type) {
            const bw_type *type = bw_parse_specifiers(p).type;
            bw_symbol *s = bw_lookup(p, t->name, strlen(t->name));
            if (bw_type_is_integer(type)) {
                s->type = type;
                s->value = bw_new_integer(p, type, s->value->integer, f->span);
            }
        }
        skip_parameter(p);
        bw_take(p);
    }
    p->at = saved;
}

typedef struct place {
    size_t at;
    unsigned loops, switches;
    bool greater, labels;
    bw_scope *scope;
    bw_function *function;
    bw_stmt *pending;
} place;

static place leave_place(bw_parser *p)
{
    place here = {p->at,     p->loops, p->switches, p->no_greater,
                  p->labels, p->scope, p->function, p->pending};
    p->loops = p->switches = 0;
    p->labels = p->no_greater = false;
    p->pending = NULL;
    return here;
}

static void return_to(bw_parser *p, place here)
{
    p->at = here.at;
    p->loops = here.loops;
    p->switches = here.switches;
    p->labels = here.labels;
    p->no_greater = here.greater;
    p->scope = here.scope;
    p->function = here.function;
    p->pending = here.pending;
    p->half_at = 0;
}

static void parse_function_instance(bw_parser *p, const bw_function *f, bw_function *made)
{
    const bw_type *object = f->is_method ? f->params[0]->type : NULL;
    p->at = f->header_at;
    bw_specifiers spec = bw_parse_specifiers(p);
    bw_declarator d = bw_parse_declarator(p, spec.type);
    made->is_constexpr = spec.is_constexpr;
    made->returns_reference = d.is_reference;
    made->result = d.is_reference ? bw_type_pointer(p->arena, d.type) : d.type;
    bw_push_scope(p);
    bw_parse_parameters(p, made, object);
    if (!bw_accept(p, BW_TOK_SEMICOLON))
        bw_parse_function_body(p, made);
}

bw_function *bw_instantiate(bw_parser *p, bw_function *f, bw_template_value *values, bw_span span)
{
    bool of_type = f->is_alias || f->is_record;
    size_t half_at = p->half_at;
    place here = leave_place(p);
    p->scope = f->scope;
    bw_push_scope(p);
    bool bound = f->is_generic || bw_bind_templates(p, f, values, span);
    bw_function *made = NULL;
    int count = 0;
    for (bw_function *i = f->instances; bound && i && !made; i = i->next_instance, count++)
        if (values_are(i, values))
            made = i;
    if (!bound || made) {
        return_to(p, here);
        p->half_at = half_at;
        return made;
    }
    if (count == MAX_INSTANCES)
        bw_syntax_error(p, BW_MSG_TEMPLATE_GROWTH,
                        "a template may not use itself with ever new arguments",
                        "'%s' is used with more than %d sets of arguments", f->name, MAX_INSTANCES);
    if (p->depth + 8 > BW_MAX_DEPTH)
        bw_syntax_error(p, BW_MSG_TEMPLATE_GROWTH,
                        "end it with a specialisation, or an if constexpr",
                        "'%s' uses itself with ever new arguments", f->name);
    made = bw_new_instance(p, f, values);
    bw_enter(p);
    if (!f->is_generic)
        type_constants(p, f);
    if (f->is_generic || of_type)
        p->cxx->instance(p, f, made);
    else
        parse_function_instance(p, f, made);
    bw_leave(p);
    return_to(p, here);
    p->half_at = half_at;
    return made;
}
