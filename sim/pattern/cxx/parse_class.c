/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Structs, classes and unions: members and their layout, and what else stands between the braces:
 * functions, constructors, conversions, constants and types.
 *
 * A function of a struct is a function whose first parameter is a reference to the object. A
 * constructor is one that makes an object of its own and returns it. The text of functions is read
 * when all members are known.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <string.h>

#include "parse.h"

#define MAX_STRUCT ((uint32_t)1 << 24) /* bytes; no card has room for more in a thread or block */
#define MAX_METHODS 256

typedef struct member_list {
    bw_member *items;
    size_t *defaults;
    uint32_t count, capacity, size, align;
    bool is_union, has_defaults;
} member_list;

/* A function found between the braces: where it begins, and when declared, where it goes on. */
typedef struct method {
    size_t at, body_at;
    bw_function *function;
    bw_scope *scope;
} method;

typedef struct class_body {
    bw_type *type;
    bw_record *record;
    const char *base; /* the name without template arguments, which constructors have */
    member_list list;
    method methods[MAX_METHODS];
    uint32_t method_count;
} class_body;

/* ---- members
 * ------------------------------------------------------------------------------------- */

static void grow_members(bw_parser *p, member_list *list)
{
    if (list->count < list->capacity) /* in the arena: an unwinding parser leaks nothing */
        return;
    bw_member *old = list->items;
    size_t *defaults = list->defaults;
    list->capacity = list->capacity ? list->capacity * 2 : 8;
    list->items = bw_arena_alloc(p->arena, list->capacity * sizeof *old);
    list->defaults = bw_arena_alloc(p->arena, list->capacity * sizeof *defaults);
    if (old) {
        memcpy(list->items, old, list->count * sizeof *old);
        memcpy(list->defaults, defaults, list->count * sizeof *defaults);
    }
}

static void add_member(bw_parser *p, member_list *list, const char *name, const bw_type *type,
                       uint32_t align, bw_span span)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (name && strcmp(list->items[i].name, name) == 0)
            bw_error(p->diags, p->source, span, "the member '%s' is declared twice", name);
    grow_members(p, list);
    uint32_t offset = list->is_union ? 0 : (list->size + align - 1) / align * align;
    list->defaults[list->count] = 0;
    list->items[list->count++] = (bw_member){name, type, offset};
    uint32_t end = offset + type->size;
    if (end > MAX_STRUCT || type->size > MAX_STRUCT)
        bw_syntax_error(p, "make its arrays smaller", "this struct is larger than 16 MiB");
    list->size = end > list->size ? end : list->size;
    list->align = align > list->align ? align : list->align;
    if (!bw_lookup_in(p->scope, name, strlen(name)))
        bw_declare(p, name, BW_SY_MEMBER, type, span);
}

/* static constexpr int N = 4; takes no room. */
static void parse_static_member(bw_parser *p, const bw_specifiers *spec)
{
    do {
        bw_declarator d = bw_parse_declarator(p, spec->type);
        if (!d.name || !(spec->is_constexpr || spec->is_const) || !bw_type_is_arithmetic(d.type) ||
            !(bw_at(p, "=") || bw_at(p, "{")))
            bw_syntax_error(p, "write static constexpr int NAME = value;, or move it out",
                            "a static member must be a constant");
        const bw_type *type = d.type;
        bw_accept(p, "=");
        bw_expr *value = bw_convert(p, bw_parse_initializer(p, &type), d.type);
        bw_symbol *s = bw_declare(p, bw_name_of(p, d.name), BW_SY_CONSTANT, d.type, d.name->span);
        s->value = value;
        if (!bw_is_constant(value) && value->type->kind != BW_TY_ERROR)
            bw_syntax_error(p, "use constants and constexpr values", "this value is not constant");
    } while (bw_accept(p, ","));
    bw_expect_token(p, ";", "behind the member");
}

