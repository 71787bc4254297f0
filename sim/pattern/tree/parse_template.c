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

#include "parse.h"

#define MAX_INSTANCES 256

/* ---- angle brackets
 * ------------------------------------------------------------------------------ */

size_t bw_after_angles(const bw_parser *p, size_t ahead)
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

bool bw_parse_template_arguments(bw_parser *p, const bw_template *template,
                                 bw_template_value *values)
{
    if (!bw_accept(p, BW_TOK_LESS))
        return false;
    for (uint32_t i = 0; !at_close_angle(p); i++) {
        if (i >= template->count)
            bw_syntax_error(p, BW_MSG_TEMPLATE_ARGUMENT,
                            "give one argument for each parameter of its template<…>",
                            "too many template arguments for '%s'", template->name);
        if (template->parameters[i].is_type) {
            values[i].type = bw_parse_type_name(p);
        } else {
            bw_span span = bw_peek(p, 0)->span;
            int64_t value = bw_parse_angled_integer(p, "a template argument", 0);
            values[i].value = bw_new_integer(p, &bw_ty_long, value, span);
        }
        if (!bw_accept(p, BW_TOK_COMMA))
            break;
    }
    bw_close_angle(p, "after the template arguments");
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
        size_t after = bw_token_is(bw_peek(p, 1), BW_TOK_LESS) ? bw_after_angles(p, 1) : 1;
        if (bw_is_name(bw_peek(p, 0)) && after > 1) {
            p->at += after;
            continue;
        }
        depth += bw_at(p, BW_TOK_LPAREN) - bw_at(p, BW_TOK_RPAREN);
        bw_take(p);
    }
}

static void parse_template_parameter(bw_parser *p, bw_template_parameter *t)
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

bw_template *bw_parse_template_parameters(bw_parser *p)
{
    bw_template *t = bw_arena_alloc(p->arena, sizeof *t);
    t->name = "";
    t->span = bw_take(p)->span;
    t->scope = p->scope;
    bw_expect_token(p, BW_TOK_LESS, "after template");
    t->parameters = bw_arena_alloc(p->arena, BW_MAX_TEMPLATE_PARAMETERS * sizeof *t->parameters);
    bw_push_scope(p);
    while (!at_close_angle(p)) {
        if (t->count == BW_MAX_TEMPLATE_PARAMETERS)
            bw_syntax_error(p, BW_MSG_TOO_MANY, "use fewer", "more than %d template parameters",
                            BW_MAX_TEMPLATE_PARAMETERS);
        parse_template_parameter(p, &t->parameters[t->count++]);
        if (!bw_accept(p, BW_TOK_COMMA))
            break;
    }
    bw_close_angle(p, "after the template's parameters");
    t->header_at = p->at;
    return t;
}

/* ---- what is a template
 * -------------------------------------------------------------------------- */

bool bw_at_record(const bw_parser *p)
{
    return bw_at(p, BW_TOK_STRUCT) || bw_at(p, BW_TOK_CLASS) || bw_at(p, BW_TOK_UNION);
}

void bw_parse_template(bw_parser *p)
{
    bw_scope *outer = p->scope;
    bw_template *t = bw_parse_template_parameters(p);
    if (t->count == 0) {
        p->scope = outer;
        p->cxx->specialise(p);
        return;
    }
    if (bw_at_host_function(p)) {
        p->scope = outer;
        p->host->function_template(p, t);
        return;
    }
    if (bw_at_record(p) || bw_at(p, BW_TOK_USING)) {
        p->scope = outer;
        p->cxx->type_template(p, t);
        return;
    }
    bw_specifiers spec = bw_parse_specifiers(p);
    bw_declarator d = bw_parse_declarator(p, spec.type);
    p->scope = outer;
    if (!d.name || !bw_at(p, BW_TOK_LPAREN))
        bw_syntax_error(p, BW_MSG_CXX_NOT_IN_LANGUAGE, "write a const, or a constexpr function",
                        "templates of variables are not in the language");
    d.type = &bw_ty_void;
    t->span = d.name->span;
    bw_parse_function(p, &spec, &d, t);
}

