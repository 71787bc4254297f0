/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <stdlib.h>
#include <string.h>

#include "parse.h"

bw_stmt *bw_new_stmt(bw_parser *p, bw_stmt_kind kind, bw_span span)
{
    bw_stmt *s = bw_arena_alloc(p->arena, sizeof *s);
    s->kind = kind;
    s->span = span;
    return s;
}

bw_stmt *bw_new_expr_stmt(bw_parser *p, bw_expr *e)
{
    bw_stmt *s = bw_new_stmt(p, BW_SM_EXPR, e->span);
    s->expr = e;
    return s;
}

/* ---- declarations
 * -------------------------------------------------------------------------------- */

bool bw_is_defined(bw_parser *p, const char *name)
{
    return bw_given_define(p->input->given, name) != NULL;
}

/* One for all that have its name and value, as the arguments of several launches. */
static void add_parameter(bw_tree *tree, const bw_parameter *new)
{
    for (size_t i = 0; i < tree->parameter_count; i++) {
        const bw_parameter *p = &tree->parameters[i];
        if (strcmp(p->name, new->name) == 0 && p->is_float == new->is_float &&
            p->integer == new->integer &&memcmp(&p->real, &new->real, sizeof p->real) == 0)
            return;
    }
    BW_GROW(tree->parameters, tree->parameter_count, tree->parameter_capacity);
    tree->parameters[tree->parameter_count++] = *new;
}

bw_expr *bw_parameter_value(bw_parser *p, const char *name, bw_expr *value)
{
    const bw_define *define = bw_given_define(p->input->given, name);
    bool real = bw_type_is_float(value->type);
    if (define) {
        bool is_float = false;
        int64_t integer = 0;
        double number = 0;
        if (strcmp(define->value, "true") == 0 || strcmp(define->value, "false") == 0) {
            integer = define->value[0] == 't';
            number = (double)integer;
        } else if (!bw_number(define->value, strlen(define->value), &is_float, &integer, &number) ||
                   (is_float && !real)) {
            bw_diagnostic *d = bw_diagnose(p->diags, BW_MSG_DEFINE_VALUE, NULL, (bw_span){0, 0},
                                           "-D %s=%s: the value is not %s", name, define->value,
                                           real ? "a number" : "an integer");
            bw_note(p->diags, d, "write -D %s=%s", name, real ? "1.5" : "32");
            return value;
        }
        if (!real && bw_new_integer(p, value->type, integer, value->span)->integer != integer) {
            bw_diagnostic *d = bw_diagnose(p->diags, BW_MSG_DEFINE_VALUE, NULL, (bw_span){0, 0},
                                           "-D %s=%s: the value does not fit %s", name,
                                           define->value, bw_type_name(p->arena, value->type));
            bw_note(p->diags, d, "change the type of '%s' in the file, or the value", name);
            return value;
        }
        value = real ? bw_new_real(p, value->type, number, value->span)
                     : bw_new_integer(p, value->type, integer, value->span);
    }
    add_parameter(p->tree, &(bw_parameter){.name = name,
                                           .is_float = real,
                                           .integer = real ? 0 : value->integer,
                                           .real = real ? value->real : (double)value->integer});
    return value;
}

static bool at_global_scope(const bw_parser *p)
{
    return bw_is_global(p->scope);
}

/* const and constexpr scalars with a constant value are names for that value. */
static bool becomes_constant(const bw_parser *p, const bw_specifiers *spec, const bw_type *type,
                             const bw_expr *init)
{
    bool host = p->kernel_form && at_global_scope(p) && !spec->is_shared && !spec->is_device &&
                !spec->is_constant_memory;
    return init && (spec->is_const || spec->is_constexpr || host) && bw_is_constant(init) &&
           bw_type_is_arithmetic(type) && bw_type_is_arithmetic(init->type);
}

static void check_shared(bw_parser *p, const bw_specifiers *spec, bw_symbol *s, const bw_expr *init)
{
    if (init) {
        bw_note(p->diags,
                bw_diagnose(p->diags, BW_MSG_SHARED_INITIALIZER, p->source, s->span,
                            "a __shared__ variable cannot be initialized"),
                "store to it in a statement: CUDA starts shared memory undefined");
    }
    bool open = s->type->kind == BW_TY_ARRAY && s->type->count < 0;
    if (open && !spec->is_extern)
        bw_note(
            p->diags,
            bw_diagnose(p->diags, BW_MSG_ARRAY_SIZE, p->source, s->span, "this array needs a size"),
            "write its size, or 'extern __shared__' and the bytes in the launch");
    if (spec->is_extern && !open)
        bw_note(p->diags,
                bw_diagnose(p->diags, BW_MSG_ARRAY_SIZE, p->source, s->span,
                            "an extern __shared__ array has empty brackets"),
                "write 'extern __shared__ %s[];'", s->name);
}

