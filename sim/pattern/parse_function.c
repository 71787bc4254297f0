/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <stdlib.h>
#include <string.h>

#include "parse.h"

#define MAX_FUNCTION_PARAMETERS 64
#define MAX_TEMPLATE_PARAMETERS 16
#define MAX_INSTANCES 256

/* ---- parameters and bodies
 * ----------------------------------------------------------------------- */

static void parse_parameter(bw_parser *p, bw_function *f)
{
    if (f->param_count == MAX_FUNCTION_PARAMETERS)
        bw_syntax_error(p, "put them into a struct", "more than %d parameters",
                        MAX_FUNCTION_PARAMETERS);
    bw_specifiers spec = bw_parse_specifiers(p);
    bw_declarator d = bw_parse_declarator(p, spec.type);
    const bw_type *type = d.type;
    if (type->kind == BW_TY_ARRAY && !d.is_reference)
        type = bw_type_pointer(p->arena, type->elem);
    bw_span span = d.name ? d.name->span : spec.span;
    const char *name = d.name ? bw_name_of(p, d.name) : "";
    bw_symbol *s = bw_declare(p, *name ? name : bw_arena_format(p->arena, "#%u", f->param_count),
                              BW_SY_VARIABLE, type, span);
    s->storage = type->kind == BW_TY_STRUCT && !d.is_reference ? BW_ST_LOCAL : BW_ST_REGISTER;
    s->is_reference = d.is_reference;
    s->is_const = spec.is_const && d.is_reference;
    s->is_volatile = spec.is_volatile;
    s->is_pointer_parameter = type->kind == BW_TY_POINTER;
    f->params[f->param_count] = s;
    if (bw_accept(p, "="))
        f->defaults[f->param_count] = bw_convert(p, bw_parse_assignment(p), type);
    f->param_count++;
}

static void parse_parameters(bw_parser *p, bw_function *f)
{
    f->params = bw_arena_alloc(p->arena, MAX_FUNCTION_PARAMETERS * sizeof *f->params);
    f->defaults = bw_arena_alloc(p->arena, MAX_FUNCTION_PARAMETERS * sizeof *f->defaults);
    bw_expect_token(p, "(", "before the parameters");
    if (bw_at(p, "void") && bw_token_is(bw_peek(p, 1), ")"))
        bw_take(p);
    while (!bw_at(p, ")")) {
        parse_parameter(p, f);
        if (!bw_accept(p, ","))
            break;
    }
    bw_expect_token(p, ")", "behind the parameters");
    while (bw_accept(p, "const") || bw_accept(p, "noexcept"))
        continue;
    bw_skip_attributes(p, NULL);
}

static void parse_function_body(bw_parser *p, bw_function *f)
{
    bw_function *outer = p->function;
    p->function = f;
    f->body = bw_parse_block(p);
    f->parsed = true;
    if (f->result->kind == BW_TY_AUTO)
        f->result = &bw_ty_void;
    p->function = outer;
}

static void skip_braces(bw_parser *p)
{
    int depth = 0;
    do {
        if (bw_peek(p, 0)->kind == BW_TOK_END)
            bw_syntax_error(p, "add '}'", "this function does not end");
        depth += bw_at(p, "{") - bw_at(p, "}");
        bw_take(p);
    } while (depth > 0);
}

static bw_function *new_function(bw_parser *p, const char *name, bw_span span)
{
    bw_function *f = bw_arena_alloc(p->arena, sizeof *f);
    f->name = f->full_name = name;
    f->span = span;
    return f;
}

static void defined_twice(bw_parser *p, const bw_function *f, const bw_function *old)
{
    bw_diagnostic *d = bw_error(p->diags, p->source, f->span, "'%s' is defined twice", f->name);
    bw_also(p->diags, d, p->source, old->span, "the first definition is here");
    bw_note(p->diags, d, "remove one, or give them different names or parameters");
}

/* The function of `f`'s name and parameters that was declared before, or NULL. */
static bw_function *find_declared(const bw_symbol *s, const bw_function *f)
{
    for (bw_function *o = s->function; o; o = o->next_overload) {
        bool same = o->is_template == f->is_template &&
                    (f->is_template ? !o->body_at && o->template_count == f->template_count
                                    : o->param_count == f->param_count);
        for (uint32_t i = 0; same && !f->is_template && i < f->param_count; i++)
            same = bw_type_same(o->params[i]->type, f->params[i]->type);
        if (same)
            return o;
    }
    return NULL;
}

