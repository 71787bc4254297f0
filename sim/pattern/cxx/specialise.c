/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Templates of structs and of other names of types, templates within structs, and full
 * specialisations.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <string.h>

#include "cxx.h"

/* ---- specialisations
 * ----------------------------------------------------------------------------- */

static _Noreturn void no_template(bw_parser *p, const bw_token *name)
{
    bw_syntax_error(p, BW_MSG_TEMPLATE_ARGUMENT, "define the template that it specialises above it",
                    "'%.*s' is no template", (int)name->len, name->text);
}

static bw_type_template *find_type_template(bw_parser *p, const bw_token *name)
{
    bw_symbol *s = bw_lookup(p, name->text, name->len);
    if (!s || s->kind != BW_SY_TEMPLATE)
        no_template(p, name);
    return s->template;
}

static bw_function *find_function_template(bw_parser *p, const bw_token *name)
{
    bw_symbol *s = bw_lookup(p, name->text, name->len);
    bw_function *f = s && s->kind == BW_SY_FUNCTION ? s->function : NULL;
    while (f && !bw_is_template(f))
        f = f->next_overload;
    if (!f)
        no_template(p, name);
    return f;
}

static bw_type_instance *new_type_instance(bw_parser *p, bw_type_template *t,
                                           const bw_template_value *values)
{
    bw_type_instance *made = bw_arena_alloc(p->arena, sizeof *made);
    *made = (bw_type_instance){.next = t->instances,
                               .full_name = bw_instance_name(p, &t->header, values),
                               .arguments = bw_keep_arguments(p, &t->header, values)};
    t->instances = made;
    return made;
}

/* template <> struct NAME<ARGUMENTS> { … }; */
static void specialise_record(bw_parser *p)
{
    bw_template_value values[BW_MAX_TEMPLATE_PARAMETERS] = {{0}};
    bool is_union = bw_at(p, BW_TOK_UNION);
    bw_take(p);
    bw_skip_attributes(p, NULL);
    const bw_token *name = bw_take(p);
    bw_type_template *t = find_type_template(p, name);
    if (!bw_parse_template_arguments(p, &t->header, values))
        bw_syntax_error(p, BW_MSG_TEMPLATE_ARGUMENT, "write template <> struct NAME<float> { … };",
                        "expected the arguments of this specialisation");
    bw_scope *scope = p->scope;
    bw_push_scope(p);
    if (!bw_bind_template(p, &t->header, values, name->span))
        bw_unwind(p);
    p->scope = scope;
    bw_type_instance *made = new_type_instance(p, t, values);
    made->type = bw_parse_record(p, is_union, made, t);
    bw_expect_token(p, BW_TOK_SEMICOLON, "after the struct");
}

/* template <> int f<float>(…) { … }, or with the arguments found from the parameters. */
static void specialise_function(bw_parser *p)
{
    bw_template_value values[BW_MAX_TEMPLATE_PARAMETERS] = {{0}};
    bw_specifiers spec = bw_parse_specifiers(p);
    bw_declarator d = bw_parse_declarator(p, spec.type);
    if (!d.name || (!bw_at(p, BW_TOK_LPAREN) && !bw_at(p, BW_TOK_LESS)))
        bw_syntax_error(p, BW_MSG_CXX_NOT_IN_LANGUAGE, "write a const, or a constexpr function",
                        "templates of variables are not in the language");
    bw_function *f = find_function_template(p, d.name);
    bool angled = bw_parse_template_arguments(p, f->template, values);
    bw_function *made = bw_new_function(p, f->name, d.name->span);
    made->is_kernel = spec.is_kernel;
    made->is_constexpr = spec.is_constexpr;
    made->returns_reference = d.is_reference;
    made->result = d.is_reference ? bw_type_pointer(p->arena, d.type) : d.type;
    bw_push_scope(p);
    bw_parse_parameters(p, made);
    if (!angled || f->template->count > 1) {
        bw_expr **args = bw_arena_alloc(p->arena, (made->param_count + 1) * sizeof *args);
        for (uint32_t i = 0; i < made->param_count; i++)
            args[i] = bw_new_symbol(p, made->params[i], d.name->span);
        bw_deduce(p, f, args, made->param_count, values, d.name->span);
    }
    bw_push_scope(p);
    if (!bw_bind_template(p, f->template, values, d.name->span))
        bw_unwind(p);
    bw_pop_scope(p);
    bw_function *kept = bw_new_instance(p, f, values);
    made->full_name = kept->full_name;
    made->template = kept->template;
    made->arguments = kept->arguments;
    made->next_instance = kept->next_instance;
    *kept = *made;
    if (!bw_accept(p, BW_TOK_SEMICOLON))
        bw_parse_function_body(p, kept);
    bw_pop_scope(p);
}

void bw_parse_specialisation(bw_parser *p)
{
    if (bw_at_record(p)) {
        specialise_record(p);
        return;
    }
    specialise_function(p);
}