/* An anonymous struct or union: its members are ours. */
static void take_members_of(bw_parser *p, member_list *list, const bw_specifiers *spec)
{
    uint32_t align = spec->type->align;
    uint32_t size = list->size, base = list->is_union ? 0 : (size + align - 1) / align * align;
    for (uint32_t i = 0; i < spec->type->member_count; i++) {
        const bw_member *m = &spec->type->members[i];
        add_member(p, list, m->name, m->type, 1, spec->span);
        list->items[list->count - 1].offset = base + m->offset;
    }
    list->size = base + spec->type->size > size ? base + spec->type->size : size;
    list->align = align > list->align ? align : list->align;
}

static void skip_default(bw_parser *p)
{
    for (int depth = 0; depth > 0 || !(bw_at(p, ",") || bw_at(p, ";"));) {
        if (bw_peek(p, 0)->kind == BW_TOK_END || (depth == 0 && bw_at(p, "}")))
            bw_syntax_error(p, "put ';' behind it", "this member's value does not end");
        depth += bw_at(p, "(") || bw_at(p, "{") || bw_at(p, "[");
        depth -= bw_at(p, ")") || bw_at(p, "}") || bw_at(p, "]");
        bw_take(p);
    }
}

/* A struct, or an array of them, that is still being read. */
static bool is_incomplete(const bw_type *type)
{
    while (type->kind == BW_TY_ARRAY)
        type = type->elem;
    return type->kind == BW_TY_STRUCT && type->record && !type->record->complete;
}

static void parse_member(bw_parser *p, member_list *list, const bw_specifiers *spec)
{
    bw_declarator d = bw_parse_declarator(p, spec->type);
    if (!d.name)
        bw_syntax_error(p, "write TYPE NAME;", "a member needs a name");
    if (bw_at(p, ":"))
        bw_syntax_error(p, "use a whole integer, with shifts and masks",
                        "bit-fields are not in the language");
    if (d.is_reference)
        bw_syntax_error(p, "make it a pointer", "a reference as a member is not in the language");
    if (d.type->kind == BW_TY_AUTO || d.type->kind == BW_TY_VOID || d.type->kind == BW_TY_HANDLE)
        bw_syntax_error(p, "use a plain type", "a member cannot have this type");
    if (is_incomplete(d.type))
        bw_syntax_error(p, "make it a pointer", "a struct cannot hold itself");
    if (d.type->kind == BW_TY_ARRAY && d.type->count < 0)
        bw_syntax_error(p, "write its size", "a member array needs a size");
    uint32_t align = d.type->align > spec->align ? d.type->align : spec->align;
    add_member(p, list, bw_name_of(p, d.name), d.type, align, d.name->span);
    if (bw_at(p, "=") || bw_at(p, "{")) {
        bw_accept(p, "=");
        list->defaults[list->count - 1] = p->at;
        list->has_defaults = true;
        skip_default(p);
    }
}

static void parse_member_line(bw_parser *p, member_list *list)
{
    bw_specifiers spec = bw_parse_specifiers(p);
    if (spec.is_static) {
        parse_static_member(p, &spec);
        return;
    }
    if (bw_accept(p, ";")) { /* an inner struct, an enum, or members of our own */
        if (spec.type->kind == BW_TY_STRUCT && !spec.type->name)
            take_members_of(p, list, &spec);
        return;
    }
    do {
        parse_member(p, list, &spec);
    } while (bw_accept(p, ","));
    bw_expect_token(p, ";", "behind the member");
}

/* ---- functions: where they are
 * ------------------------------------------------------------------- */

static bool at_method(const bw_parser *p)
{
    static const char *const attributes[] = {"__align__",  "alignas",           "__attribute__",
                                             "__declspec", "__launch_bounds__", "decltype"};
    if (bw_at(p, "template"))
        return true;
    for (size_t k = 0;; k++) {
        const bw_token *t = bw_peek(p, k);
        if (bw_token_is(t, "operator") || bw_token_is(t, "~"))
            return true;
        if (t->kind == BW_TOK_END || bw_token_is(t, ";") || bw_token_is(t, "{") ||
            bw_token_is(t, "}") || bw_token_is(t, "=") || bw_token_is(t, "["))
            return false;
        if (bw_token_is(t, "<") && k > 0)
            k = bw_behind_angles(p, k) > k ? bw_behind_angles(p, k) - 1 : k;
        bool attribute = false;
        for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
            attribute |= bw_token_is(t, attributes[i]);
        if (attribute && bw_token_is(bw_peek(p, k + 1), "("))
            k = bw_behind_brackets(p, p->at + k + 1) - p->at - 1;
        else if (t->kind == BW_TOK_NAME && bw_token_is(bw_peek(p, k + 1), "("))
            return true;
    }
}