static bw_storage storage_of(const bw_parser *p, const bw_specifiers *spec, const bw_type *type)
{
    if (spec->is_shared)
        return BW_ST_SHARED;
    if (spec->is_device || spec->is_constant_memory)
        return BW_ST_GLOBAL;
    if (p->kernel_form && at_global_scope(p))
        return BW_ST_GLOBAL;
    return type->kind == BW_TY_ARRAY || type->kind == BW_TY_STRUCT ? BW_ST_LOCAL : BW_ST_REGISTER;
}

static bw_expr *parse_declared_value(bw_parser *p, const bw_type **type)
{
    if (bw_accept(p, BW_TOK_ASSIGN))
        return bw_parse_initializer(p, type);
    if ((*type)->kind == BW_TY_STRUCT &&
        (bw_at(p, BW_TOK_LBRACE) || bw_at(p, BW_TOK_LPAREN))) /* float4 v(a); */
        return bw_parse_construction_of(p, *type, p->at);
    if (bw_at(p, BW_TOK_LBRACE))
        return bw_parse_initializer(p, type);
    if (bw_at(p, BW_TOK_LPAREN)) { /* int x(4); */
        bw_expr **args;
        if (bw_parse_arguments(p, &args) == 1)
            return args[0];
        bw_syntax_error(p, BW_MSG_INITIALIZER, "write = value", "this type takes one value");
    }
    return NULL;
}

bool bw_reference_binds(bw_parser *p, const bw_declarator *d, bool is_const, const bw_expr *value)
{
    const bw_type *type = d->type;
    if (!value || bw_is_error(value))
        return true;
    bool same = bw_type_based_on_auto(type) || bw_type_same(value->type, type);
    if (value->lvalue && same)
        return true;
    if (!is_const && !d->is_rvalue && value->lvalue)
        bw_refuse(p, BW_MSG_REFERENCE_BINDING, value->span,
                  bw_arena_format(p->arena, "a reference to %s cannot be bound to %s",
                                  bw_type_name(p->arena, type),
                                  bw_type_name(p->arena, value->type)),
                  "give both the same type");
    return !is_const && !d->is_rvalue;
}

/* A lambda's copy would need a state of its own. */
static void refuse_copy(bw_parser *p, const bw_expr *value)
{
    const bw_record *r = value->type->kind == BW_TY_STRUCT ? value->type->record : NULL;
    if (r && r->has_state && value->lvalue)
        bw_refuse(p, BW_MSG_CXX_NOT_IN_LANGUAGE, value->span,
                  "a copy of a mutable lambda is not in the language",
                  "bind a reference to it, auto &g = f;, or write a second lambda");
}

static bw_symbol *declare_variable(bw_parser *p, const bw_specifiers *spec, bw_declarator *d,
                                   const char *name, bw_expr **init)
{
    const bw_type *type = d->type;
    bool given = bw_at(p, BW_TOK_ASSIGN) || bw_at(p, BW_TOK_LBRACE) || bw_at(p, BW_TOK_LPAREN);
    if (d->is_reference && bw_accept(p, BW_TOK_ASSIGN))
        *init = bw_parse_assignment(p);
    else
        *init = parse_declared_value(p, &type);
    bool runs = !spec->is_shared && !spec->is_extern && !spec->is_device &&
                !spec->is_constant_memory && !(p->kernel_form && at_global_scope(p));
    if (!given && runs && !d->is_reference)
        *init = p->cxx->default_object(p, type, d->name->span);
    bw_expr *value = *init;
    if (d->is_reference && !bw_reference_binds(p, d, spec->is_const, value))
        d->is_reference = false;
    if (value && !d->is_reference)
        refuse_copy(p, value);
    if (type->kind == BW_TY_POINTER && type->elem->kind == BW_TY_AUTO && value) { /* auto *p */
        value = bw_value(p, value);
        if (value->type->kind == BW_TY_POINTER)
            type = value->type;
    }
    if (type->kind == BW_TY_AUTO && value) {
        if (!d->is_reference)
            value = bw_value(p, value);
        type = bw_is_error(value) ? &bw_ty_int : value->type;
    } else if (value && !d->is_reference && type->kind != BW_TY_ARRAY &&
               type->kind != BW_TY_HANDLE) {
        bool list = value->kind == BW_EX_LIST && bw_type_same(value->type, type);
        value = list ? value : bw_convert(p, value, type);
    }
    if (type->kind == BW_TY_VOID || type->kind == BW_TY_AUTO) {
        bw_note(p->diags,
                bw_diagnose(p->diags, BW_MSG_VARIABLE_TYPE, p->source, d->name->span,
                            "'%s' cannot have type %s", name, type->name),
                type->kind == BW_TY_AUTO ? "give it a value" : "use void * or a value's type");
        type = &bw_ty_int;
    }
    *init = value;
    if (!d->is_reference && becomes_constant(p, spec, type, value)) {
        bool parameter =
            at_global_scope(p) && (spec->is_const || spec->is_constexpr || p->kernel_form);
        bw_symbol *s = bw_declare(p, name, BW_SY_CONSTANT, type, d->name->span);
        s->value = parameter ? bw_parameter_value(p, name, value) : value;
        s->is_mutable = !spec->is_const && !spec->is_constexpr && !bw_is_defined(p, name);
        s->is_local = spec->is_static;
        *init = NULL;
        return NULL;
    }
    bw_symbol *s = bw_declare(p, name, BW_SY_VARIABLE, type, d->name->span);
    s->storage = d->is_reference ? BW_ST_REGISTER : storage_of(p, spec, type);
    s->is_reference = d->is_reference;
    s->is_extern = spec->is_extern;
    s->is_volatile = spec->is_volatile;
    s->of_thread = value && bw_is_of_thread(value);
    s->is_const = spec->is_const || spec->is_constexpr || spec->is_constant_memory;
    return s;
}