/* Makes `f` known, or completes the declaration that it defines; returns the one to go on with. */
static bw_function *register_function(bw_parser *p, bw_function *f)
{
    bw_symbol *s = bw_lookup(p, f->name, strlen(f->name));
    if (s && s->kind != BW_SY_FUNCTION)
        s = NULL;
    bw_function *old = s ? find_declared(s, f) : NULL;
    if (old && old->parsed) {
        defined_twice(p, f, old);
        return f; /* checked, and known to nobody */
    }
    if (old) {
        for (uint32_t i = 0; !f->is_template && i < f->param_count; i++)
            f->defaults[i] = f->defaults[i] ? f->defaults[i] : old->defaults[i];
        f->next_instance = old->next_instance;
        f->next_overload = old->next_overload;
        *old = *f;
        return old;
    }
    f->next_instance = p->functions;
    p->functions = f;
    if (s) {
        f->next_overload = s->function->next_overload;
        s->function->next_overload = f;
    } else {
        bw_declare(p, f->name, BW_SY_FUNCTION, &bw_ty_void, f->span)->function = f;
    }
    return f;
}

/* A template is parsed when its arguments are known. */
static void skip_template(bw_parser *p, bw_function *f)
{
    while (!bw_at(p, "{") && !bw_at(p, ";") && bw_peek(p, 0)->kind != BW_TOK_END)
        bw_take(p);
    f->body_at = bw_at(p, "{") ? p->at : 0;
    register_function(p, f);
    if (!bw_accept(p, ";"))
        skip_braces(p);
}

void bw_parse_function(bw_parser *p, const bw_specifiers *spec, const bw_declarator *declarator,
                       bw_template *templates, uint32_t template_count, size_t header_at)
{
    const bw_token *name = declarator->name;
    const bw_type *result = declarator->type;
    bool returns_reference = declarator->is_reference && template_count == 0;
    bw_function *f = new_function(p, bw_name_of(p, name), name->span);
    f->is_kernel = spec->is_kernel;
    f->is_constexpr = spec->is_constexpr;
    f->returns_reference = returns_reference;
    f->result = returns_reference ? bw_type_pointer(p->arena, result) : result;
    f->templates = templates;
    f->template_count = template_count;
    f->is_template = template_count > 0;
    f->header_at = header_at;
    if (f->is_template) {
        skip_template(p, f);
        return;
    }
    if (f->is_kernel && result->kind != BW_TY_VOID)
        bw_note(p->diags, bw_error(p->diags, p->source, name->span, "a kernel returns void"),
                "write __global__ void");
    bw_scope *outer = p->scope;
    bw_push_scope(p);
    bw_scope *inner = p->scope;
    parse_parameters(p, f);
    p->scope = outer;
    f = register_function(p, f);
    p->scope = inner;
    if (!bw_accept(p, ";"))
        parse_function_body(p, f);
    bw_pop_scope(p);
}

/* ---- templates
 * ----------------------------------------------------------------------------------- */