/* : a(x), b{y} between a constructor's parameters and its body. */
static void skip_member_initializers(bw_parser *p)
{
    do {
        while (!bw_at(p, "(") && !bw_at(p, "{") && bw_peek(p, 0)->kind != BW_TOK_END)
            bw_take(p);
        bw_skip_bracketed(p);
    } while (bw_accept(p, ","));
}

static void skip_method(bw_parser *p)
{
    if (bw_accept(p, "template"))
        p->at += bw_behind_angles(p, 0);
    while (!bw_at(p, ";") && !bw_at(p, "{")) {
        if (bw_peek(p, 0)->kind == BW_TOK_END)
            bw_syntax_error(p, "give it a body", "this function does not end");
        if (bw_at(p, "("))
            bw_skip_bracketed(p);
        else if (bw_accept(p, ":"))
            skip_member_initializers(p);
        else
            bw_take(p);
    }
    if (!bw_accept(p, ";"))
        bw_skip_braces(p);
}

/* ---- functions: what they are
 * -------------------------------------------------------------------- */

/* The words before a constructor's or conversion's name. Returns what follows them. */
static size_t behind_words(const bw_parser *p, size_t at)
{
    static const char *const words[] = {"__device__", "__host__", "inline",     "__forceinline__",
                                        "constexpr",  "explicit", "__inline__", "__noinline__",
                                        "static",     "friend"};
    for (;; at++) {
        bool word = false;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            word |= bw_token_is(&p->tokens[at], words[i]);
        if (!word)
            return at;
    }
}

static void declare_object(bw_parser *p, const class_body *c, bw_function *f)
{
    bw_symbol *made = bw_declare(p, "this", BW_SY_VARIABLE, c->type, f->span);
    made->storage = BW_ST_LOCAL;
    f->made = made;
}

static void declare_constructor(bw_parser *p, class_body *c, method *m)
{
    const bw_token *name = bw_take(p);
    bw_function *f = bw_new_function(p, c->base, name->span);
    f->result = c->type;
    bw_scope *outer = p->scope;
    bw_push_scope(p);
    declare_object(p, c, f);
    bw_parse_parameters(p, f, NULL);
    m->scope = p->scope;
    p->scope = outer;
    m->function = bw_add_overload(p, &c->record->constructors, f);
    m->body_at = p->at;
}

static void declare_conversion(bw_parser *p, class_body *c, method *m)
{
    bw_function *f = bw_new_function(p, "operator", bw_take(p)->span);
    bw_specifiers spec = bw_parse_specifiers(p);
    bw_declarator d = bw_parse_declarator(p, spec.type);
    f->is_method = true;
    f->returns_reference = d.is_reference;
    f->result = d.is_reference ? bw_type_pointer(p->arena, d.type) : d.type;
    f->full_name = f->name =
        bw_arena_format(p->arena, "operator %s", bw_type_name(p->arena, d.type));
    bw_scope *outer = p->scope;
    bw_push_scope(p);
    bw_parse_parameters(p, f, c->type);
    m->scope = p->scope;
    p->scope = outer;
    f->next_overload = c->record->conversions;
    c->record->conversions = f;
    m->function = f;
    m->body_at = p->at;
}