static void declare_reference(bw_parser *p, const bw_symbol *s, bw_expr **init)
{
    if (!*init || !(*init)->lvalue) {
        bw_note(p->diags,
                bw_diagnose(p->diags, BW_MSG_REFERENCE_BINDING, p->source, s->span,
                            "a reference needs what it refers to"),
                "write = variable or element");
        *init = NULL;
        return;
    }
    bw_mark_address_taken(*init);
    bw_expr *e = bw_new_expr(p, BW_EX_ADDRESS, bw_type_pointer(p->arena, s->type), (*init)->span);
    e->a = *init;
    *init = e;
}

static bw_stmt *finish_variable(bw_parser *p, const bw_specifiers *spec, bw_symbol *s,
                                bw_expr *init)
{
    if (s->storage == BW_ST_SHARED)
        check_shared(p, spec, s, init);
    if (s->storage == BW_ST_GLOBAL && init && init->kind == BW_EX_LIST) {
        s->content = init->list.items;
        s->content_count = init->list.count;
        init = NULL;
    } else if (s->storage == BW_ST_GLOBAL && init && bw_is_constant(init)) {
        s->content = bw_arena_alloc(p->arena, sizeof *s->content);
        s->content[0] = init;
        s->content_count = 1;
        init = NULL;
    }
    if (s->type->kind == BW_TY_ARRAY && s->type->count < 0 && s->storage != BW_ST_SHARED) {
        bw_note(
            p->diags,
            bw_diagnose(p->diags, BW_MSG_ARRAY_SIZE, p->source, s->span, "this array needs a size"),
            "write it in the brackets");
        return NULL;
    }
    if (s->is_reference)
        declare_reference(p, s, &init);
    bool of_kernels = s->storage == BW_ST_SHARED && p->kernel_form && at_global_scope(p);
    if ((s->storage == BW_ST_GLOBAL && !init) || of_kernels)
        return NULL; /* nothing to run: it is placed where it is used */
    bw_stmt *stmt = bw_new_stmt(p, BW_SM_DECLARE, s->span);
    stmt->symbol = s;
    stmt->expr = init;
    return stmt;
}

static bool declare_one(bw_parser *p, const bw_specifiers *spec, bw_stmt ***end)
{
    size_t skip = bw_at(p, BW_TOK_AND) || bw_at(p, BW_TOK_AND_AND);
    if (spec->type->kind == BW_TY_AUTO && bw_token_is(bw_peek(p, skip), BW_TOK_LBRACKET))
        bw_syntax_error(p, BW_MSG_CXX_NOT_IN_LANGUAGE, "write auto v = …; and use v.x, v.y",
                        "a structured binding is not in the language");
    bw_declarator d = bw_parse_declarator(p, spec->type);
    if (!d.name)
        bw_syntax_error(p, BW_MSG_EXPECTED_NAME, "write TYPE NAME;",
                        "expected a name in this declaration");
    if (bw_at(p, BW_TOK_SCOPE))
        bw_syntax_error(p, BW_MSG_CXX_NOT_IN_LANGUAGE, "write its body between the struct's braces",
                        "a function of a struct is defined outside it");
    uint32_t align = d.align > spec->align ? d.align : spec->align;
    if (align)
        d.type = bw_type_aligned(p->arena, d.type, align);
    const char *name = bw_name_of(p, d.name);
    bool function =
        bw_at(p, BW_TOK_LPAREN) && at_global_scope(p) &&
        (spec->is_kernel || spec->is_device || spec->is_host || spec->is_static ||
         bw_token_is(bw_peek(p, 1), BW_TOK_RPAREN) || (p->at++, bw_at_type(p) || (p->at--, false)));
    if (function) {
        if (bw_token_is(&p->tokens[p->at - 1], BW_TOK_LPAREN))
            p->at--;
        bw_parse_function(p, spec, &d, NULL);
        return false;
    }
    if (spec->is_typedef) {
        const bw_type *type = d.is_reference ? bw_type_reference(p->arena, d.type) : d.type;
        bw_declare(p, name, BW_SY_TYPE, type, d.name->span);
        return true;
    }
    bw_expr *init;
    bw_symbol *s = declare_variable(p, spec, &d, name, &init);
    bw_stmt *stmt = s ? finish_variable(p, spec, s, init) : NULL;
    if (stmt) {
        **end = stmt;
        *end = &stmt->next;
    }
    return true;
}

