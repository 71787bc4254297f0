/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Structs and unions: their members and layout, and objects of them. What else may stand between
 * the braces is C++.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <string.h>

#include "parse.h"

#define MAX_STRUCT ((uint32_t)1 << 24) /* bytes; no card has room for more in a thread or block */

/* ---- members
 * ------------------------------------------------------------------------------------- */

static void grow_members(bw_parser *p, bw_members *list)
{
    if (list->count < list->capacity) /* in the arena: an unwinding parser leaks nothing */
        return;
    bw_member *old = list->items;
    list->capacity = list->capacity ? list->capacity * 2 : 8;
    list->items = bw_arena_alloc(p->arena, list->capacity * sizeof *old);
    if (old)
        memcpy(list->items, old, list->count * sizeof *old);
}

/* Members are known in the struct's scope, but for those whose name means something else there. */
static bool is_member(const bw_parser *p, const bw_members *list, const char *name)
{
    const bw_symbol *s = bw_lookup_in(p->scope, name, strlen(name));
    if (!s || s->kind == BW_SY_MEMBER)
        return s;
    for (uint32_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i].name, name) == 0)
            return true;
    return false;
}

static void add_member(bw_parser *p, bw_members *list, const char *name, const bw_type *type,
                       uint32_t align, bw_span span)
{
    if (is_member(p, list, name))
        bw_diagnose(p->diags, BW_MSG_DECLARED_TWICE, p->source, span,
                    "the member '%s' is declared twice", name);
    grow_members(p, list);
    uint32_t offset = list->is_union ? 0 : (list->size + align - 1) / align * align;
    list->items[list->count++] = (bw_member){.name = name, .type = type, .offset = offset};
    uint32_t end = offset + type->size;
    if (end > MAX_STRUCT || type->size > MAX_STRUCT)
        bw_syntax_error(p, BW_MSG_OBJECT_SIZE, "make its arrays smaller",
                        "this struct is larger than 16 MiB");
    list->size = end > list->size ? end : list->size;
    list->align = align > list->align ? align : list->align;
    if (!bw_lookup_in(p->scope, name, strlen(name)))
        bw_declare(p, name, BW_SY_MEMBER, type, span);
}

/* An anonymous struct or union: its members are ours. */
static void take_members_of(bw_parser *p, bw_members *list, const bw_specifiers *spec)
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

/* A struct, or an array of them, that is still being read. */
static bool is_incomplete(const bw_type *type)
{
    while (type->kind == BW_TY_ARRAY)
        type = type->elem;
    return type->kind == BW_TY_STRUCT && type->record && !type->record->complete;
}

static void parse_member(bw_parser *p, bw_record_body *c, const bw_specifiers *spec)
{
    bw_declarator d = bw_parse_declarator(p, spec->type);
    if (!d.name)
        bw_syntax_error(p, BW_MSG_EXPECTED_NAME, "write TYPE NAME;", "a member needs a name");
    if (bw_at(p, BW_TOK_COLON))
        bw_syntax_error(p, BW_MSG_NOT_IN_LANGUAGE, "use a whole integer, with shifts and masks",
                        "bit-fields are not in the language");
    if (d.is_reference)
        bw_syntax_error(p, BW_MSG_CXX_NOT_IN_LANGUAGE, "make it a pointer",
                        "a reference as a member is not in the language");
    if (d.type->kind == BW_TY_AUTO || d.type->kind == BW_TY_VOID || d.type->kind == BW_TY_HANDLE)
        bw_syntax_error(p, BW_MSG_VARIABLE_TYPE, "use a plain type",
                        "a member cannot have this type");
    if (is_incomplete(d.type))
        bw_syntax_error(p, BW_MSG_VARIABLE_TYPE, "make it a pointer",
                        "a struct cannot hold itself");
    if (d.type->kind == BW_TY_ARRAY && d.type->count < 0)
        bw_syntax_error(p, BW_MSG_ARRAY_SIZE, "write its size", "a member array needs a size");
    uint32_t align = d.type->align > spec->align ? d.type->align : spec->align;
    align = d.align > align ? d.align : align;
    add_member(p, &c->list, bw_name_of(p, d.name), d.type, align, d.name->span);
    if (bw_at(p, BW_TOK_ASSIGN) || bw_at(p, BW_TOK_LBRACE))
        p->cxx->member_value(p, c);
}