static void declare_method(bw_parser *p, class_body *c, method *m)
{
    p->at = m->at;
    bw_function *template = bw_at(p, "template") ? bw_parse_method_template(p) : NULL;
    size_t name_at = behind_words(p, p->at);
    const bw_token *name = &p->tokens[name_at], *next = &p->tokens[name_at + 1];
    bool own = bw_token_is(name, c->base) && bw_token_is(next, "(");
    bool conversion = bw_token_is(name, "operator") && next->kind == BW_TOK_NAME;
    if (bw_token_is(name, "~"))
        return; /* what is left behind costs nothing */
    if (template && (own || conversion))
        bw_syntax_error(p, "write it for the types in use",
                        "a constructor or conversion cannot be a template here");
    if (own || conversion) {
        p->at = name_at;
        if (own)
            declare_constructor(p, c, m);
        else
            declare_conversion(p, c, m);
        return;
    }
    bw_scope *outer = p->scope;
    bool friend = bw_accept(p, "friend"); /* an operator beside the struct: it has no object */
    if (template) {                       /* the parameters' names stand in its header */
        bw_push_scope(p);
        for (uint32_t i = 0; i < template->template_count; i++) {
            const bw_template *t = &template->templates[i];
            bw_symbol *s = bw_declare(p, t->name, t->is_type ? BW_SY_TYPE : BW_SY_CONSTANT,
                                      &bw_ty_int, template->span);
            s->value = bw_new_integer(p, &bw_ty_int, 1, template->span);
        }
    }
    bw_specifiers spec = bw_parse_specifiers(p);
    bw_declarator d = bw_parse_declarator(p, spec.type);
    p->scope = outer;
    if (!d.name || !bw_at(p, "("))
        bw_syntax_error(p, "write TYPE NAME(…) { … }", "expected a function");
    bw_function *f = template ? template : bw_new_function(p, "", d.name->span);
    f->name = f->full_name = bw_name_of(p, d.name);
    f->span = d.name->span;
    f->scope = p->scope;
    f->is_constexpr = spec.is_constexpr;
    f->is_method = !spec.is_static && !friend;
    f->returns_reference = d.is_reference;
    f->result = d.is_reference ? bw_type_pointer(p->arena, d.type) : d.type;
    bw_push_scope(p);
    if (template) { /* only the object: the rest is parsed for each set of arguments */
        f->params = bw_arena_alloc(p->arena, sizeof *f->params);
        f->params[0] = bw_declare(p, "this", BW_SY_VARIABLE, c->type, f->span);
        f->params[0]->is_reference = true;
        f->body_at = p->at;
    } else {
        bw_parse_parameters(p, f, c->type);
    }
    m->scope = p->scope;
    p->scope = outer;
    m->function = bw_register_function(p, f);
    m->body_at = template ? 0 : p->at;
}

/* ---- functions: their bodies
 * --------------------------------------------------------------------- */

static void append(bw_stmt ***end, bw_stmt *s)
{
    **end = s;
    while (**end)
        *end = &(**end)->next;
}

static bw_expr *object(bw_parser *p, const bw_function *f, bw_span span)
{
    return bw_new_symbol(p, f->made, span);
}

/* One of ": a(x), b{y}". */
static void parse_member_initializer(bw_parser *p, const class_body *c, const bw_function *f,
                                     bool *set, bw_stmt ***end)
{
    const bw_token *name = bw_take(p);
    size_t start = p->at - 1;
    const bw_member *m = bw_type_member(c->type, name->text, name->len);
    bool whole = bw_token_is(name, c->base);
    if (whole && bw_at(p, "<"))
        p->at += bw_behind_angles(p, 0);
    p->at -= !m && !whole; /* the name is what is wrong */
    if (!m && !whole)
        bw_syntax_error(p, "name a member of the struct", "%s has no member '%.*s'", c->type->name,
                        (int)name->len, name->text);
    const bw_type *type = whole ? c->type : m->type;
    bool empty = bw_token_is(bw_peek(p, 1), ")") || bw_token_is(bw_peek(p, 1), "}");
    bw_expr *value;
    if (type->kind == BW_TY_ARRAY) {
        if (!empty)
            bw_syntax_error(p, "assign its elements in the body",
                            "an array member cannot be initialised here");
        bw_skip_bracketed(p);
        value = NULL;
    } else if (empty && type->kind != BW_TY_STRUCT) {
        bw_skip_bracketed(p);
        value = bw_convert(p, bw_new_integer(p, &bw_ty_int, 0, name->span), type);
    } else {
        value = bw_parse_construction_of(p, type, start);
    }
    bw_expr *target = object(p, f, name->span);
    if (m) {
        set[m - c->type->members] = true;
        target = bw_new_member(p, target, m, name->span);
    }
    if (value)
        append(end, bw_new_expr_stmt(p, bw_new_assign(p, target, value, bw_span_from(p, start))));
}