/* using namespace std; using std::min; using T = int; */
static void parse_using(bw_parser *p)
{
    bw_take(p);
    if (!bw_at(p, BW_TOK_NAMESPACE) && bw_token_is(bw_peek(p, 1), BW_TOK_ASSIGN))
        p->cxx->alias(p);
    else
        while (!bw_at(p, BW_TOK_SEMICOLON) && bw_peek(p, 0)->kind != BW_TOK_END)
            bw_take(p);
    bw_expect_token(p, BW_TOK_SEMICOLON, "after using");
}

static void parse_static_assert(bw_parser *p)
{
    bw_span span = bw_take(p)->span;
    bw_expect_token(p, BW_TOK_LPAREN, "after static_assert");
    int64_t value = bw_parse_integer(p, "an assertion", 1);
    const bw_token *text = NULL;
    if (bw_accept(p, BW_TOK_COMMA))
        text = bw_take(p);
    bw_expect_token(p, BW_TOK_RPAREN, "after the assertion");
    bw_expect_token(p, BW_TOK_SEMICOLON, "after static_assert");
    if (!value)
        bw_diagnose(p->diags, BW_MSG_STATIC_ASSERTION, p->source, span,
                    "static assertion failed%s%.*s", text ? ": " : "", text ? (int)text->len : 0,
                    text ? text->text : "");
}

bw_stmt *bw_parse_declaration_statement(bw_parser *p)
{
    if (bw_at(p, BW_TOK_USING)) {
        parse_using(p);
        return NULL;
    }
    if (bw_at(p, BW_TOK_STATIC_ASSERT)) {
        parse_static_assert(p);
        return NULL;
    }
    bw_specifiers spec = bw_parse_specifiers(p);
    bw_stmt *first = NULL, **end = &first;
    if (!bw_at(p, BW_TOK_SEMICOLON))
        do {
            if (!declare_one(p, &spec, &end))
                return NULL;
        } while (bw_accept(p, BW_TOK_COMMA));
    bw_expect_token(p, BW_TOK_SEMICOLON, "after the declaration");
    return first;
}

bw_stmt *bw_after_pending(bw_parser *p, bw_stmt *s)
{
    bw_stmt *first = p->pending, **end = &first;
    p->pending = NULL;
    while (*end)
        end = &(*end)->next;
    *end = s;
    return first;
}

/* ---- statements
 * ---------------------------------------------------------------------------------- */

/* What a condition or loop governs; `labels`: it is the body of a switch. */
static bw_stmt *parse_governed(bw_parser *p, bool labels)
{
    bool outer = p->labels;
    p->labels = labels;
    bw_push_scope(p);
    bw_stmt *s = bw_parse_statement(p);
    for (bw_stmt *last = s; labels; last = last->next) { /* case 2: case 3: statement */
        if (last->next)
            continue;
        if (last->kind != BW_SM_CASE)
            break;
        last->next = bw_parse_statement(p);
    }
    bw_pop_scope(p);
    p->labels = outer;
    if (s->next) { /* several make one */
        bw_stmt *block = bw_new_stmt(p, BW_SM_BLOCK, s->span);
        block->body = s;
        return block;
    }
    return s;
}

bw_stmt *bw_parse_body(bw_parser *p)
{
    return parse_governed(p, false);
}

static bw_expr *condition(bw_parser *p)
{
    bw_expr *e = bw_value(p, bw_parse_expression(p));
    if (!bw_is_error(e) && !bw_type_is_scalar(e->type)) {
        bw_note(p->diags,
                bw_diagnose(p->diags, BW_MSG_OPERAND_TYPE, p->source, e->span,
                            "a condition must be a number"),
                "compare it with something");
        return bw_new_error(p, e->span);
    }
    return bw_convert(p, e, &bw_ty_bool);
}

