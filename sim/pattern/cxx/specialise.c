/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Templates of structs and of other names of types, templates within structs, and full
 * specialisations.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "cxx.h"

/* ---- specialisations
 * ----------------------------------------------------------------------------- */

static bw_function *find_template(bw_parser *p, const bw_token *name, bool record)
{
    bw_symbol *s = bw_lookup(p, name->text, name->len);
    bw_function *f = NULL;
    if (s && s->kind == (record ? BW_SY_TEMPLATE : BW_SY_FUNCTION))
        for (f = s->function; f && !f->is_template;)
            f = f->next_overload;
    if (!f)
        bw_syntax_error(p, BW_MSG_TEMPLATE_ARGUMENT,
                        "define the template that it specialises above it", "'%.*s' is no template",
                        (int)name->len, name->text);
    return f;
}

/* template <> struct NAME<ARGUMENTS> { … }; */
static void specialise_record(bw_parser *p)
{
    bw_template_value values[BW_MAX_TEMPLATE_PARAMETERS] = {{0}};
    bool is_union = bw_at(p, BW_TOK_UNION);
    bw_take(p);
    bw_skip_attributes(p, NULL);
    const bw_token *name = bw_take(p);
    bw_function *f = find_template(p, name, true);
    if (!bw_parse_template_arguments(p, f, values))
        bw_syntax_error(p, BW_MSG_TEMPLATE_ARGUMENT, "write template <> struct NAME<float> { … };",
                        "expected the arguments of this specialisation");
    bw_scope *scope = p->scope;
    bw_push_scope(p);
    if (!bw_bind_templates(p, f, values, name->span))
        bw_unwind(p);
    p->scope = scope;
    bw_function *made = bw_new_instance(p, f, values);
    made->is_template = false;
    made->result = bw_parse_record(p, is_union, made, f);
    made->parsed = true;
    bw_expect_token(p, BW_TOK_SEMICOLON, "behind the struct");
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
    bw_function *f = find_template(p, d.name, false);
    bool angled = bw_parse_template_arguments(p, f, values);
    bw_function *made = bw_new_function(p, f->name, d.name->span);
    made->is_kernel = spec.is_kernel;
    made->is_constexpr = spec.is_constexpr;
    made->returns_reference = d.is_reference;
    made->result = d.is_reference ? bw_type_pointer(p->arena, d.type) : d.type;
    bw_push_scope(p);
    bw_parse_parameters(p, made, NULL);
    if (!angled || f->template_count > 1) {
        bw_expr **args = bw_arena_alloc(p->arena, (made->param_count + 1) * sizeof *args);
        for (uint32_t i = 0; i < made->param_count; i++)
            args[i] = bw_new_symbol(p, made->params[i], d.name->span);
        bw_deduce(p, f, args, made->param_count, values, d.name->span);
    }
    bw_push_scope(p);
    if (!bw_bind_templates(p, f, values, d.name->span))
        bw_unwind(p);
    bw_pop_scope(p);
    bw_function *kept = bw_new_instance(p, f, values);
    made->full_name = kept->full_name;
    made->templates = kept->templates;
    made->template_count = kept->template_count;
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

/* A struct's text, or an alias's: to the semicolon behind it. */
static void skip_record(bw_parser *p)
{
    while (!bw_at(p, BW_TOK_LBRACE) && !bw_at(p, BW_TOK_SEMICOLON) &&
           bw_peek(p, 0)->kind != BW_TOK_END)
        bw_take(p);
    if (bw_at(p, BW_TOK_LBRACE))
        bw_skip_braces(p);
    if (!bw_at(p, BW_TOK_SEMICOLON))
        bw_syntax_error(p, BW_MSG_EXPECTED_TOKEN, "end the struct with ';'",
                        "expected ';' behind the template");
    bw_take(p);
}

/* template <…> struct NAME { … };, and template <…> using NAME = TYPE; */
void bw_parse_type_template(bw_parser *p, bw_function *f)
{
    f->is_alias = bw_at(p, BW_TOK_USING);
    f->is_record = !f->is_alias;
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
    f->name = f->full_name = bw_name_of(p, name);
    f->span = name->span;
    f->scope = p->scope;
    p->at = start;
    bool defined = f->is_alias || !bw_token_is(bw_peek(p, 2), BW_TOK_SEMICOLON);
    bw_symbol *s = bw_lookup_in(p->scope, name->text, name->len);
    if (s && s->kind == BW_SY_TEMPLATE && !s->function->body_at) { /* declared before */
        bw_function *old = s->function;
        for (uint32_t i = 0; i < f->template_count && i < old->template_count; i++)
            if (!f->templates[i].default_at)
                f->templates[i].default_at = old->templates[i].default_at;
        f->instances = old->instances;
        *old = *f;
        f = old;
    } else {
        bw_declare(p, f->name, BW_SY_TEMPLATE, &bw_ty_void, f->span)->function = f;
    }
    f->body_at = defined ? p->at : 0;
    skip_record(p);
}

bw_function *bw_parse_method_template(bw_parser *p)
{
    bw_scope *outer = p->scope;
    bw_function *f = bw_parse_template_parameters(p);
    p->scope = outer;
    return f;
}

/* ---- instances
 * ----------------------------------------------------------------------------------- */

static void parse_lambda_instance(bw_parser *p, const bw_function *f, bw_function *made)
{
    const bw_template_value *outer = p->autos;
    p->at = f->header_at;
    made->result = &bw_ty_auto;
    p->autos = made->arguments;
    bw_parse_parameters(p, made, NULL);
    p->autos = outer;
    bw_parse_function_body(p, made);
}

static void parse_type_instance(bw_parser *p, bw_function *f, bw_function *made)
{
    if (!f->body_at)
        bw_syntax_error(p, BW_MSG_UNDEFINED_TYPE, "define it, with its members",
                        "the template '%s' has no definition", f->name);
    p->at = f->body_at;
    if (f->is_alias) {
        p->at += 3; /* using NAME = */
        made->result = bw_parse_type_name(p);
        return;
    }
    bool is_union = bw_at(p, BW_TOK_UNION);
    bw_take(p);
    made->result = bw_parse_record(p, is_union, made, f);
}

void bw_parse_instance(bw_parser *p, bw_function *f, bw_function *made)
{
    if (f->is_generic)
        parse_lambda_instance(p, f, made);
    else
        parse_type_instance(p, f, made);
}
