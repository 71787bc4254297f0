/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the command line says of launches: whole ones, arguments, and the kernels that it chooses.
 *
 * A launch of the command line is a text that the file's goes on in (bw_source.more): its tokens
 * come after the file's, and its places are in the option.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "parse.h"

/* ---- which kernels
 * ------------------------------------------------------------------------------- */

/* Whether `name` is all of a kernel's name, somewhere in the file. */
static bool names_whole(const bw_parser *p, const char *name)
{
    for (const bw_function *f = p->tree->functions; f; f = f->next)
        if (f->is_kernel && strcmp(f->name, name) == 0)
            return true;
    return false;
}

bool bw_is_chosen(const bw_parser *p, const bw_function *f)
{
    const char *part = p->input->kernel;
    if (!part || strcmp(f->name, part) == 0)
        return true;
    return !names_whole(p, part) && strstr(f->full_name, part);
}

static const char *kernel_names(bw_parser *p)
{
    const char *list = "";
    for (const bw_function *f = p->tree->functions; f; f = f->next)
        if (f->is_kernel && (!f->template || bw_is_template(f)))
            list = bw_arena_format(p->arena, "%s%s%s", f->name, *list ? ", " : "", list);
    return list;
}

const char *bw_kernels_note(bw_parser *p)
{
    const char *list = kernel_names(p);
    return *list ? bw_arena_format(p->arena, "the kernels of %s are: %s", p->source->name, list)
                 : "define it above the launch: __global__ void name(…) { … }";
}

/* ---- arguments
 * ----------------------------------------------------------------------------------- */

/* Whether "3", "n" or "kernel:n" is parameter `index` of the kernel. */
static bool is_target(const bw_function *f, uint32_t index, const char *target)
{
    const char *colon = strrchr(target, ':'), *at = colon ? colon + 1 : target;
    size_t len = colon ? (size_t)(colon - target) : 0;
    const char *name = f->full_name;
    while (*name && strncmp(name, target, len) != 0)
        name++;
    if (!*name)
        return false;
    if (isdigit((unsigned char)*at)) {
        char *end;
        unsigned long number = strtoul(at, &end, 10);
        return !*end && number == index;
    }
    return strcmp(f->params[index]->name, at) == 0;
}

static void bad_argument(bw_parser *p, const bw_argument *a, const char *what, const char *note)
{
    bw_note(p->diags,
            bw_diagnose(p->diags, BW_MSG_LAUNCH_ARGUMENT, NULL, (bw_span){0, 0}, "--arg %s=%s: %s",
                        a->target, a->value, what),
            "%s", note);
}

/* After "i64:" and the like, which machine code needs and a declared parameter does not. */
static const char *after_type(const char *value)
{
    static const char *const types[] = {
        "i8:", "u8:", "i16:", "u16:", "i32:", "u32:", "i64:", "u64:", "f32:", "f64:"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strncmp(value, types[i], strlen(types[i])) == 0)
            return value + strlen(types[i]);
    return value;
}

/* The argument's value as one of the type; NULL: not known, or a pointer. */
static bw_expr *given_argument(bw_parser *p, const bw_argument *a, const bw_type *type,
                               bw_span span)
{
    const char *text = after_type(a->value);
    bool is_float = false, truth = strcmp(text, "true") == 0 || strcmp(text, "false") == 0;
    int64_t integer = text[0] == 't';
    double real = (double)integer;
    if (strcmp(text, "_") == 0)
        return NULL;
    if (type->kind == BW_TY_POINTER) {
        if (strcmp(text, "ptr") != 0 && strcmp(text, "null") != 0 && text[0] != '@')
            bad_argument(p, a, "the parameter is a pointer",
                         "write ptr, and its content as --data");
        return NULL;
    }
    if (!bw_type_is_arithmetic(type)) {
        bad_argument(p, a, "the parameter is a struct",
                     "give it in the launch: --launch 'kernel<<<1, 32>>>({1024, ptr, 0.5f})'");
        return NULL;
    }
    if (!truth && !bw_number(text, strlen(text), &is_float, &integer, &real)) {
        bad_argument(p, a, "the value is not a number", "write --arg n=32");
        return NULL;
    }
    bool to_real = bw_type_is_float(type);
    if (!to_real && (is_float || bw_new_integer(p, type, integer, span)->integer != integer)) {
        bad_argument(
            p, a,
            bw_arena_format(p->arena, "the value does not fit %s", bw_type_name(p->arena, type)),
            "write a value of the parameter's type");
        return NULL;
    }
    return to_real ? bw_new_real(p, type, is_float ? real : (double)integer, span)
                   : bw_new_integer(p, type, integer, span);
}

