/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <stdlib.h>
#include <string.h>

#include "parse.h"

#define MAX_FUNCTION_PARAMETERS 64

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
    if (p->autos && bw_type_based_on_auto(type))
        type = bw_type_replace_auto(p->arena, type, p->autos++->type);
    if (type->kind == BW_TY_ARRAY && !d.is_reference)
        type = bw_type_pointer(p->arena, type->elem);
    bw_span span = d.name ? d.name->span : spec.span;
    const char *name = d.name ? bw_name_of(p, d.name) : "";
    bw_symbol *s = bw_declare(p, *name ? name : bw_arena_format(p->arena, "#%u", f->param_count),
                              BW_SY_VARIABLE, type, span);
    s->storage = type->kind == BW_TY_STRUCT && !d.is_reference ? BW_ST_LOCAL : BW_ST_REGISTER;
    s->is_reference = d.is_reference;
    s->is_rvalue = d.is_rvalue;
    s->is_const = spec.is_const && d.is_reference;
    s->is_volatile = spec.is_volatile;
    s->is_pointer_parameter = type->kind == BW_TY_POINTER;
    f->params[f->param_count] = s;
    if (bw_accept(p, "="))
        f->defaults[f->param_count] = bw_convert(p, bw_parse_assignment(p), type);
    f->param_count++;
}

void bw_parse_parameters(bw_parser *p, bw_function *f, const bw_type *object)
{
    f->params = bw_arena_alloc(p->arena, MAX_FUNCTION_PARAMETERS * sizeof *f->params);
    f->defaults = bw_arena_alloc(p->arena, MAX_FUNCTION_PARAMETERS * sizeof *f->defaults);
    if (f->is_method) {
        bw_symbol *self = bw_declare(p, "this", BW_SY_VARIABLE, object, f->span);
        self->storage = BW_ST_REGISTER;
        self->is_reference = true;
        f->params[f->param_count++] = self;
    }
    bw_expect_token(p, "(", "before the parameters");
    if (bw_at(p, "void") && bw_token_is(bw_peek(p, 1), ")"))
        bw_take(p);
    while (!bw_at(p, ")")) {
        parse_parameter(p, f);
        if (!bw_accept(p, ","))
            break;
    }
    bw_expect_token(p, ")", "behind the parameters");
    for (;;) {
        size_t before = p->at;
        if (bw_accept(p, "const"))
            f->is_const_method = f->is_method;
        bw_accept(p, "noexcept");
        bw_accept(p, "__device__"); /* of a lambda */
        bw_accept(p, "__host__");
        bw_accept(p, "mutable");
        bw_skip_attributes(p, NULL);
        if (p->at == before)
            break;
    }
    if (bw_accept(p, "->")) {
        bw_specifiers spec = bw_parse_specifiers(p);
        bw_declarator d = bw_parse_declarator(p, spec.type);
        f->returns_reference = d.is_reference;
        f->result = d.is_reference ? bw_type_pointer(p->arena, d.type) : d.type;
    }
}

void bw_parse_function_body(bw_parser *p, bw_function *f)
{
    bw_function *outer = p->function;
    size_t errors = p->diags->errors;
    p->function = f;
    f->body = bw_parse_block(p);
    f->parsed = true;
    if (f->result->kind == BW_TY_AUTO) /* no return, or one that was not understood */
        f->result = p->diags->errors > errors ? &bw_ty_error : &bw_ty_void;
    p->function = outer;
}

void bw_skip_braces(bw_parser *p)
{
    int depth = 0;
    do {
        if (bw_peek(p, 0)->kind == BW_TOK_END)
            bw_syntax_error(p, "add '}'", "this function does not end");
        depth += bw_at(p, "{") - bw_at(p, "}");
        bw_take(p);
    } while (depth > 0);
}

bw_function *bw_new_function(bw_parser *p, const char *name, bw_span span)
{
    bw_function *f = bw_arena_alloc(p->arena, sizeof *f);
    f->name = f->full_name = name;
    f->span = span;
    f->scope = p->scope;
    return f;
}

static void defined_twice(bw_parser *p, const bw_function *f, const bw_function *old)
{
    bw_diagnostic *d = bw_error(p->diags, p->source, f->span, "'%s' is defined twice", f->name);
    bw_also(p->diags, d, p->source, old->span, "the first definition is here");
    bw_note(p->diags, d, "remove one, or give them different names or parameters");
}

/* The function of `f`'s name and parameters that was declared before, or NULL. */
static bw_function *find_declared(bw_function *first, const bw_function *f)
{
    for (bw_function *o = first; o; o = o->next_overload) {
        bool same = o->is_template == f->is_template && o->is_const_method == f->is_const_method &&
                    (f->is_template ? !o->body_at && o->template_count == f->template_count
                                    : o->param_count == f->param_count);
        for (uint32_t i = 0; same && !f->is_template && i < f->param_count; i++)
            same = bw_type_same(o->params[i]->type, f->params[i]->type);
        if (same)
            return o;
    }
    return NULL;
}