static bw_stmt *parse_if(bw_parser *p, size_t start)
{
    bw_take(p);
    bool constant = bw_accept(p, BW_TOK_CONSTEXPR);
    bw_expect_token(p, BW_TOK_LPAREN, "after if");
    if (bw_at_declaration(p))
        bw_syntax_error(p, BW_MSG_CXX_NOT_IN_LANGUAGE, "declare the variable before the if",
                        "a declaration in a condition is not in the language");
    bw_expr *cond = condition(p);
    bw_expect_token(p, BW_TOK_RPAREN, "after the condition");
    bw_stmt *s = bw_new_stmt(p, BW_SM_IF, bw_span_from(p, start));
    bw_note_statement(p, start);
    s->cond = cond;
    if (constant && !bw_is_constant(cond) && !bw_is_error(cond))
        bw_note(p->diags,
                bw_diagnose(p->diags, BW_MSG_NOT_CONSTANT, p->source, cond->span,
                            "if constexpr needs a constant"),
                "write a plain if");
    bool decided = constant && bw_is_constant(cond); /* the other branch need not even make sense */
    if (decided && !cond->integer)
        bw_skip_substatement(p);
    else
        s->body = bw_parse_body(p);
    if (bw_accept(p, BW_TOK_ELSE)) {
        if (decided && cond->integer)
            bw_skip_substatement(p);
        else
            s->other = bw_parse_body(p);
    }
    if (bw_is_constant(cond)) { /* the other branch is no code at all */
        bw_stmt *kept = cond->integer ? s->body : s->other;
        return kept ? kept : bw_new_stmt(p, BW_SM_EMPTY, s->span);
    }
    return s;
}

/* for (T x : array): a colon before any semicolon of its parentheses. */
static bool at_range(const bw_parser *p)
{
    int depth = 0;
    for (size_t k = 0; bw_peek(p, k)->kind != BW_TOK_END; k++) {
        const bw_token *t = bw_peek(p, k);
        if (depth == 0 && (bw_token_is(t, BW_TOK_COLON) || bw_token_is(t, BW_TOK_SEMICOLON) ||
                           bw_token_is(t, BW_TOK_QUESTION)))
            return bw_token_is(t, BW_TOK_COLON);
        depth += bw_token_is(t, BW_TOK_LPAREN) || bw_token_is(t, BW_TOK_LBRACE) ||
                 bw_token_is(t, BW_TOK_LBRACKET);
        depth -= bw_token_is(t, BW_TOK_RPAREN) || bw_token_is(t, BW_TOK_RBRACE) ||
                 bw_token_is(t, BW_TOK_RBRACKET);
        if (depth < 0)
            return false;
    }
    return false;
}

static bw_stmt *parse_for(bw_parser *p, size_t start)
{
    bw_take(p);
    bw_push_scope(p);
    bw_expect_token(p, BW_TOK_LPAREN, "after for");
    if (bw_at_declaration(p) && at_range(p))
        return p->cxx->range_for(p, start);
    bw_stmt *s = bw_new_stmt(p, BW_SM_LOOP, (bw_span){0, 0});
    if (!bw_accept(p, BW_TOK_SEMICOLON)) {
        if (bw_at_declaration(p)) {
            s->init = bw_parse_declaration_statement(p);
        } else {
            s->init = bw_new_expr_stmt(p, bw_parse_expression(p));
            bw_expect_token(p, BW_TOK_SEMICOLON, "after the loop's first part");
        }
    }
    if (!bw_at(p, BW_TOK_SEMICOLON))
        s->cond = condition(p);
    bw_expect_token(p, BW_TOK_SEMICOLON, "after the loop's condition");
    if (!bw_at(p, BW_TOK_RPAREN))
        s->step = bw_parse_expression(p);
    bw_expect_token(p, BW_TOK_RPAREN, "after the loop's last part");
    s->span = bw_span_from(p, start);
    bw_note_statement(p, start);
    p->loops++;
    s->body = bw_parse_body(p);
    p->loops--;
    bw_pop_scope(p);
    return s;
}

static bw_stmt *parse_while(bw_parser *p, size_t start)
{
    bw_take(p);
    bw_expect_token(p, BW_TOK_LPAREN, "after while");
    bw_stmt *s = bw_new_stmt(p, BW_SM_LOOP, (bw_span){0, 0});
    s->cond = condition(p);
    bw_expect_token(p, BW_TOK_RPAREN, "after the condition");
    s->span = bw_span_from(p, start);
    bw_note_statement(p, start);
    p->loops++;
    s->body = bw_parse_body(p);
    p->loops--;
    return s;
}