/* -D NAME=VALUE of a kernel's parameter. */
static bw_expr *defined_argument(bw_parser *p, const bw_symbol *param, bw_span span)
{
    bool real = bw_type_is_float(param->type);
    if (!bw_type_is_arithmetic(param->type) || !*param->name || !bw_is_defined(p, param->name))
        return NULL;
    return bw_parameter_value(p, param->name,
                              real ? bw_new_real(p, param->type, 0, span)
                                   : bw_new_integer(p, param->type, 0, span));
}

void bw_complete_arguments(bw_parser *p, bw_ast_launch *launch)
{
    const bw_tree_input *in = p->input;
    const bw_function *f = launch->kernel;
    bw_expr **args = bw_arena_alloc(p->arena, (f->param_count + 1) * sizeof *args);
    for (uint32_t k = 0; k < f->param_count; k++) {
        const bw_symbol *param = f->params[k];
        args[k] = k < launch->arg_count ? launch->args[k] : NULL;
        bw_expr *defined =
            args[k] && launch->order ? NULL : defined_argument(p, param, launch->span);
        args[k] = defined ? defined : args[k];
        for (size_t i = 0; i < in->argument_count; i++) {
            const bw_argument *a = &in->arguments[i];
            if (!is_target(f, k, a->target))
                continue;
            in->used[i] = true;
            if (!args[k] || a->order >= launch->order)
                args[k] = given_argument(p, a, param->type, launch->span);
        }
    }
    launch->args = args;
    launch->arg_count = f->param_count;
}

/* ---- advice
 * -------------------------------------------------------------------------------------- */

/* "<32, float>": an argument for each parameter. */
static const char *advised_templates(bw_arena *arena, const bw_template *t)
{
    const char *list = "";
    for (uint32_t i = 0; i < t->count; i++)
        list = bw_arena_format(arena, "%s%s%s", list, i ? ", " : "",
                               t->parameters[i].is_type ? "float" : "32");
    return bw_arena_format(arena, "<%s>", list);
}

/* The arguments of a template, whose parameters are tokens still: "x, _". */
static const char *template_arguments(const bw_tree_input *in, const bw_template *t)
{
    const bw_token *tokens = in->tokens->items;
    size_t at = t->header_at, end = in->tokens->file_count - 1;
    const char *list = "";
    int depth = 0;
    while (at < end &&
           !(bw_token_is(&tokens[at], BW_TOK_LPAREN) && tokens[at].span.offset > t->span.offset))
        at++;
    bool pointer = false, any = false;
    const bw_token *name = NULL;
    for (at++; at < end && depth >= 0; at++) {
        const bw_token *k = &tokens[at];
        bool closes = depth == 0 && bw_token_is(k, BW_TOK_RPAREN);
        if (closes || (depth == 0 && bw_token_is(k, BW_TOK_COMMA))) {
            if (any)
                list = bw_arena_format(in->arena, "%s%s%.*s", list, *list ? ", " : "",
                                       pointer && name ? (int)name->len : 1,
                                       pointer && name ? name->text : "_");
            pointer = any = false;
            name = NULL;
            if (closes)
                break;
            continue;
        }
        depth += bw_token_is(k, BW_TOK_LPAREN) || bw_token_is(k, BW_TOK_LESS);
        depth -= bw_token_is(k, BW_TOK_RPAREN) || bw_token_is(k, BW_TOK_GREATER);
        pointer = pointer || bw_token_is(k, BW_TOK_STAR);
        any = true;
        if (bw_is_name(k))
            name = k;
    }
    return list;
}

static const char *advised_arguments(const bw_tree_input *in, const bw_function *f)
{
    const char *list = "";
    if (bw_is_template(f))
        return template_arguments(in, f->template);
    for (uint32_t k = 0; k < f->param_count; k++) {
        bool pointer = f->params[k]->type->kind == BW_TY_POINTER && *f->params[k]->name;
        list = bw_arena_format(in->arena, "%s%s%s", list, k ? ", " : "",
                               pointer ? f->params[k]->name : "_");
    }
    return list;
}