/* Puts `f` among the overloads that begin at *first, or completes the declaration that it defines;
 * returns the one to go on with. */
bw_function *bw_add_overload(bw_parser *p, bw_function **first, bw_function *f)
{
    bw_function *old = find_declared(*first, f);
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
    if (*first) {
        f->next_overload = (*first)->next_overload;
        (*first)->next_overload = f;
    } else {
        *first = f;
    }
    return f;
}

/* Makes `f` known in the current scope. */
bw_function *bw_register_function(bw_parser *p, bw_function *f)
{
    bw_symbol *s = bw_lookup_in(p->scope, f->name, strlen(f->name));
    bw_function *first = s && s->kind == BW_SY_FUNCTION ? s->function : NULL;
    bool known = first != NULL;
    f = bw_add_overload(p, &first, f);
    if (!known)
        bw_declare(p, f->name, BW_SY_FUNCTION, &bw_ty_void, f->span)->function = first;
    return f;
}

/* A template is parsed when its arguments are known. */
static void skip_template(bw_parser *p, bw_function *f)
{
    while (!bw_at(p, "{") && !bw_at(p, ";") && bw_peek(p, 0)->kind != BW_TOK_END)
        bw_take(p);
    f->body_at = bw_at(p, "{") ? p->at : 0;
    bw_register_function(p, f);
    if (!bw_accept(p, ";"))
        bw_skip_braces(p);
}

void bw_parse_function(bw_parser *p, const bw_specifiers *spec, const bw_declarator *declarator,
                       bw_template *templates, uint32_t template_count, size_t header_at)
{
    const bw_token *name = declarator->name;
    const bw_type *result = declarator->type;
    bool returns_reference = declarator->is_reference && template_count == 0;
    bw_function *f = bw_new_function(p, bw_name_of(p, name), name->span);
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
    bw_parse_parameters(p, f, NULL);
    p->scope = outer;
    f = bw_register_function(p, f);
    p->scope = inner;
    if (!bw_accept(p, ";"))
        bw_parse_function_body(p, f);
    bw_pop_scope(p);
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

/* <<<grid, block, bytes, stream>>> */
static void parse_shape(bw_parser *p, bw_ast_launch *launch)
{
    bw_expect_token(p, "<<<", "behind the kernel's name");
    parse_dims(p, launch->grid, true);
    bw_expect_token(p, ",", "between grid and block");
    parse_dims(p, launch->block, false);
    if (bw_accept(p, ",")) {
        launch->dynamic_shared = parse_dynamic_shared(p);
        for (int depth = 0; bw_at(p, ",") || depth > 0 || !bw_at(p, ">>>"); bw_take(p)) {
            if (bw_peek(p, 0)->kind == BW_TOK_END || bw_at(p, ";"))
                break; /* the stream says nothing about costs: it is passed over */
            depth += bw_at(p, "(") - bw_at(p, ")");
        }
    }
    bw_expect_token(p, ">>>", "behind the launch's shape");
}

static void parse_launch_arguments(bw_parser *p, const bw_function *f, bw_ast_launch *launch)
{
    launch->args = bw_arena_alloc(p->arena, (MAX_FUNCTION_PARAMETERS + 1) * sizeof *launch->args);
    bw_expect_token(p, "(", "before the kernel's arguments");
    while (!bw_at(p, ")") && launch->arg_count <= MAX_FUNCTION_PARAMETERS) {
        const bw_symbol *param =
            launch->arg_count < f->param_count ? f->params[launch->arg_count] : NULL;
        launch->args[launch->arg_count++] = parse_launch_argument(p, param);
        if (!bw_accept(p, ","))
            break;
    }
    bw_expect_token(p, ")", "behind the kernel's arguments");
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
    bw_template_value values[BW_MAX_TEMPLATE_PARAMETERS] = {{0}};
    size_t errors = p->diags->errors;
    if (f->is_template)
        bw_parse_template_arguments(p, f, values);
    bw_ast_launch launch = {0};
    parse_shape(p, &launch);
    bw_span shape = bw_span_from(p, start);
    if (p->diags->errors > errors)
        bw_unwind(p); /* its arguments would only follow from that */
    if (f->is_template && bw_at(p, "("))
        bw_deduce_launch(p, f, values, shape);
    if (f->is_template && !(f = bw_instantiate(p, f, values, shape)))
        bw_unwind(p);
    if (!f->is_kernel) {
        p->at = start;
        bw_syntax_error(p, "declare it __global__ void", "'%s' is not a kernel", f->name);
    }
    launch.kernel = f;
    parse_launch_arguments(p, f, &launch);
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
    const bw_host *host = &p->options->host;
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