static void parse_member_line(bw_parser *p, bw_record_body *c)
{
    bw_specifiers spec = bw_parse_specifiers(p);
    if (spec.is_static) {
        p->cxx->static_member(p, &spec);
        return;
    }
    if (bw_accept(p, BW_TOK_SEMICOLON)) { /* an inner struct, an enum, or members of our own */
        if (spec.type->kind == BW_TY_STRUCT && !spec.type->name)
            take_members_of(p, &c->list, &spec);
        return;
    }
    do {
        parse_member(p, c, &spec);
    } while (bw_accept(p, BW_TOK_COMMA));
    bw_expect_token(p, BW_TOK_SEMICOLON, "after the member");
}

/* ---- the whole
 * ----------------------------------------------------------------------------------- */

bool bw_at_method(const bw_parser *p)
{
    static const bw_token_kind attributes[] = {BW_TOK_ALIGN,         BW_TOK_ALIGNAS,
                                               BW_TOK_ATTRIBUTE,     BW_TOK_DECLSPEC,
                                               BW_TOK_LAUNCH_BOUNDS, BW_TOK_DECLTYPE};
    if (bw_at(p, BW_TOK_TEMPLATE))
        return true;
    for (size_t k = 0;; k++) {
        const bw_token *t = bw_peek(p, k);
        if (bw_token_is(t, BW_TOK_OPERATOR) || bw_token_is(t, BW_TOK_TILDE))
            return true;
        if (t->kind == BW_TOK_END || bw_token_is(t, BW_TOK_SEMICOLON) ||
            bw_token_is(t, BW_TOK_LBRACE) || bw_token_is(t, BW_TOK_RBRACE) ||
            bw_token_is(t, BW_TOK_ASSIGN) || bw_token_is(t, BW_TOK_LBRACKET))
            return false;
        if (bw_token_is(t, BW_TOK_LESS) && k > 0)
            k = bw_after_angles(p, k) > k ? bw_after_angles(p, k) - 1 : k;
        bool attribute = false;
        for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
            attribute |= bw_token_is(t, attributes[i]);
        if (attribute && bw_token_is(bw_peek(p, k + 1), BW_TOK_LPAREN))
            k = bw_after_brackets(p, p->at + k + 1) - p->at - 1;
        else if (bw_is_name(t) && bw_token_is(bw_peek(p, k + 1), BW_TOK_LPAREN))
            return true;
    }
}

static void parse_line(bw_parser *p, bw_record_body *c)
{
    if (!bw_accept(p, BW_TOK_SEMICOLON) && !p->cxx->class_line(p, c))
        parse_member_line(p, c);
}

static void lay_out(bw_parser *p, bw_record_body *c, bw_specifiers *attributes)
{
    bw_type *type = c->type;
    const bw_members *list = &c->list;
    bw_skip_attributes(p, attributes);
    bw_type_set_members(type, list->items, list->count);
    type->over_aligned = attributes->align > list->align;
    type->align = type->over_aligned ? attributes->align : list->align;
    type->size = (list->size + type->align - 1) / type->align * type->align;
    if (type->size == 0)
        type->size = 1;
    c->record->complete = true;
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
    bw_syntax_error(p, BW_MSG_UNDEFINED_TYPE, "define it first, with its members",
                    "this struct has no definition");
}