/* The object, its members' values, the body, and the object as what is returned. */
static void parse_constructor_body(bw_parser *p, const class_body *c, bw_function *f)
{
    bw_stmt *block = bw_new_stmt(p, BW_SM_BLOCK, f->span), **end = &block->body;
    bw_stmt *declare = bw_new_stmt(p, BW_SM_DECLARE, f->span);
    bool *set = bw_arena_alloc(p->arena, (c->type->member_count + 1) * sizeof *set);
    bw_stmt *first = NULL, **first_end = &first;
    declare->symbol = f->made;
    append(&end, declare);
    p->function = f;
    if (bw_accept(p, ":"))
        do {
            parse_member_initializer(p, c, f, set, &first_end);
        } while (bw_accept(p, ","));
    for (uint32_t i = 0; i < c->type->member_count; i++) {
        bw_expr *value = set[i] ? NULL : bw_default_of(p, c->type, i);
        bw_expr *target = bw_new_member(p, object(p, f, f->span), &c->type->members[i], f->span);
        if (value && c->type->members[i].type->kind != BW_TY_ARRAY)
            append(&end, bw_new_expr_stmt(p, bw_new_assign(p, target, value, f->span)));
    }
    append(&end, first);
    if (bw_accept(p, "=")) /* = default; */
        bw_take(p);
    else if (bw_at(p, "{"))
        append(&end, bw_parse_block(p));
    bw_stmt *back = bw_new_stmt(p, BW_SM_RETURN, f->span);
    back->expr = object(p, f, f->span);
    append(&end, back);
    f->body = block;
    f->parsed = true;
}

static void parse_method_body(bw_parser *p, const class_body *c, const method *m)
{
    bw_function *f = m->function, *outer = p->function;
    if (!f || !m->body_at)
        return;
    p->at = m->body_at;
    p->scope = m->scope;
    if (f->made) {
        if (!bw_at(p, ";"))
            parse_constructor_body(p, c, f);
    } else if (bw_at(p, "{")) {
        bw_parse_function_body(p, f);
    } else if (!bw_at(p, ";") && !bw_at(p, "=")) {
        bw_syntax_error(p, "write { … }", "expected the function's body");
    }
    p->function = outer;
}

/* ---- the whole
 * ----------------------------------------------------------------------------------- */

static void parse_line(bw_parser *p, class_body *c)
{
    static const char *const access[] = {"public", "private", "protected"};
    for (size_t i = 0; i < sizeof access / sizeof *access; i++)
        if (bw_at(p, access[i]) && bw_token_is(bw_peek(p, 1), ":")) {
            p->at += 2;
            return;
        }
    if (bw_accept(p, ";"))
        return;
    if (bw_at(p, "friend") &&
        (bw_token_is(bw_peek(p, 1), "struct") || bw_token_is(bw_peek(p, 1), "class"))) {
        skip_method(p); /* who may look inside costs nothing */
        return;
    }
    if (bw_at(p, "virtual"))
        bw_syntax_error(p, "write a plain __device__ function", "'virtual' is not in the language");
    if (bw_at(p, "using") || bw_at(p, "typedef") || bw_at(p, "static_assert")) {
        bw_parse_declaration_statement(p);
    } else if (at_method(p)) {
        if (c->method_count == MAX_METHODS)
            bw_syntax_error(p, "split the struct", "more than %d functions in a struct",
                            MAX_METHODS);
        c->methods[c->method_count++] = (method){.at = p->at};
        skip_method(p);
    } else {
        parse_member_line(p, &c->list);
    }
}