void bw_parse_template(bw_parser *p)
{
    bw_take(p);
    bw_expect_token(p, "<", "behind template");
    bw_template *list = bw_arena_alloc(p->arena, MAX_TEMPLATE_PARAMETERS * sizeof *list);
    uint32_t count = 0;
    bw_push_scope(p); /* earlier parameters may stand in later ones' types */
    while (!bw_at(p, ">")) {
        if (count == MAX_TEMPLATE_PARAMETERS)
            bw_syntax_error(p, "use fewer", "more than %d template parameters",
                            MAX_TEMPLATE_PARAMETERS);
        bw_template *t = &list[count++];
        if (bw_token_is(bw_peek(p, 1), "..."))
            bw_syntax_error(p, "write the parameters one by one",
                            "parameter packs are not in the language");
        t->is_type = bw_at(p, "typename") || bw_at(p, "class");
        if (t->is_type)
            bw_take(p);
        else
            bw_parse_specifiers(p);
        if (bw_peek(p, 0)->kind != BW_TOK_NAME)
            bw_syntax_error(p, "write template <int N, typename T>", "expected a parameter's name");
        t->name = bw_name_of(p, bw_take(p));
        if (bw_accept(p, "=")) {
            t->default_at = p->at;
            for (int depth = 0; depth > 0 || (!bw_at(p, ",") && !bw_at(p, ">")); bw_take(p)) {
                depth += bw_at(p, "(") - bw_at(p, ")");
                if (bw_peek(p, 0)->kind == BW_TOK_END)
                    bw_syntax_error(p, "close it with '>'",
                                    "this template's parameters do not end");
            }
        }
        if (t->is_type)
            bw_declare(p, t->name, BW_SY_TYPE, &bw_ty_int, (bw_span){0, 0});
        if (!bw_accept(p, ","))
            break;
    }
    bw_expect_token(p, ">", "behind the template's parameters");
    size_t header_at = p->at;
    if (bw_at_host_function(p)) { /* its launches are not known before it is called */
        while (!bw_at(p, "{"))
            bw_take(p);
        skip_braces(p);
        bw_pop_scope(p);
        return;
    }
    if (bw_at(p, "struct") || bw_at(p, "class") || bw_at(p, "union") || bw_at(p, "using"))
        bw_syntax_error(p, "write it out for the types and numbers in use",
                        "only functions can be templates");
    bw_specifiers spec = bw_parse_specifiers(p);
    bw_declarator d = bw_parse_declarator(p, spec.type);
    bw_pop_scope(p);
    if (!d.name || !bw_at(p, "("))
        bw_syntax_error(p, "make it a plain struct or a const", "only functions can be templates");
    d.type = &bw_ty_void;
    bw_parse_function(p, &spec, &d, list, count, header_at);
}

static bool same_values(const bw_function *a, const bw_template_value *values)
{
    for (uint32_t i = 0; i < a->template_count; i++) {
        const bw_template_value *x = &a->arguments[i], *y = &values[i];
        if (a->templates[i].is_type ? !bw_type_same(x->type, y->type)
                                    : x->value->integer != y->value->integer)
            return false;
    }
    return true;
}