static bw_stmt *parse_do(bw_parser *p, size_t start)
{
    bw_take(p);
    bw_stmt *s = bw_new_stmt(p, BW_SM_DO, bw_span_from(p, start));
    p->loops++;
    s->body = bw_parse_body(p);
    p->loops--;
    bw_expect_token(p, BW_TOK_WHILE, "after the body of do");
    bw_expect_token(p, BW_TOK_LPAREN, "after while");
    s->cond = condition(p);
    bw_expect_token(p, BW_TOK_RPAREN, "after the condition");
    bw_expect_token(p, BW_TOK_SEMICOLON, "after do … while");
    return s;
}

static bw_stmt *parse_switch(bw_parser *p, size_t start)
{
    bw_take(p);
    bw_expect_token(p, BW_TOK_LPAREN, "after switch");
    bw_stmt *s = bw_new_stmt(p, BW_SM_SWITCH, (bw_span){0, 0});
    bw_expr *value = bw_value(p, bw_parse_expression(p));
    if (!bw_type_is_integer(value->type) && !bw_is_error(value))
        bw_syntax_error(p, BW_MSG_OPERAND_TYPE, "switch over an integer", "switch does not take %s",
                        bw_type_name(p->arena, value->type));
    s->cond = bw_convert(p, value, bw_type_promote(value->type));
    bw_expect_token(p, BW_TOK_RPAREN, "after the value");
    s->span = bw_span_from(p, start);
    bw_note_statement(p, start);
    p->switches++;
    s->body = parse_governed(p, true);
    p->switches--;
    return s;
}

static bw_stmt *parse_case(bw_parser *p, size_t start)
{
    bool is_default = bw_at(p, BW_TOK_DEFAULT);
    bw_take(p);
    if (p->switches == 0)
        bw_syntax_error(p, BW_MSG_MISPLACED_WORD, "put it into a switch",
                        "a label outside a switch");
    if (!p->labels)
        bw_syntax_error(p, BW_MSG_NOT_IN_LANGUAGE, "put it directly into the body of its switch",
                        "a label inside a loop or branch of its switch is not in the language");
    bw_expr *value = NULL;
    if (!is_default) {
        bw_span span = bw_peek(p, 0)->span;
        value = bw_new_integer(p, &bw_ty_llong, bw_parse_integer(p, "a case label", 0), span);
    }
    bw_expect_token(p, BW_TOK_COLON, "after the label");
    bw_stmt *s = bw_new_stmt(p, BW_SM_CASE, bw_span_from(p, start));
    s->expr = value;
    return s;
}

static bw_stmt *parse_return(bw_parser *p, size_t start)
{
    bw_take(p);
    bw_stmt *s = bw_new_stmt(p, BW_SM_RETURN, bw_span_from(p, start));
    const bw_type *result = p->function ? p->function->result : &bw_ty_void;
    if (!bw_at(p, BW_TOK_SEMICOLON)) {
        bool braces =
            bw_at(p, BW_TOK_LBRACE) && result->kind != BW_TY_AUTO && result->kind != BW_TY_VOID;
        bw_expr *e = braces ? bw_parse_construction_of(p, result, p->at) : bw_parse_expression(p);
        if (result->kind == BW_TY_AUTO)
            p->function->result = result = bw_value(p, e)->type;
        bool reference = p->function && p->function->returns_reference;
        if (reference && e->lvalue && !bw_type_same(e->type, result->elem))
            bw_syntax_error(p, BW_MSG_REFERENCE_BINDING,
                            "return a value, or give both the same type",
                            "a reference to %s cannot be bound to %s",
                            bw_type_name(p->arena, result->elem), bw_type_name(p->arena, e->type));
        if (reference && e->lvalue)
            e = bw_new_address(p, e, e->span);
        else if (reference && !bw_is_error(e))
            bw_syntax_error(p, BW_MSG_NO_ADDRESS, "return a variable, an element or a member",
                            "a reference needs something that has an address");
        if (result->kind == BW_TY_VOID && e->type->kind != BW_TY_VOID && !bw_is_error(e))
            bw_note(p->diags,
                    bw_diagnose(p->diags, BW_MSG_RETURN_TYPE, p->source, e->span,
                                "this function returns nothing"),
                    "change its return type or remove the value");
        else
            s->expr = result->kind == BW_TY_VOID ? e : bw_convert(p, e, result);
    } else if (!(s->expr = p->cxx->bare_return(p, s->span)) && result->kind != BW_TY_VOID &&
               result->kind != BW_TY_AUTO) {
        bw_note(p->diags,
                bw_diagnose(p->diags, BW_MSG_RETURN_TYPE, p->source, s->span,
                            "this function must return %s", bw_type_name(p->arena, result)),
                "write return value;");
    }
    bw_expect_token(p, BW_TOK_SEMICOLON, "after return");
    return s;
}

