/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions of host code, and the calls between them.
 *
 * A function is read where it is called, if the call is a substitution: its parameters get the
 * values of the arguments, as far as they are known, and its template parameters those that are
 * given. One that nothing calls is read by itself, with parameters that are not known; a template
 * that nothing calls is not read, unless -D gives its parameters.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <stdlib.h>
#include <string.h>

#include "host_code.h"

/* Calls that are followed into each other; programs have three or four. */
#define MOST_CALLS 16

/* ---- which functions there are ---- */

static void add_function(bw_parser *p, const bw_template *template)
{
    bw_declared *d = bw_host_knowledge(p);
    while (!bw_at(p, BW_TOK_LPAREN))
        bw_take(p);
    bw_host_function f = {
        .name = &p->tokens[p->at - 1], .at = p->at - 1, .template = template, .scope = p->scope};
    p->at = bw_after_brackets(p, p->at);
    while (!bw_at(p, BW_TOK_LBRACE))
        bw_take(p);
    f.body = p->at;
    bw_skip_braces(p);
    f.end = p->at;
    if (d->function_count == d->function_capacity) {
        size_t capacity = d->function_capacity ? 2 * d->function_capacity : 16;
        bw_host_function *grown = bw_arena_alloc(p->arena, capacity * sizeof *grown);
        if (d->function_count)
            memcpy(grown, d->functions, d->function_count * sizeof *grown);
        d->functions = grown;
        d->function_capacity = capacity;
    }
    bw_index_add(p->arena, &d->by_name, bw_hash_text(f.name->text, f.name->len),
                 (uint32_t)d->function_count);
    d->functions[d->function_count++] = f;
}

void bw_host_add_function(bw_parser *p)
{
    add_function(p, NULL);
}

void bw_host_add_template(bw_parser *p, const bw_template *template)
{
    add_function(p, template);
}

/* The function that token `at` calls: its name with "(" or template arguments after it. `others`,
 * where it is not NULL, says whether there are several of the name. */
static bw_host_function *called_at(bw_parser *p, size_t at, bool *others)
{
    bw_declared *d = bw_host_knowledge(p);
    const bw_token *t = &p->tokens[at];
    bool member = bw_token_is(t - 1, BW_TOK_DOT) || bw_token_is(t - 1, BW_TOK_ARROW);
    if (!bw_is_name(t) || member ||
        !(bw_token_is(t + 1, BW_TOK_LPAREN) || bw_token_is(t + 1, BW_TOK_LESS)))
        return NULL;
    bw_host_function *found = NULL;
    size_t probe = 0;
    for (uint32_t row;
         (row = bw_index_next(&d->by_name, bw_hash_text(t->text, t->len), &probe)) != BW_NO_ROW;) {
        bw_host_function *f = &d->functions[row];
        if (f->name->len != t->len || memcmp(f->name->text, t->text, t->len) != 0)
            continue;
        if (f->at == at)
            return NULL; /* it is declared here */
        if (found && others)
            *others = true;
        found = found ? found : f;
    }
    return found;
}

bool bw_host_launches(bw_parser *p, size_t from, size_t to)
{
    for (size_t at = from ? from : 1; at < to; at++) {
        if (bw_token_is(&p->tokens[at], BW_TOK_LAUNCH_OPEN))
            return true;
        const bw_host_function *f = called_at(p, at, NULL);
        if (f && f->launches)
            return true;
    }
    return false;
}

/* Which functions launch, and which of those another calls that does. */
static void find_launches(bw_parser *p)
{
    bw_declared *d = bw_host_knowledge(p);
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < d->function_count; i++) {
            bw_host_function *f = &d->functions[i];
            if (!f->launches && bw_host_launches(p, f->body, f->end))
                f->launches = more = true;
        }
    }
    for (size_t i = 0; i < d->function_count; i++) {
        const bw_host_function *f = &d->functions[i];
        for (size_t at = f->body; f->launches && at < f->end; at++) {
            bw_host_function *callee = called_at(p, at, NULL);
            if (callee && callee != f)
                callee->called = true;
        }
    }
}

/* ---- reading one ---- */

/* One parameter: tokens [from, to) of its declaration; its argument, tokens [value, end), read in
 * `scope`. */