/* Fills defaults and declares the parameters in the current scope. False where one is missing. */
static bool bind_templates(bw_parser *p, bw_function *f, bw_template_value *values, bw_span span)
{
    for (uint32_t i = 0; i < f->template_count; i++) {
        bw_template *t = &f->templates[i];
        if (!values[i].type && !values[i].value && t->default_at) {
            size_t at = p->at;
            p->at = t->default_at;
            if (t->is_type)
                values[i].type = bw_parse_type_name(p);
            else
                values[i].value = bw_new_integer(
                    p, &bw_ty_long, bw_parse_integer(p, "a template argument", 0), span);
            p->at = at;
        }
        if (!values[i].type && !values[i].value) {
            bw_note(p->diags,
                    bw_error(p->diags, p->source, span,
                             "the template argument '%s' of '%s' is not given", t->name, f->name),
                    "write %s<…>(…)", f->name);
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
    while (at > 0 && !bw_token_is(&p->tokens[at], "template"))
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
        int depth = 0;
        while ((depth > 0 || (!bw_at(p, ",") && !bw_at(p, ">"))) &&
               bw_peek(p, 0)->kind != BW_TOK_END) {
            depth += bw_at(p, "(") - bw_at(p, ")");
            bw_take(p);
        }
        bw_take(p);
    }
    p->at = saved;
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

bw_function *bw_instantiate(bw_parser *p, bw_function *f, bw_template_value *values, bw_span span)
{
    bw_scope *scope = p->scope;
    p->scope = p->globals;
    bw_push_scope(p);
    if (!bind_templates(p, f, values, span)) {
        p->scope = scope;
        return NULL;
    }
    int count = 0;
    for (bw_function *i = f->instances; i; i = i->next_instance, count++)
        if (same_values(i, values)) {
            p->scope = scope;
            return i;
        }
    if (count == MAX_INSTANCES)
        bw_syntax_error(p, "a template may not use itself with ever new arguments",
                        "'%s' is used with more than %d sets of arguments", f->name, MAX_INSTANCES);
    bw_function *made = new_function(p, f->name, f->span);
    made->full_name = instance_name(p, f, values);
    made->is_kernel = f->is_kernel;
    made->templates = f->templates;
    made->template_count = f->template_count;
    made->arguments = bw_arena_alloc(p->arena, MAX_TEMPLATE_PARAMETERS * sizeof *values);
    memcpy(made->arguments, values, f->template_count * sizeof *values);
    made->next_instance = f->instances;
    f->instances = made;
    size_t at = p->at;
    unsigned loops = p->loops, switches = p->switches;
    bool greater = p->no_greater, labels = p->labels;
    p->loops = p->switches = 0;
    p->labels = false;
    p->no_greater = false;
    bw_enter(p);
    type_constants(p, f);
    p->at = f->header_at;
    bw_specifiers spec = bw_parse_specifiers(p);
    bw_declarator d = bw_parse_declarator(p, spec.type);
    made->is_constexpr = spec.is_constexpr;
    made->returns_reference = d.is_reference;
    made->result = d.is_reference ? bw_type_pointer(p->arena, d.type) : d.type;
    bw_push_scope(p);
    parse_parameters(p, made);
    if (!bw_accept(p, ";"))
        parse_function_body(p, made);
    bw_leave(p);
    p->at = at;
    p->loops = loops;
    p->switches = switches;
    p->labels = labels;
    p->no_greater = greater;
    p->scope = scope;
    return made;
}

/* ---- launches
 * ------------------------------------------------------------------------------------ */

static void check_shape(bw_parser *p, const uint32_t dims[3], bool grid, bw_span span)
{
    static const uint32_t block_limit[3] = {1024, 1024, 64};
    static const uint32_t grid_limit[3] = {2147483647, 65535, 65535};
    const uint32_t *limit = grid ? grid_limit : block_limit;
    uint64_t product = (uint64_t)dims[0] * dims[1] * dims[2];
    const char *note = grid ? "a grid is at most 2147483647 x 65535 x 65535 blocks"
                            : "a block is at most 1024 x 1024 x 64 and 1024 threads in all";
    for (int i = 0; i < 3; i++)
        if (dims[i] == 0 || dims[i] > limit[i]) {
            bw_note(p->diags,
                    bw_error(p->diags, p->source, span, "a %s of %ux%ux%u cannot be launched",
                             grid ? "grid" : "block", dims[0], dims[1], dims[2]),
                    "%s", note);
            return;
        }
    if (!grid && product > 1024)
        bw_note(p->diags,
                bw_error(p->diags, p->source, span, "a block of %ux%ux%u has %llu threads", dims[0],
                         dims[1], dims[2], (unsigned long long)product),
                "%s", note);
}

static bw_diagnostic *unknown_shape(bw_parser *p, const char *what, size_t start,
                                    const bw_token *unknown)
{
    return bw_error(p->diags, p->source, bw_span_from(p, start),
                    "the %s of this launch is not known: it depends on '%.*s'", what,
                    (int)unknown->len, unknown->text);
}

/* The grid or the block of a launch; --grid and --block spare those that only the host knows. */
static void parse_dims(bw_parser *p, uint32_t dims[3], bool grid)
{
    size_t start = p->at;
    const char *what = grid ? "grid" : "block";
    if ((grid ? p->options->grid : p->options->block)[0]) {
        dims[0] = dims[1] = dims[2] = 1;
        p->at = bw_host_value_end(p, start);
        return;
    }
    const bw_token *unknown = bw_parse_host_shape(p, dims);
    if (!unknown) {
        check_shape(p, dims, grid, bw_span_from(p, start));
        return;
    }
    bw_diagnostic *d = unknown_shape(p, what, start, unknown);
    const char *option = grid ? "--grid 4x4" : "--block 32x8";
    if (bw_is_host_variable(p, unknown))
        bw_note(p->diags, d, "give it with %s, or the value with -D %.*s=…", option,
                (int)unknown->len, unknown->text);
    else
        bw_note(p->diags, d, "give it with %s", option);
}

static uint32_t parse_dynamic_shared(bw_parser *p)
{
    size_t start = p->at, end = bw_host_value_end(p, start);
    const bw_token *unknown = bw_host_unknown(p, start, end);
    if (!unknown) {
        int64_t bytes = bw_parse_integer(p, "the dynamic shared memory", 0);
        return bytes < 0 || bytes > INT32_MAX ? INT32_MAX : (uint32_t)bytes;
    }
    p->at = end;
    bw_diagnostic *d = unknown_shape(p, "dynamic shared memory", start, unknown);
    if (bw_is_host_variable(p, unknown))
        bw_note(p->diags, d, "give the value with -D %.*s=…", (int)unknown->len, unknown->text);
    else
        bw_note(p->diags, d, "write the number of bytes");
    return 0;
}

/* What only the host knows: to the comma or bracket behind it. */
static void skip_host_value(bw_parser *p)
{
    p->at = bw_host_value_end(p, p->at);
}

static bw_expr *constant_argument(bw_parser *p, const bw_type *type)
{
    bw_expr *e = bw_convert(p, bw_parse_assignment(p), type);
    if (e->type->kind == BW_TY_ERROR || bw_is_constant(e) || type->kind == BW_TY_STRUCT)
        return e;
    bw_note(p->diags,
            bw_error(p->diags, p->source, e->span, "a launch argument must be a constant"),
            "write a number, or declare it above: const int n = …;");
    return NULL;
}

/* { 1024, pointer, 0.5f }: one expression a number in the struct, NULL for a pointer. */
static void parse_struct_values(bw_parser *p, const bw_type *type, bw_expr *list)
{
    bw_enter(p);
    bw_expect_token(p, "{", "before the struct's values");
    bool array = type->kind == BW_TY_ARRAY;
    uint32_t members = !array ? type->member_count : type->count < 0 ? 0 : (uint32_t)type->count;
    for (uint32_t k = 0; k < members && !bw_at(p, "}"); k++) {
        const bw_type *member = array ? type->elem : type->members[k].type;
        if (!array && bw_type_overlaid(type, k))
            continue;
        if (member->kind == BW_TY_STRUCT || member->kind == BW_TY_ARRAY) {
            uint32_t end = list->arg_count + bw_type_leaves(member);
            parse_struct_values(p, member, list);
            list->arg_count = end;
        } else if (member->kind == BW_TY_POINTER) {
            skip_host_value(p);
            list->arg_count++;
        } else {
            list->args[list->arg_count++] = constant_argument(p, member);
        }
        if (!bw_accept(p, ","))
            break;
    }
    bw_expect_token(p, "}", "behind the struct's values");
    bw_leave(p);
}

static bw_expr *struct_argument(bw_parser *p, const bw_type *type)
{
    const bw_token *name = bw_peek(p, 0);
    if (!bw_at(p, "{")) {
        bw_symbol *s = bw_lookup(p, name->text, name->len);
        if (s || bw_is_builtin(name) || bw_at_type(p))
            return constant_argument(p, type);
        skip_host_value(p);
        return NULL;
    }
    uint32_t leaves = bw_type_leaves(type);
    if (leaves >= BW_TOO_MANY_LEAVES)
        bw_syntax_error(p, "pass a pointer", "this struct is too large for a list");
    bw_expr *list = bw_new_expr(p, BW_EX_LIST, type, name->span);
    list->args = bw_arena_alloc(p->arena, (leaves + 1) * sizeof *list->args);
    parse_struct_values(p, type, list);
    return list;
}

/* One argument: a constant, or whatever stands for a pointer to global memory; NULL: unknown. */
static bw_expr *parse_launch_argument(bw_parser *p, const bw_symbol *param)
{
    const bw_token *token = bw_peek(p, 0);
    const bw_token *next = bw_peek(p, 1);
    bool alone = token->kind == BW_TOK_NAME && (bw_token_is(next, ",") || bw_token_is(next, ")"));
    bw_symbol *s = alone ? bw_lookup(p, token->text, token->len) : NULL;
    if (param && param->type->kind == BW_TY_STRUCT)
        return struct_argument(p, param->type);
    if (param && param->type->kind == BW_TY_POINTER && (!s || s->kind != BW_SY_CONSTANT)) {
        skip_host_value(p);
        if (s && s->kind == BW_SY_VARIABLE && s->storage == BW_ST_GLOBAL && s->content)
            return bw_value(p, bw_new_symbol(p, s, token->span));
        return NULL;
    }
    bool on_host = p->scope != p->globals; /* what a program computes may well be unknown here */
    if (on_host && bw_host_unknown(p, p->at, bw_host_value_end(p, p->at))) {
        skip_host_value(p);
        return NULL;
    }
    return param ? constant_argument(p, param->type) : bw_parse_assignment(p);
}

void bw_parse_launch(bw_parser *p)
{
    size_t start = p->at;
    const bw_token *name = bw_take(p);
    bw_symbol *s = bw_lookup(p, name->text, name->len);
    if (!s || s->kind != BW_SY_FUNCTION) {
        p->at = start;
        bw_syntax_error(p, "define it above the launch: __global__ void name(…) { … }",
                        "unknown kernel '%.*s'", (int)name->len, name->text);
    }
    bw_function *f = s->function;
    bw_template_value values[MAX_TEMPLATE_PARAMETERS] = {{0}};
    size_t errors = p->diags->errors;
    if (f->is_template)
        bw_parse_template_arguments(p, f, values);
    bw_ast_launch launch = {0};
    bw_expect_token(p, "<<<", "behind the kernel's name");
    parse_dims(p, launch.grid, true);
    bw_expect_token(p, ",", "between grid and block");
    parse_dims(p, launch.block, false);
    if (bw_accept(p, ",")) {
        launch.dynamic_shared = parse_dynamic_shared(p);
        for (int depth = 0; bw_at(p, ",") || depth > 0 || !bw_at(p, ">>>"); bw_take(p)) {
            if (bw_peek(p, 0)->kind == BW_TOK_END || bw_at(p, ";"))
                break; /* the stream says nothing about costs: it is passed over */
            depth += bw_at(p, "(") - bw_at(p, ")");
        }
    }
    bw_expect_token(p, ">>>", "behind the launch's shape");
    bw_span shape = bw_span_from(p, start);
    if (p->diags->errors > errors)
        bw_unwind(p); /* its arguments would only follow from that */
    if (f->is_template && !(f = bw_instantiate(p, f, values, shape)))
        bw_unwind(p);
    if (!f->is_kernel) {
        p->at = start;
        bw_syntax_error(p, "declare it __global__ void", "'%s' is not a kernel", f->name);
    }
    launch.kernel = f;
    launch.args = bw_arena_alloc(p->arena, (MAX_FUNCTION_PARAMETERS + 1) * sizeof *launch.args);
    bw_expect_token(p, "(", "before the kernel's arguments");
    while (!bw_at(p, ")") && launch.arg_count <= MAX_FUNCTION_PARAMETERS) {
        const bw_symbol *param =
            launch.arg_count < f->param_count ? f->params[launch.arg_count] : NULL;
        launch.args[launch.arg_count++] = parse_launch_argument(p, param);
        if (!bw_accept(p, ","))
            break;
    }
    bw_expect_token(p, ")", "behind the kernel's arguments");
    bw_expect_token(p, ";", "behind the launch");
    launch.span = bw_span_from(p, start);
    uint32_t needed = f->param_count;
    while (needed && f->defaults[needed - 1])
        needed--;
    if (launch.arg_count < needed || launch.arg_count > f->param_count) {
        bw_note(
            p->diags,
            bw_error(p->diags, p->source, launch.span, "'%s' takes %u arguments, not %u", f->name,
                     f->param_count, launch.arg_count),
            "give one for each parameter; a name that is declared nowhere stands for a pointer");
        return;
    }
    for (uint32_t i = launch.arg_count; i < f->param_count; i++)
        launch.args[launch.arg_count++] = f->defaults[i];
    BW_GROW(p->launches, p->launch_count, p->launch_capacity);
    p->launches[p->launch_count++] = launch;
}

/* ---- assumptions
 * --------------------------------------------------------------------------------- */

typedef struct number_list {
    double *items;
    size_t count, capacity;
} number_list;

static void add_number(bw_parser *p, number_list *list, double value)
{
    if (list->count == list->capacity) {
        double *old = list->items;
        list->capacity = list->capacity ? list->capacity * 2 : 64;
        list->items = bw_arena_alloc(p->arena, list->capacity * sizeof *old);
        if (old)
            memcpy(list->items, old, list->count * sizeof *old);
    }
    list->items[list->count++] = value;
}

/* @FILE: numbers separated by commas or white space. */
static void read_table(bw_parser *p, number_list *list, bw_span span)
{
    const bw_pattern_host *host = &p->options->host;
    const char *text = p->source->text + span.offset;
    size_t len = span.len;
    while (len && (text[len - 1] == ' ' || text[len - 1] == '\r' || text[len - 1] == '\t'))
        len--;
    const char *path = bw_arena_copy(p->arena, text, len), *error = "files cannot be read here";
    size_t size = 0;
    char *data = host->read_file ? host->read_file(host->context, path, &size, &error) : NULL;
    if (!data) {
        bw_note(p->diags, bw_error(p->diags, p->source, span, "cannot read '%s': %s", path, error),
                "give a path relative to the pattern file");
        return;
    }
    unsigned line = 1;
    for (size_t i = 0; i < size;) {
        size_t start = i;
        while (i < size && !strchr(" \t\r\n,;", data[i]))
            i++;
        bool is_float = false;
        int64_t integer = 0;
        double real = 0;
        if (i > start && !bw_number(data + start, i - start, &is_float, &integer, &real)) {
            bw_note(p->diags,
                    bw_error(p->diags, p->source, span, "%s:%u: '%.*s' is not a number", path, line,
                             (int)(i - start > 40 ? 40 : i - start), data + start),
                    "write numbers, separated by commas or white space");
            break;
        }
        if (i > start)
            add_number(p, list, real);
        if (i < size) {
            line += data[i] == '\n';
            i++;
        }
    }
    free(data);
}

/* Whether an expression reads a variable of the code around it: it would have no value yet. */
static bool reads_variable(const bw_expr *e, const bw_symbol *index)
{
    if (!e)
        return false;
    if (e->kind == BW_EX_SYMBOL)
        return e->symbol != index && e->symbol->storage != BW_ST_GLOBAL;
    bool found =
        reads_variable(e->a, index) || reads_variable(e->b, index) || reads_variable(e->c, index);
    for (uint32_t k = 0; k < e->arg_count && !found; k++)
        found = reads_variable(e->args[k], index);
    return found;
}

static void parse_assumed_law(bw_parser *p, bw_assume *a)
{
    bw_push_scope(p);
    a->index = bw_declare(p, "i", BW_SY_VARIABLE, &bw_ty_llong, a->span);
    a->index->storage = BW_ST_REGISTER;
    bw_expr *first = bw_value(p, bw_parse_conditional(p));
    bw_pop_scope(p);
    number_list list = {0};
    if (!bw_at(p, ",")) {
        a->law = first;
    } else {
        for (bw_expr *e = first;;) {
            if (!bw_is_constant(e)) {
                bw_note(p->diags, bw_error(p->diags, p->source, e->span, "a table holds numbers"),
                        "write assume: %s = 3, 1, 2", a->name);
                break;
            }
            add_number(p, &list, bw_type_is_float(e->type) ? e->real : (double)e->integer);
            if (!bw_accept(p, ",") || bw_peek(p, 0)->kind == BW_TOK_END)
                break;
            e = bw_parse_conditional(p);
        }
    }
    if (a->law && reads_variable(a->law, a->index))
        bw_syntax_error(p, "write it with i, the element's index, and constants",
                        "an assumption cannot use a variable");
    a->table = list.items;
    a->table_count = list.count;
    if (bw_peek(p, 0)->kind != BW_TOK_END)
        bw_syntax_error(p, "write assume: NAME = LAW, a list of numbers, or @FILE",
                        "unexpected text behind the assumption");
}

static void parse_assume_tokens(bw_parser *p, bw_span span)
{
    const bw_token *name = bw_peek(p, 0);
    if (name->kind != BW_TOK_NAME || !bw_token_is(bw_peek(p, 1), "="))
        bw_syntax_error(p, "write assume: NAME = LAW, as in assume: data = random(256)",
                        "an assumption names a global array");
    bw_take(p);
    bw_take(p);
    bw_assume a = {.name = bw_name_of(p, name), .span = name->span};
    if (bw_at(p, "@")) {
        bw_span path = bw_take(p)->span;
        path.offset++;
        path.len = span.offset + span.len - path.offset;
        number_list list = {0};
        read_table(p, &list, path);
        a.table = list.items;
        a.table_count = list.count;
    } else {
        parse_assumed_law(p, &a);
    }
    BW_GROW(p->assumes, p->assume_count, p->assume_capacity);
    p->assumes[p->assume_count++] = a;
}

void bw_parse_assume(bw_parser *p, const bw_comment *comment)
{
    bw_tokens tokens = {0};
    bw_lex_span(p->arena, p->source, comment->span, &tokens, p->diags);
    const bw_token *outer = p->tokens;
    size_t at = p->at, count = p->count;
    jmp_buf here, *recover = p->recover;
    bw_scope *scope = p->scope;
    p->tokens = tokens.items;
    p->at = 0;
    p->count = tokens.count;
    p->recover = &here;
    if (setjmp(here) == 0)
        parse_assume_tokens(p, comment->span);
    p->recover = recover;
    p->tokens = outer;
    p->at = at;
    p->count = count;
    p->scope = scope;
    p->depth = 0;
    bw_tokens_finish(&tokens);
}