/* ---- signatures
 * ---------------------------------------------------------------------------------- */

size_t bw_template_parameters_at(const bw_parser *p, const bw_template *t)
{
    size_t at = t->header_at;
    for (; at < p->count && !bw_token_is(&p->tokens[at], BW_TOK_LPAREN); at++) {
        if (bw_token_is(&p->tokens[at], BW_TOK_OPERATOR)) /* of operator()(…), the second */
            at++;
        else if (bw_token_is(&p->tokens[at], BW_TOK_LAUNCH_BOUNDS))
            while (at < p->count && !bw_token_is(&p->tokens[at], BW_TOK_RPAREN))
                at++;
    }
    return at;
}

/* Reads the tokens of a function template's parameters, without their names and defaults. */
typedef struct signature {
    const bw_template *template;
    size_t at, end;
    bool typed; /* the parameter has named its type: a name would be its own */
} signature;

static signature signature_of(const bw_parser *p, const bw_template *t)
{
    size_t at = bw_template_parameters_at(p, t);
    return (signature){.template = t, .at = at + 1, .end = bw_after_brackets(p, at) - 1};
}

/* Whether the name at s->at is the parameter's own. */
static bool is_own_name(const bw_parser *p, const signature *s)
{
    static const bw_token_kind after[] = {BW_TOK_COMMA, BW_TOK_RPAREN, BW_TOK_ASSIGN,
                                          BW_TOK_LBRACKET},
                               of_types[] = {BW_TOK_CHAR,     BW_TOK_SHORT,  BW_TOK_INT,
                                             BW_TOK_LONG,     BW_TOK_DOUBLE, BW_TOK_SIGNED,
                                             BW_TOK_UNSIGNED, BW_TOK_CONST,  BW_TOK_VOLATILE};
    const bw_token *token = &p->tokens[s->at];
    return s->typed && bw_is_name(token) && !BW_IS_IN(token, of_types) &&
           !bw_token_is(token - 1, BW_TOK_SCOPE) && BW_IS_IN(token + 1, after);
}

/* The next token that counts, or NULL at the end. */
static const bw_token *next_of_signature(const bw_parser *p, signature *s)
{
    static const bw_token_kind ignored[] = {BW_TOK_RESTRICT, BW_TOK_GNU_RESTRICT,
                                            BW_TOK_MS_RESTRICT};
    static const bw_token_kind before_type[] = {BW_TOK_CONST, BW_TOK_VOLATILE, BW_TOK_TYPENAME,
                                                BW_TOK_STRUCT};
    while (s->at < s->end) {
        const bw_token *token = &p->tokens[s->at];
        if (bw_token_is(token, BW_TOK_ASSIGN)) { /* its default, to the comma after it */
            while (s->at < s->end && !bw_token_is(&p->tokens[s->at], BW_TOK_COMMA))
                s->at = bw_after_brackets(p, s->at);
        } else if (BW_IS_IN(token, ignored) || is_own_name(p, s)) {
            s->at++;
        } else {
            s->at++;
            s->typed =
                !bw_token_is(token, BW_TOK_COMMA) && (s->typed || !BW_IS_IN(token, before_type));
            return token;
        }
    }
    return NULL;
}

/* Which of the template's parameters the token names; their number: none. */
static uint32_t parameter_named(const bw_template *t, const bw_token *token)
{
    uint32_t i = 0;
    while (i < t->count && !bw_token_named(token, t->parameters[i].name))
        i++;
    return i;
}

bool bw_same_signature(const bw_parser *p, const bw_template *a, const bw_template *b)
{
    bool same = a->count == b->count;
    for (uint32_t i = 0; same && i < a->count; i++)
        same = a->parameters[i].is_type == b->parameters[i].is_type;
    signature in_a = signature_of(p, a), in_b = signature_of(p, b);
    while (same) {
        const bw_token *x = next_of_signature(p, &in_a), *y = next_of_signature(p, &in_b);
        if (!x || !y)
            return x == y;
        uint32_t parameter = parameter_named(a, x);
        same = parameter == parameter_named(b, y) &&
               (parameter < a->count ||
                (x->kind == y->kind && x->len == y->len && memcmp(x->text, y->text, x->len) == 0));
    }
    return false;
}