static void bind_parameter(bw_parser *p, size_t from, size_t to, size_t value, size_t end,
                           bw_scope *scope)
{
    size_t assign = from;
    while (assign < to && !bw_token_is(&p->tokens[assign], BW_TOK_ASSIGN))
        assign++;
    if (value == end && assign < to) { /* its default */
        value = assign + 1;
        end = to;
        scope = p->scope;
    }
    p->at = from;
    bool shape = bw_at(p, BW_TOK_DIM3) ||
                 (bw_at(p, BW_TOK_CONST) && bw_token_is(bw_peek(p, 1), BW_TOK_DIM3));
    if (shape && bw_is_name(&p->tokens[assign - 1]) && value < end) {
        bw_host_declare_dim3(p, &p->tokens[assign - 1], value, end, scope);
        return;
    }
    size_t name = bw_host_after_type(p);
    if (!name || name >= to)
        return;
    bool reference = bw_token_is(&p->tokens[name], BW_TOK_AND);
    bw_specifiers spec = bw_parse_specifiers(p);
    if (!reference)
        bw_host_declare(p, &spec, &p->tokens[name], value, end, scope);
    else if (spec.is_const) /* it stays what it is while the function runs, as far as is seen */
        bw_host_declare(p, &spec, &p->tokens[name + 1], value, end, scope);
}

/* All of them; `args` is token index of the call's "(", 0: no call. */
static void bind_parameters(bw_parser *p, const bw_host_function *f, size_t args, bw_scope *scope)
{
    size_t at = f->at + 1, close = bw_after_brackets(p, at) - 1;
    size_t value = args + 1, last = args ? bw_after_brackets(p, args) - 1 : 0;
    for (size_t from = at + 1; from < close;) {
        size_t to = bw_host_value_end(p, from);
        size_t end = args && value < last ? bw_host_value_end(p, value) : value;
        bind_parameter(p, from, to, args ? value : 0, args ? end : 0, scope);
        value = end < last ? end + 1 : last;
        from = to + 1;
    }
}

static bool has_goto(const bw_parser *p, const bw_host_function *f)
{
    for (size_t at = f->body; at < f->end; at++)
        if (bw_token_is(&p->tokens[at], BW_TOK_GOTO))
            return true;
    return false;
}

/* Reads the function in the current scope, where its parameters are declared. */
static void read_body(bw_parser *p, bw_host_function *f)
{
    bw_declared *d = bw_host_knowledge(p);
    bool jumps = d->jumps;
    d->jumps = has_goto(p, f);
    f->active = f->followed = true;
    d->depth++;
    p->at = f->body;
    bw_host_block(p);
    d->depth--;
    f->active = false;
    d->jumps = jumps;
}

/* -D NAME=VALUE for template parameters that are numbers. */
static bool define_template(bw_parser *p, const bw_template *t, bw_template_value *values)
{
    bool given = false;
    for (uint32_t i = 0; i < t->count; i++) {
        const bw_template_parameter *parameter = &t->parameters[i];
        if (parameter->is_type || !bw_is_defined(p, parameter->name))
            continue;
        given = true;
        values[i].value =
            bw_parameter_value(p, parameter->name, bw_new_integer(p, &bw_ty_long, 0, t->span));
    }
    return given;
}

static bool is_bound(const bw_template *t, const bw_template_value *values)
{
    for (uint32_t i = 0; i < t->count; i++)
        if (!values[i].type && !values[i].value && !t->parameters[i].default_at)
            return false;
    return true;
}

/* As called at token `args` ("(") from `scope`, with template arguments; 0: by nothing. */
static bool read_function(bw_parser *p, bw_host_function *f, size_t args, bw_scope *scope,
                          bw_template_value *values)
{
    static const bw_template none = {.name = ""};
    if (f->template && !is_bound(f->template, values))
        return false;
    bw_template here_only = none;
    here_only.scope = f->scope;
    bw_whereabouts here = bw_go_to_template(p, f->template ? f->template : &here_only);
    if (!f->template || bw_bind_template(p, f->template, values, f->name->span)) {
        bind_parameters(p, f, args, scope);
        read_body(p, f);
    }
    bw_return_to(p, here);
    return true;
}