static bw_record_body *new_body(bw_parser *p, const bw_token *name, bool is_union,
                                const bw_type_instance *instance, bw_type_template *of)
{
    bw_record_body *c = bw_arena_alloc(p->arena, sizeof *c);
    c->type = bw_arena_alloc(p->arena, sizeof *c->type);
    c->record = bw_arena_alloc(p->arena, sizeof *c->record);
    c->base = name ? bw_name_of(p, name) : "";
    c->list = (bw_members){.is_union = is_union, .align = 1};
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

const bw_type *bw_parse_record(bw_parser *p, bool is_union, bw_type_instance *instance,
                               bw_type_template *of)
{
    bw_specifiers attributes = {0};
    bw_skip_attributes(p, &attributes);
    const bw_token *name = bw_is_name(bw_peek(p, 0)) ? bw_take(p) : NULL;
    if (instance && bw_at(p, BW_TOK_LESS)) /* of a specialisation */
        p->at += bw_after_angles(p, 0);
    bw_accept(p, BW_TOK_FINAL);
    bw_skip_attributes(p, &attributes);
    if (bw_at(p, BW_TOK_COLON))
        bw_syntax_error(p, BW_MSG_CXX_NOT_IN_LANGUAGE,
                        "make the base a member, or copy its members",
                        "inheritance is not in the language");
    if (!bw_at(p, BW_TOK_LBRACE))
        return known_struct(p, name);
    if (bw_peek(p, 0)->packed)
        bw_syntax_error(p, BW_MSG_NOT_IN_LANGUAGE, BW_PACKED_NOTE,
                        "'#pragma pack' is not in the language");
    bw_record_body *c = new_body(p, name, is_union, instance, of);
    if (instance)
        instance->type = c->type; /* its own text may name it */
    else if (name)
        bw_declare(p, c->type->name, BW_SY_TYPE, c->type, name->span);
    bw_take(p);
    bw_scope *outer = p->scope;
    bw_push_scope(p);
    c->record->scope = p->scope;
    if (name)
        bw_declare(p, c->base, BW_SY_TYPE, c->type, name->span);
    bw_enter(p);
    while (!bw_at(p, BW_TOK_RBRACE)) {
        if (bw_peek(p, 0)->kind == BW_TOK_END)
            bw_expect_token(p, BW_TOK_RBRACE, "after the members");
        parse_line(p, c);
    }
    bw_leave(p);
    bw_take(p);
    lay_out(p, c, &attributes);
    p->cxx->finish_class(p, c);
    p->scope = outer;
    return c->type;
}

/* ---- objects
 * ------------------------------------------------------------------------------------- */

/* "(…)" or "{…}" after a type or a declared name: an object of `type`. */
bw_expr *bw_parse_construction_of(bw_parser *p, const bw_type *type, size_t start)
{
    bool braces = bw_at(p, BW_TOK_LBRACE);
    bool made = type->kind == BW_TY_STRUCT && type->record && type->record->constructors;
    if (braces && !made)
        return bw_parse_initializer(p, &type);
    bw_expr **args;
    size_t count = bw_parse_list(p, &args, braces ? BW_TOK_LBRACE : BW_TOK_LPAREN,
                                 braces ? BW_TOK_RBRACE : BW_TOK_RPAREN);
    return bw_construct(p, type, args, count, bw_span_from(p, start));
}

static bool is_dim3(const bw_type *type)
{
    return type->name && strcmp(type->name, "dim3") == 0;
}

bw_expr *bw_construct(bw_parser *p, const bw_type *type, bw_expr **args, size_t count, bw_span span)
{
    for (size_t i = 0; i < count; i++)
        if (bw_is_error(args[i]))
            return args[i];
    if (count == 1 && bw_type_same(args[0]->type, type))
        return args[0];
    if (type->kind != BW_TY_STRUCT) {
        if (count > 1)
            bw_syntax_error(p, BW_MSG_INITIALIZER, "write = value", "this type takes one value");
        return bw_cast(p, count ? args[0] : bw_new_integer(p, &bw_ty_int, 0, span), type, span);
    }
    bw_expr *made = p->cxx->construct(p, type, args, count, span);
    if (made)
        return made;
    if (count == 0 && !is_dim3(type))
        return bw_empty_list(p, type, span);
    if (count > type->member_count) {
        bw_note(p->diags,
                bw_diagnose(p->diags, BW_MSG_INITIALIZER, p->source, span,
                            "%s takes at most %u values", bw_type_name(p->arena, type),
                            type->member_count),
                "give one for each member");
        return bw_new_error(p, span);
    }
    bw_expr **all = bw_arena_alloc(p->arena, sizeof *all * (type->member_count + 1));
    for (uint32_t i = 0; i < type->member_count; i++) {
        bw_expr *value = i < count ? args[i] : p->cxx->default_of(p, type, i);
        if (!value)
            value = bw_new_integer(p, &bw_ty_int, is_dim3(type), span);
        all[i] = bw_convert(p, value, type->members[i].type);
        if (bw_is_error(all[i]))
            return all[i];
    }
    return bw_new_intrinsic(p, BW_IN_MAKE, 0, type, span, type->member_count, all);
}