/* ---- instances
 * ----------------------------------------------------------------------------------- */

bool bw_same_arguments(const bw_template *t, const bw_template_value *a, const bw_template_value *b)
{
    for (uint32_t i = 0; i < t->count; i++)
        if (t->parameters[i].is_type ? !bw_type_same(a[i].type, b[i].type)
                                     : a[i].value->integer != b[i].value->integer)
            return false;
    return true;
}

bw_template_value *bw_keep_arguments(bw_parser *p, const bw_template *t,
                                     const bw_template_value *values)
{
    bw_template_value *kept = bw_arena_alloc(p->arena, (t->count + 1) * sizeof *kept);
    memcpy(kept, values, t->count * sizeof *values);
    return kept;
}

const char *bw_instance_name(bw_parser *p, const bw_template *t, const bw_template_value *v)
{
    const char *list = "";
    for (uint32_t i = 0; i < t->count; i++) {
        const char *comma = i ? ", " : "";
        list = t->parameters[i].is_type ? bw_arena_format(p->arena, "%s%s%s", list, comma,
                                                          bw_type_name(p->arena, v[i].type))
                                        : bw_arena_format(p->arena, "%s%s%lld", list, comma,
                                                          (long long)v[i].value->integer);
    }
    return bw_arena_format(p->arena, "%s<%s>", t->name, list);
}

bw_function *bw_new_instance(bw_parser *p, bw_function *f, const bw_template_value *values)
{
    bw_function *made = bw_new_function(p, f->name, f->span);
    made->full_name = bw_instance_name(p, f->template, values);
    made->is_kernel = f->is_kernel;
    made->is_method = f->is_method;
    made->is_const_method = f->is_const_method;
    made->template = f->template;
    made->arguments = bw_keep_arguments(p, f->template, values);
    made->next_instance = f->instances;
    f->instances = made;
    return made;
}

static void missing_argument(bw_parser *p, const bw_template *t, const char *parameter,
                             bw_span span)
{
    bw_diagnostic *d =
        bw_diagnose(p->diags, BW_MSG_TEMPLATE_ARGUMENT, p->source, span,
                    "the template argument '%s' of '%s' is not given", parameter, t->name);
    bw_note(p->diags, d,
            t->kind == BW_TP_KERNEL ? "write %s<…><<<grid, block>>>(…)"
            : t->kind == BW_TP_TYPE ? "write %s<…>"
                                    : "write %s<…>(…)",
            t->name);
}

static void parse_default(bw_parser *p, const bw_template_parameter *parameter,
                          bw_template_value *value, bw_span span)
{
    size_t at = p->at;
    p->at = parameter->default_at;
    if (parameter->is_type)
        value->type = bw_parse_type_name(p);
    else
        value->value = bw_new_integer(p, &bw_ty_long,
                                      bw_parse_angled_integer(p, "a template argument", 0), span);
    p->at = at;
    p->half_at = 0;
}

bool bw_bind_template(bw_parser *p, const bw_template *t, bw_template_value *values, bw_span span)
{
    for (uint32_t i = 0; i < t->count; i++) {
        const bw_template_parameter *parameter = &t->parameters[i];
        if (!values[i].type && !values[i].value && parameter->default_at)
            parse_default(p, parameter, &values[i], span);
        if (!values[i].type && !values[i].value) {
            missing_argument(p, t, parameter->name, span);
            return false;
        }
        bw_symbol *s =
            bw_declare(p, parameter->name, parameter->is_type ? BW_SY_TYPE : BW_SY_CONSTANT,
                       parameter->is_type ? values[i].type : &bw_ty_int, t->span);
        s->value = values[i].value;
    }
    return true;
}