static const char *advised_shape(bw_arena *arena, const uint32_t dims[3], uint32_t fallback)
{
    uint32_t x = dims[0] ? dims[0] : fallback;
    if (dims[0] && (dims[1] > 1 || dims[2] > 1))
        return bw_arena_format(arena, "dim3(%u, %u, %u)", x, dims[1] ? dims[1] : 1,
                               dims[2] ? dims[2] : 1);
    return bw_arena_format(arena, "%u", x);
}

const char *bw_launch_advice(const bw_tree_input *in, const bw_function *f)
{
    const char *shared = in->has_shared ? bw_arena_format(in->arena, ", %u", in->shared) : "";
    return bw_arena_format(in->arena, "--launch '%s%s<<<%s, %s%s>>>(%s)'", f->name,
                           bw_is_template(f) ? advised_templates(in->arena, f->template) : "",
                           advised_shape(in->arena, in->grid, 1),
                           advised_shape(in->arena, in->block, BW_LANES), shared,
                           advised_arguments(in, f));
}

/* ---- launches
 * ------------------------------------------------------------------------------------ */

static void skip_scope(bw_parser *p)
{
    while (bw_is_name(bw_peek(p, 0)) && bw_token_is(bw_peek(p, 1), BW_TOK_SCOPE))
        p->at += 2;
}

static void parse_given_launch(bw_parser *p)
{
    skip_scope(p);
    if (!bw_at_launch(p))
        bw_syntax_error(p, BW_MSG_LAUNCH_PLACE, "write --launch 'name<<<grid, block>>>(arguments)'",
                        "this is no launch");
    bw_parse_launch(p);
    if (bw_peek(p, 0)->kind != BW_TOK_END)
        bw_syntax_error(p, BW_MSG_LAUNCH_PLACE, "give each launch as an option of its own",
                        "unexpected text after the launch");
}

static void guarded_launch(bw_parser *p)
{
    jmp_buf here, *outer = p->recover;
    bw_parser saved = *p;
    p->recover = &here;
    if (setjmp(here) == 0) {
        parse_given_launch(p);
    } else {
        p->at = saved.at;
        p->scope = p->globals;
        p->function = NULL;
        p->depth = p->loops = p->switches = 0;
        p->half_at = 0;
        p->pending = NULL;
        p->no_greater = p->labels = false;
    }
    p->recover = outer;
}

void bw_parse_given_launches(bw_parser *p)
{
    const bw_tree_input *in = p->input;
    size_t next = in->tokens->file_count;
    for (size_t i = 0; next < in->tokens->count; i++) {
        p->at = next;
        while (p->tokens[next].kind != BW_TOK_END)
            next++;
        p->count = ++next;
        p->order = in->launch_orders[i];
        guarded_launch(p);
    }
    p->order = 0;
}

static bool is_launched(const bw_tree *tree, const bw_function *f)
{
    for (size_t i = 0; i < tree->launch_count; i++)
        if (tree->launches[i].kernel == f)
            return true;
    return false;
}

static int by_place(const void *a, const void *b)
{
    const bw_ast_launch *x = a, *y = b;
    return (x->span.offset > y->span.offset) - (x->span.offset < y->span.offset);
}

void bw_launch_rest(bw_parser *p)
{
    bw_tree *tree = p->tree;
    size_t before = tree->launch_count;
    if (!p->input->block[0] || tree->script)
        return;
    for (bw_function *f = tree->functions; f; f = f->next) {
        if (!f->is_kernel || f->template || is_launched(tree, f) || !bw_is_chosen(p, f))
            continue;
        BW_GROW(tree->launches, tree->launch_count, tree->launch_capacity);
        bw_ast_launch *launch = &tree->launches[tree->launch_count++];
        *launch = (bw_ast_launch){.kernel = f,
                                  .grid = {1, 1, 1},
                                  .block = {BW_LANES, 1, 1},
                                  .span = f->span,
                                  .implied = true};
        bw_complete_arguments(p, launch);
    }
    if (tree->launch_count > before)
        qsort(tree->launches + before, tree->launch_count - before, sizeof *tree->launches,
              by_place);
}