static void lay_out(bw_parser *p, class_body *c, bw_specifiers *attributes)
{
    bw_type *type = c->type;
    const member_list *list = &c->list;
    bw_skip_attributes(p, attributes);
    type->members = list->items;
    type->member_count = list->count;
    type->over_aligned = attributes->align > list->align;
    type->align = type->over_aligned ? attributes->align : list->align;
    type->size = (list->size + type->align - 1) / type->align * type->align;
    if (type->size == 0)
        type->size = 1;
    c->record->defaults = list->defaults;
    c->record->has_defaults = list->has_defaults;
    c->record->complete = true;
}

static void parse_functions(bw_parser *p, class_body *c)
{
    size_t at = p->at;
    unsigned loops = p->loops, switches = p->switches;
    bw_stmt *pending = p->pending;
    bw_scope *scope = p->scope;
    p->loops = p->switches = 0;
    p->pending = NULL;
    for (uint32_t i = 0; i < c->method_count; i++)
        declare_method(p, c, &c->methods[i]);
    for (uint32_t i = 0; i < c->method_count; i++)
        parse_method_body(p, c, &c->methods[i]);
    p->scope = scope;
    p->loops = loops;
    p->switches = switches;
    p->pending = pending;
    p->at = at;
}

/* The type of "struct NAME" without a body. */
static const bw_type *known_struct(bw_parser *p, const bw_token *name)
{
    bw_symbol *s = name ? bw_lookup(p, name->text, name->len) : NULL;
    if (s && s->kind == BW_SY_TYPE)
        return s->type;
    const bw_type *vector = name ? bw_type_named(name->text, name->len) : NULL;
    if (vector)
        return vector;
    bw_syntax_error(p, "define it first, with its members", "this struct has no definition");
}

static class_body *new_body(bw_parser *p, const bw_token *name, bool is_union,
                            const bw_function *instance, bw_function *of)
{
    class_body *c = bw_arena_alloc(p->arena, sizeof *c);
    c->type = bw_arena_alloc(p->arena, sizeof *c->type);
    c->record = bw_arena_alloc(p->arena, sizeof *c->record);
    c->base = name ? bw_name_of(p, name) : "";
    c->list = (member_list){.is_union = is_union, .align = 1};
    *c->type = (bw_type){.kind = BW_TY_STRUCT,
                         .align = 1,
                         .size = 1,
                         .name = instance ? instance->full_name
                                 : name   ? c->base
                                          : NULL,
                         .record = c->record};
    *c->record = (bw_record){.type = c->type, .instance = instance, .of = of};
    return c;
}

const bw_type *bw_parse_record(bw_parser *p, bool is_union, bw_function *instance, bw_function *of)
{
    bw_specifiers attributes = {0};
    bw_skip_attributes(p, &attributes);
    const bw_token *name = bw_peek(p, 0)->kind == BW_TOK_NAME ? bw_take(p) : NULL;
    if (instance && bw_at(p, "<")) /* of a specialisation */
        p->at += bw_behind_angles(p, 0);
    bw_accept(p, "final");
    bw_skip_attributes(p, &attributes);
    if (bw_at(p, ":"))
        bw_syntax_error(p, "make the base a member, or copy its members",
                        "inheritance is not in the language");
    if (!bw_at(p, "{"))
        return known_struct(p, name);
    class_body *c = new_body(p, name, is_union, instance, of);
    if (instance)
        instance->result = c->type; /* its own text may name it */
    else if (name)
        bw_declare(p, c->type->name, BW_SY_TYPE, c->type, name->span);
    bw_take(p);
    bw_scope *outer = p->scope;
    bw_push_scope(p);
    c->record->scope = p->scope;
    if (name)
        bw_declare(p, c->base, BW_SY_TYPE, c->type, name->span);
    bw_enter(p);
    while (!bw_at(p, "}")) {
        if (bw_peek(p, 0)->kind == BW_TOK_END)
            bw_expect_token(p, "}", "behind the members");
        parse_line(p, c);
    }
    bw_leave(p);
    bw_take(p);
    lay_out(p, c, &attributes);
    parse_functions(p, c);
    p->scope = outer;
    return c->type;
}