static bw_stmt *parse_jump(bw_parser *p, size_t start)
{
    bool is_break = bw_at(p, BW_TOK_BREAK);
    bw_take(p);
    if (p->loops == 0 && !(is_break && p->switches))
        bw_syntax_error(p, BW_MSG_MISPLACED_WORD,
                        is_break ? "put it into a loop or switch" : "put it into a loop",
                        "'%s' outside a loop", is_break ? "break" : "continue");
    bw_stmt *s = bw_new_stmt(p, is_break ? BW_SM_BREAK : BW_SM_CONTINUE, bw_span_from(p, start));
    bw_expect_token(p, BW_TOK_SEMICOLON, "after it");
    return s;
}

/* What a statement that was not understood would declare is nobody's error later. */
static void silence_names(bw_parser *p, size_t from)
{
    for (size_t i = from; i + 1 < p->at; i++) {
        const bw_token *t = &p->tokens[i], *next = t + 1;
        bool declared = bw_token_is(next, BW_TOK_LBRACKET) || bw_token_is(next, BW_TOK_SEMICOLON) ||
                        bw_token_is(next, BW_TOK_ASSIGN) || bw_token_is(next, BW_TOK_COMMA);
        if (bw_token_is(t, BW_TOK_LPAREN) || bw_token_is(t, BW_TOK_LBRACE) ||
            bw_token_is(t, BW_TOK_LBRACKET))
            i = bw_after_brackets(p, i) - 1;
        else if (t->kind == BW_TOK_NAME && declared && !bw_lookup(p, t->text, t->len))
            bw_declare(p, bw_name_of(p, t), BW_SY_VARIABLE, &bw_ty_error, t->span);
    }
}

bw_stmt *bw_parse_block(bw_parser *p)
{
    size_t start = p->at;
    bw_expect_token(p, BW_TOK_LBRACE, "before the statements");
    bw_stmt *s = bw_new_stmt(p, BW_SM_BLOCK, bw_span_from(p, start)), **end = &s->body;
    bw_push_scope(p);
    while (!bw_at(p, BW_TOK_RBRACE) && bw_peek(p, 0)->kind != BW_TOK_END) {
        jmp_buf here, *volatile outer = p->recover;
        volatile size_t at = p->at;
        bw_scope *volatile scope = p->scope;
        volatile unsigned depth = p->depth, loops = p->loops, switches = p->switches;
        volatile bool labels = p->labels;
        bw_function *volatile function = p->function;
        bw_stmt **volatile tail = end;
        p->recover = &here;
        if (setjmp(here) == 0) {
            *tail = bw_parse_statement(p);
        } else {
            p->scope = scope;
            p->depth = depth;
            p->loops = loops;
            p->switches = switches;
            p->labels = labels;
            p->function = function;
            p->no_greater = false;
            p->half_at = 0;
            p->pending = NULL;
            bw_skip_statement(p, at);
            silence_names(p, at);
            if (p->at == at && !bw_at(p, BW_TOK_RBRACE))
                bw_take(p);
        }
        p->recover = outer;
        for (end = tail; *end;)
            end = &(*end)->next;
    }
    bw_pop_scope(p);
    bw_expect_token(p, BW_TOK_RBRACE, "at the end of the block");
    return s;
}