void bw_type_template_constants(bw_parser *p, const bw_template *t)
{
    size_t at = t->header_at;
    while (at > 0 && !bw_token_is(&p->tokens[at], BW_TOK_TEMPLATE))
        at--;
    size_t saved = p->at;
    p->at = at + 2;
    for (uint32_t i = 0; i < t->count; i++) {
        const bw_template_parameter *parameter = &t->parameters[i];
        if (!parameter->is_type) {
            const bw_type *type = bw_parse_specifiers(p).type;
            bw_symbol *s = bw_lookup(p, parameter->name, strlen(parameter->name));
            if (bw_type_is_integer(type)) {
                s->type = type;
                s->value = bw_new_integer(p, type, s->value->integer, t->span);
            }
        }
        skip_parameter(p);
        bw_take(p);
    }
    p->at = saved;
}

bw_whereabouts bw_go_to_template(bw_parser *p, const bw_template *t)
{
    bw_whereabouts here = {p->at,     p->half_at, p->loops,    p->switches, p->no_greater,
                           p->labels, p->scope,   p->function, p->pending};
    p->loops = p->switches = 0;
    p->labels = p->no_greater = false;
    p->pending = NULL;
    p->scope = t->scope;
    bw_push_scope(p);
    return here;
}

void bw_return_to(bw_parser *p, bw_whereabouts here)
{
    p->at = here.at;
    p->half_at = here.half_at;
    p->loops = here.loops;
    p->switches = here.switches;
    p->labels = here.labels;
    p->no_greater = here.greater;
    p->scope = here.scope;
    p->function = here.function;
    p->pending = here.pending;
}

void bw_check_growth(bw_parser *p, const bw_template *t, unsigned count)
{
    if (count == MAX_INSTANCES)
        bw_syntax_error(p, BW_MSG_TEMPLATE_GROWTH,
                        "a template may not use itself with ever new arguments",
                        "'%s' is used with more than %d sets of arguments", t->name, MAX_INSTANCES);
    if (p->depth + 8 > BW_MAX_DEPTH)
        bw_syntax_error(p, BW_MSG_TEMPLATE_GROWTH,
                        "end it with a specialisation, or an if constexpr",
                        "'%s' uses itself with ever new arguments", t->name);
}

static void parse_function_instance(bw_parser *p, const bw_function *f, bw_function *made)
{
    bw_type_template_constants(p, f->template);
    p->at = f->template->header_at;
    bw_specifiers spec = bw_parse_specifiers(p);
    bw_declarator d = bw_parse_declarator(p, spec.type);
    made->is_constexpr = spec.is_constexpr;
    made->returns_reference = d.is_reference;
    made->result = d.is_reference ? bw_type_pointer(p->arena, d.type) : d.type;
    bw_push_scope(p);
    p->cxx->instance_object(p, made, f);
    bw_parse_parameters(p, made);
    if (!bw_accept(p, BW_TOK_SEMICOLON))
        bw_parse_function_body(p, made);
}

/* In the template's scope, with its parameters bound. */
static bw_function *instance_for(bw_parser *p, bw_function *f, const bw_template_value *values)
{
    unsigned count = 0;
    for (bw_function *i = f->instances; i; i = i->next_instance, count++)
        if (bw_same_arguments(f->template, i->arguments, values))
            return i;
    bw_check_growth(p, f->template, count);
    bw_function *made = bw_new_instance(p, f, values);
    bw_enter(p);
    if (f->is_generic)
        p->cxx->lambda_instance(p, made);
    else
        parse_function_instance(p, f, made);
    bw_leave(p);
    return made;
}

bw_function *bw_instantiate(bw_parser *p, bw_function *f, bw_template_value *values, bw_span span)
{
    bw_whereabouts here = bw_go_to_template(p, f->template);
    bool bound = f->is_generic || bw_bind_template(p, f->template, values, span);
    bw_function *made = bound ? instance_for(p, f, values) : NULL;
    bw_return_to(p, here);
    return made;
}