/* ---- values
 * -------------------------------------------------------------------------------------- */

bw_expr *bw_default_of(bw_parser *p, const bw_type *type, uint32_t k)
{
    const bw_record *r = type->record;
    if (!r || !r->has_defaults || !r->defaults[k])
        return NULL;
    size_t at = p->at;
    bw_scope *scope = p->scope;
    const bw_type *of = type->members[k].type;
    p->at = r->defaults[k];
    p->scope = r->scope;
    bw_expr *value = bw_parse_initializer(p, &of);
    if (value->kind != BW_EX_LIST || !bw_type_same(value->type, of))
        value = bw_convert(p, value, of);
    p->at = at;
    p->scope = scope;
    return value;
}

/* "(…)" or "{…}" behind a type or a declared name: an object of `type`. */
bw_expr *bw_parse_construction_of(bw_parser *p, const bw_type *type, size_t start)
{
    bool braces = bw_at(p, "{");
    bool made = type->kind == BW_TY_STRUCT && type->record && type->record->constructors;
    if (braces && !made)
        return bw_parse_initializer(p, &type);
    bw_expr **args;
    size_t count = bw_parse_list(p, &args, braces ? "{" : "(", braces ? "}" : ")");
    return bw_construct(p, type, args, count, bw_span_from(p, start));
}

static bool is_dim3(const bw_type *type)
{
    return type->name && strcmp(type->name, "dim3") == 0;
}

bw_expr *bw_construct(bw_parser *p, const bw_type *type, bw_expr **args, size_t count, bw_span span)
{
    for (size_t i = 0; i < count; i++)
        if (args[i]->type->kind == BW_TY_ERROR)
            return args[i];
    if (count == 1 && bw_type_same(args[0]->type, type))
        return args[0];
    if (type->kind != BW_TY_STRUCT) {
        if (count > 1)
            bw_syntax_error(p, "write = value", "this type takes one value");
        return bw_cast(p, count ? args[0] : bw_new_integer(p, &bw_ty_int, 0, span), type, span);
    }
    bw_function *constructors = type->record ? type->record->constructors : NULL;
    if (constructors)
        return bw_call(p, constructors, NULL, args, count, span);
    bw_expr *converted = count == 1 ? bw_user_conversion(p, args[0], type) : NULL;
    if (converted)
        return converted;
    if (count == 0 && !is_dim3(type))
        return bw_empty_list(p, type, span);
    if (count > type->member_count) {
        bw_note(p->diags,
                bw_error(p->diags, p->source, span, "%s takes at most %u values",
                         bw_type_name(p->arena, type), type->member_count),
                "give one for each member");
        return bw_new_error(p, span);
    }
    bw_expr **all = bw_arena_alloc(p->arena, sizeof *all * (type->member_count + 1));
    for (uint32_t i = 0; i < type->member_count; i++) {
        bw_expr *value = i < count ? args[i] : bw_default_of(p, type, i);
        if (!value)
            value = bw_new_integer(p, &bw_ty_int, is_dim3(type), span);
        all[i] = bw_convert(p, value, type->members[i].type);
        if (all[i]->type->kind == BW_TY_ERROR)
            return all[i];
    }
    return bw_new_intrinsic(p, BW_IN_MAKE, 0, type, span, type->member_count, all);
}

bw_expr *bw_default_object(bw_parser *p, const bw_type *type, bw_span span)
{
    const bw_record *r = type->kind == BW_TY_STRUCT ? type->record : NULL;
    if (!r)
        return NULL;
    for (bw_function *f = r->constructors; f; f = f->next_overload)
        if (f->parsed && (f->param_count == 0 || f->defaults[0]))
            return bw_call(p, r->constructors, NULL, NULL, 0, span);
    if (!r->constructors && r->has_defaults)
        return bw_empty_list(p, type, span);
    return NULL;
}