/* ---- calls ---- */

/* The call stands where what it is part of only takes its value: x = f(1); return f(1); */
static bool stands_open(const bw_parser *p, size_t at, size_t from)
{
    static const bw_token_kind open[] = {BW_TOK_ASSIGN, BW_TOK_RETURN};
    while (at > from + 1 && bw_token_is(&p->tokens[at - 1], BW_TOK_SCOPE))
        at -= 2;
    return at == from || BW_IS_IN(&p->tokens[at - 1], open);
}

bool bw_host_follow(bw_parser *p, size_t from, size_t to)
{
    bw_declared *d = bw_host_knowledge(p);
    size_t at = from;
    bw_host_function *f = NULL;
    bool others = false;
    for (; at < to && !f; at++) {
        f = called_at(p, at, &others);
        f = f && f->launches ? f : NULL;
    }
    if (!f || others || f->active || d->depth >= MOST_CALLS || !stands_open(p, at - 1, from))
        return false;
    bw_template_value values[BW_MAX_TEMPLATE_PARAMETERS] = {{0}};
    if (f->template) {
        define_template(p, f->template, values);
        if (bw_token_is(&p->tokens[at], BW_TOK_LESS)) {
            size_t after = p->at + bw_after_angles(p, at - p->at);
            if (after == at || p->host->is_unknown(p, at + 1, after - 1))
                return false;
            p->at = at;
            bw_parse_template_arguments(p, f->template, values);
            at = p->at;
        }
    }
    if (!bw_token_is(&p->tokens[at], BW_TOK_LPAREN))
        return false;
    bool good = read_function(p, f, at, p->scope, values);
    bw_host_forget(p, from, to);
    p->at = to;
    return good;
}

void bw_host_pass_over(bw_parser *p, size_t from, size_t to)
{
    for (size_t at = from; at < to; at++) {
        bw_host_function *f = called_at(p, at, NULL);
        if (!f || f->followed || f->active)
            continue;
        f->followed = f->active = true;
        bw_host_pass_over(p, f->body, f->end);
        f->active = false;
    }
}

/* ---- all of them ---- */

/* An error in one leaves the others. */
static void guarded(bw_parser *p, bw_host_function *f)
{
    jmp_buf here, *outer = p->recover;
    bw_template_value values[BW_MAX_TEMPLATE_PARAMETERS] = {{0}};
    p->recover = &here;
    if (setjmp(here) == 0) {
        if (!f->template || define_template(p, f->template, values))
            read_function(p, f, 0, p->scope, values);
    } else {
        bw_declared *d = bw_host_knowledge(p);
        p->scope = p->globals;
        p->function = NULL;
        p->depth = p->loops = p->switches = d->depth = 0;
        p->half_at = 0;
        p->pending = NULL;
        p->no_greater = p->labels = d->jumps = false;
        for (size_t i = 0; i < d->function_count; i++)
            d->functions[i].active = false;
    }
    p->recover = outer;
}

static int by_place(const void *a, const void *b)
{
    const bw_ast_launch *x = a, *y = b;
    if (x->span.offset != y->span.offset)
        return x->span.offset < y->span.offset ? -1 : 1;
    return (x->nth > y->nth) - (x->nth < y->nth);
}

void bw_host_finish(bw_parser *p)
{
    bw_declared *d = bw_host_knowledge(p);
    bw_tree *tree = p->tree;
    if (!d->function_count)
        return;
    size_t at = p->at, errors = p->diags->errors;
    find_launches(p);
    bw_host_forget_shared(p);
    for (size_t i = 0; i < d->function_count; i++)
        if (d->functions[i].launches && !d->functions[i].called)
            guarded(p, &d->functions[i]);
    for (size_t i = 0; i < d->function_count; i++)
        if (d->functions[i].launches && !d->functions[i].followed)
            guarded(p, &d->functions[i]);
    if (p->diags->errors > errors)
        bw_host_report_arguments(p);
    for (size_t i = 0; i < tree->launch_count; i++)
        tree->launches[i].nth = i;
    if (tree->launch_count)
        qsort(tree->launches, tree->launch_count, sizeof *tree->launches, by_place);
    p->at = at;
}