/* ---- structs and names of types
 * ------------------------------------------------------------------ */

/* A struct's text, or an alias's: to the semicolon after it. */
static void skip_record(bw_parser *p)
{
    while (!bw_at(p, BW_TOK_LBRACE) && !bw_at(p, BW_TOK_SEMICOLON) &&
           bw_peek(p, 0)->kind != BW_TOK_END)
        bw_take(p);
    if (bw_at(p, BW_TOK_LBRACE))
        bw_skip_braces(p);
    if (!bw_at(p, BW_TOK_SEMICOLON))
        bw_syntax_error(p, BW_MSG_EXPECTED_TOKEN, "end the struct with ';'",
                        "expected ';' after the template");
    bw_take(p);
}

/* Makes the template known, or completes its declaration. */
static void declare_type_template(bw_parser *p, bw_type_template *t)
{
    bw_template *header = &t->header;
    bw_symbol *s = bw_lookup_in(p->scope, header->name, strlen(header->name));
    if (!s || s->kind != BW_SY_TEMPLATE || s->template->header.body_at) {
        bw_declare(p, header->name, BW_SY_TEMPLATE, &bw_ty_void, header->span)->template = t;
        return;
    }
    bw_type_template *old = s->template;
    for (uint32_t i = 0; i < header->count && i < old->header.count; i++)
        if (!header->parameters[i].default_at)
            header->parameters[i].default_at = old->header.parameters[i].default_at;
    t->instances = old->instances;
    *old = *t;
}

/* template <…> struct NAME { … };, and template <…> using NAME = TYPE; */
void bw_parse_type_template(bw_parser *p, bw_template *header)
{
    bw_type_template *t = bw_arena_alloc(p->arena, sizeof *t);
    t->is_alias = bw_at(p, BW_TOK_USING);
    size_t start = p->at;
    bw_take(p);
    bw_skip_attributes(p, NULL);
    const bw_token *name = bw_take(p);
    if (!bw_is_name(name))
        bw_syntax_error(p, BW_MSG_EXPECTED_NAME, "write template <…> struct NAME { … };",
                        "expected a name");
    if (bw_at(p, BW_TOK_LESS))
        bw_syntax_error(p, BW_MSG_CXX_NOT_IN_LANGUAGE,
                        "write a full specialisation, template <> struct NAME<float>, for each "
                        "case, or if constexpr in the template",
                        "partial specialisations are not in the language");
    p->at = start;
    bool defined = t->is_alias || !bw_token_is(bw_peek(p, 2), BW_TOK_SEMICOLON);
    t->header = *header;
    t->header.kind = BW_TP_TYPE;
    t->header.name = bw_name_of(p, name);
    t->header.span = name->span;
    t->header.scope = p->scope;
    t->header.body_at = defined ? p->at : 0;
    declare_type_template(p, t);
    skip_record(p);
}

bw_template *bw_parse_method_template(bw_parser *p)
{
    bw_scope *outer = p->scope;
    bw_template *t = bw_parse_template_parameters(p);
    p->scope = outer;
    return t;
}

/* ---- instances
 * ----------------------------------------------------------------------------------- */

static void parse_type_instance(bw_parser *p, bw_type_template *t, bw_type_instance *made)
{
    if (!t->header.body_at)
        bw_syntax_error(p, BW_MSG_UNDEFINED_TYPE, "define it, with its members",
                        "the template '%s' has no definition", t->header.name);
    p->at = t->header.body_at;
    if (t->is_alias) {
        p->at += 3; /* using NAME = */
        made->type = bw_parse_type_name(p);
        return;
    }
    bool is_union = bw_at(p, BW_TOK_UNION);
    bw_take(p);
    made->type = bw_parse_record(p, is_union, made, t);
}

/* In the template's scope, with its parameters bound. */
static bw_type_instance *instance_for(bw_parser *p, bw_type_template *t,
                                      const bw_template_value *values)
{
    unsigned count = 0;
    for (bw_type_instance *i = t->instances; i; i = i->next, count++)
        if (bw_same_arguments(&t->header, i->arguments, values))
            return i;
    bw_check_growth(p, &t->header, count);
    bw_type_instance *made = new_type_instance(p, t, values);
    bw_enter(p);
    bw_type_template_constants(p, &t->header);
    parse_type_instance(p, t, made);
    bw_leave(p);
    return made;
}

const bw_type *bw_instantiate_type(bw_parser *p, bw_type_template *t, bw_template_value *values,
                                   bw_span span)
{
    bw_whereabouts here = bw_go_to_template(p, &t->header);
    bool bound = bw_bind_template(p, &t->header, values, span);
    const bw_type_instance *made = bound ? instance_for(p, t, values) : NULL;
    bw_return_to(p, here);
    if (made && !made->type)
        bw_syntax_error(p, BW_MSG_TEMPLATE_GROWTH, "name another type", "'%s' stands for itself",
                        made->full_name);
    return made ? made->type : NULL;
}