/* What no GPU code has, and what to write instead. */
void bw_refuse_keyword(bw_parser *p)
{
    static const struct {
        bw_token_kind word;
        const char *note;
    } rows[] = {
        {BW_TOK_GOTO, "write a loop with break or continue"},
        {BW_TOK_TRY, "GPU code has no exceptions"},
        {BW_TOK_THROW, "GPU code has no exceptions"},
        {BW_TOK_DYNAMIC_CAST, "use static_cast or reinterpret_cast"},
        {BW_TOK_TYPEID, "name the type"},
        {BW_TOK_NEW, "declare an array of constant size"},
        {BW_TOK_DELETE, "declare an array of constant size"},
        {BW_TOK_TEMPLATE, "put the template at top level"},
        {BW_TOK_OPERATOR, "write the operator itself: a + b"},
        {BW_TOK_VIRTUAL, "write a plain __device__ function"},
        {BW_TOK_GNU_ASM, "write asm volatile(\"…\");"},
        {BW_TOK_WMMA,
         "what a fragment's load becomes is nvcc's choice and not documented: write the "
         "accesses of its machine code, as __ldmatrix_x4(pointer) or as plain loads"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (bw_at(p, rows[i].word))
            bw_syntax_error(p, BW_MSG_NOT_IN_LANGUAGE, rows[i].note, "'%s' is not in the language",
                            bw_spelling(rows[i].word));
}

/* "quad q;" and "quad *q = p;" with no such type. */
static void refuse_unknown_type(bw_parser *p)
{
    const bw_token *first = bw_peek(p, 0), *name = bw_peek(p, 1);
    bool pointer = bw_token_is(name, BW_TOK_STAR);
    if (pointer)
        name = bw_peek(p, 2);
    const bw_token *after = bw_peek(p, pointer ? 3 : 2);
    if (bw_is_name(first) && bw_is_name(name) && !bw_at_declaration(p) && !bw_at(p, BW_TOK_ELSE) &&
        !bw_lookup(p, first->text, first->len) &&
        (bw_token_is(after, BW_TOK_SEMICOLON) || bw_token_is(after, BW_TOK_ASSIGN) ||
         bw_token_is(after, BW_TOK_LBRACKET)))
        bw_syntax_error(p, BW_MSG_UNKNOWN_TYPE,
                        "known are C's types, <stdint.h>'s, half, CUDA's vector types, and what "
                        "the file defines with struct, typedef or using",
                        "unknown type '%.*s'", (int)first->len, first->text);
}

static bw_stmt *parse_plain(bw_parser *p, size_t start)
{
    if (bw_at(p, BW_TOK_IF))
        return parse_if(p, start);
    if (bw_at(p, BW_TOK_FOR))
        return parse_for(p, start);
    if (bw_at(p, BW_TOK_WHILE))
        return parse_while(p, start);
    if (bw_at(p, BW_TOK_DO))
        return parse_do(p, start);
    if (bw_at(p, BW_TOK_SWITCH))
        return parse_switch(p, start);
    if (bw_at(p, BW_TOK_CASE) || bw_at(p, BW_TOK_DEFAULT))
        return parse_case(p, start);
    if (bw_at(p, BW_TOK_RETURN))
        return parse_return(p, start);
    if (bw_at(p, BW_TOK_BREAK) || bw_at(p, BW_TOK_CONTINUE))
        return parse_jump(p, start);
    if (bw_at(p, BW_TOK_ASM))
        return bw_parse_asm(p);
    if (bw_at(p, BW_TOK_NAMESPACE) && bw_token_is(bw_peek(p, 2), BW_TOK_ASSIGN)) {
        while (!bw_at(p, BW_TOK_SEMICOLON) && bw_peek(p, 0)->kind != BW_TOK_END)
            bw_take(p);
        bw_expect_token(p, BW_TOK_SEMICOLON, "after the namespace");
        return bw_new_stmt(p, BW_SM_EMPTY, bw_span_from(p, start));
    }
    bw_refuse_keyword(p);
    if (bw_is_name(bw_peek(p, 0)) && bw_token_is(bw_peek(p, 1), BW_TOK_COLON))
        bw_syntax_error(p, BW_MSG_NOT_IN_LANGUAGE, "write a loop with break or continue",
                        "labels are not in the language");
    refuse_unknown_type(p);
    if (bw_at_declaration(p)) {
        bw_stmt *s = bw_parse_declaration_statement(p);
        return s ? s : bw_new_stmt(p, BW_SM_EMPTY, bw_span_from(p, start));
    }
    bw_expr *e = bw_parse_expression(p);
    bw_expect_token(p, BW_TOK_SEMICOLON, "after the statement");
    return bw_new_expr_stmt(p, e);
}

/* Remembers where a statement, or the head of a compound one, stands. */
void bw_note_statement(bw_parser *p, size_t start)
{
    bw_span span = bw_span_from(p, start);
    if (p->at <= start || !memchr(p->source->text + span.offset, '\n', span.len))
        return;
    bw_tree *tree = p->tree;
    for (size_t i = tree->statement_count;
         i-- > 0 && tree->statement_count - i < 64;) /* once more */
        if (tree->statements[i].offset == span.offset && tree->statements[i].len == span.len)
            return;
    BW_GROW(tree->statements, tree->statement_count, tree->statement_capacity);
    tree->statements[tree->statement_count++] = span;
}

bw_stmt *bw_parse_statement(bw_parser *p)
{
    size_t start = p->at;
    bw_stmt *s, *pending = p->pending;
    p->pending = NULL;
    bw_enter(p);
    if (bw_at(p, BW_TOK_LBRACE))
        s = bw_parse_block(p);
    else if (bw_accept(p, BW_TOK_SEMICOLON))
        s = bw_new_stmt(p, BW_SM_EMPTY, bw_span_from(p, start));
    else
        s = parse_plain(p, start);
    bool compound = s->kind == BW_SM_BLOCK || s->kind == BW_SM_IF || s->kind == BW_SM_LOOP ||
                    s->kind == BW_SM_DO || s->kind == BW_SM_SWITCH;
    if (!compound)
        bw_note_statement(p, start);
    bw_leave(p);
    s = bw_after_pending(p, s);
    p->pending = pending;
    return s;
}
