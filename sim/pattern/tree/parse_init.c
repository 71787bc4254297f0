/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <string.h>

#include "parse.h"

/* ---- initializers ------------------------------------------------------------------------------
 */

typedef struct leaves {
    bw_expr **items;
    uint32_t count, capacity;
} leaves;

/* An initializer list's leaves may be no more than this: each is a node. */
#define MAX_LEAVES ((uint32_t)1 << 20)

static void put_leaf(bw_parser *p, leaves *l, uint32_t at, bw_expr *e)
{
    if (at >= MAX_LEAVES)
        bw_syntax_error(p, BW_MSG_OBJECT_SIZE, "give it its values in a loop",
                        "this list is too long");
    if (at >= l->capacity) {
        uint32_t capacity = l->capacity ? l->capacity : 16;
        while (capacity <= at)
            capacity *= 2;
        bw_expr **items = bw_arena_alloc(p->arena, capacity * sizeof *items);
        if (l->count)
            memcpy(items, l->items, l->count * sizeof *items);
        l->items = items;
        l->capacity = capacity;
    }
    l->items[at] = e;
    if (at >= l->count)
        l->count = at + 1;
}

static void parse_list(bw_parser *p, const bw_type *type, leaves *l, uint32_t base);

/* One element of a list, for an object of `type`. Braces may be left out, as in C. */
static void parse_element(bw_parser *p, const bw_type *type, leaves *l, uint32_t base)
{
    if (bw_at(p, BW_TOK_LBRACE)) {
        parse_list(p, type, l, base);
    } else if (type->kind == BW_TY_ARRAY) {
        for (int64_t i = 0; i < type->count && !bw_at(p, BW_TOK_RBRACE); i++) {
            parse_element(p, type->elem, l, base + (uint32_t)i * bw_type_leaves(type->elem));
            if (i + 1 == type->count || !bw_token_is(bw_peek(p, 0), BW_TOK_COMMA) ||
                bw_token_is(bw_peek(p, 1), BW_TOK_RBRACE))
                break;
            bw_take(p);
        }
    } else {
        bw_expr *e = bw_parse_assignment(p);
        put_leaf(p, l, base, bw_convert(p, e, type));
    }
}

/* Members from the `first` on that no value was given: what the struct's text says. */
static void fill_defaults(bw_parser *p, const bw_type *type, uint32_t first, leaves *l,
                          uint32_t base)
{
    uint32_t at = base;
    for (uint32_t i = 0; type->kind == BW_TY_STRUCT && i < type->member_count; i++) {
        const bw_type *of = type->members[i].type;
        if (type->members[i].overlaid)
            continue;
        bw_expr *value = i < first ? NULL : p->cxx->default_of(p, type, i);
        if (value && value->kind == BW_EX_LIST) {
            for (uint32_t k = 0; k < value->list.count; k++)
                if (value->list.items[k])
                    put_leaf(p, l, at + k, value->list.items[k]);
        } else if (value) {
            put_leaf(p, l, at, value);
        } else if (i >= first) {
            fill_defaults(p, of, 0, l, at);
        }
        at += bw_type_leaves(of);
    }
}

/* .NAME = : goes on with that member. */
static void parse_designator(bw_parser *p, const bw_type *type, uint32_t *i, uint32_t *at,
                             uint32_t base)
{
    bw_take(p);
    const bw_token *name = bw_peek(p, 0);
    const bw_member *m =
        type->kind == BW_TY_STRUCT ? bw_type_member(type, name->text, name->len) : NULL;
    if (!m)
        bw_syntax_error(p, BW_MSG_UNKNOWN_MEMBER, "name a member", "%s has no member '%.*s'",
                        bw_type_name(p->arena, type), (int)name->len, name->text);
    uint32_t k = (uint32_t)(m - type->members);
    if (k < *i || type->members[k].overlaid)
        bw_syntax_error(p, BW_MSG_INITIALIZER, "give the members in the order of the struct",
                        k < *i ? "the member '%s' comes after its turn"
                               : "the member '%s' shares its bytes with the first",
                        m->name);
    bw_take(p);
    bw_accept(p, BW_TOK_ASSIGN);
    *at = base;
    for (*i = 0; *i < k; ++*i)
        *at += type->members[*i].overlaid ? 0 : bw_type_leaves(type->members[*i].type);
}

static void parse_list(bw_parser *p, const bw_type *type, leaves *l, uint32_t base)
{
    bw_enter(p);
    bw_expect_token(p, BW_TOK_LBRACE, "before the values");
    uint32_t members = type->kind == BW_TY_STRUCT ? type->member_count : 1;
    uint32_t at = base, i = 0;
    if (type->record && type->record->has_defaults)
        fill_defaults(p, type, 0, l, base);
    for (; !bw_at(p, BW_TOK_RBRACE); i++) {
        if (bw_at(p, BW_TOK_DOT) && bw_is_name(bw_peek(p, 1)))
            parse_designator(p, type, &i, &at, base);
        if (bw_at(p, BW_TOK_LBRACKET))
            bw_syntax_error(p, BW_MSG_CXX_NOT_IN_LANGUAGE,
                            "give the elements in order, with zeros between",
                            "C++ has no designators of array elements");
        while (type->kind == BW_TY_STRUCT && i < members && type->members[i].overlaid)
            i++;
        const bw_type *elem = type->kind == BW_TY_ARRAY                   ? type->elem
                              : type->kind == BW_TY_STRUCT && i < members ? type->members[i].type
                                                                          : type;
        bool full = type->kind == BW_TY_ARRAY ? type->count >= 0 && i >= type->count : i >= members;
        if (full)
            bw_syntax_error(p, BW_MSG_INITIALIZER, "remove what is too much",
                            "more values than %s holds", bw_type_name(p->arena, type));
        parse_element(p, elem, l, at);
        at += bw_type_leaves(elem);
        if (!bw_accept(p, BW_TOK_COMMA))
            break;
    }
    bw_expect_token(p, BW_TOK_RBRACE, "after the values");
    bw_leave(p);
}

static bw_expr *list_of(bw_parser *p, const leaves *l, const bw_type *t, bw_span span)
{
    uint32_t total = bw_type_leaves(t);
    if (total > MAX_LEAVES)
        bw_syntax_error(p, BW_MSG_OBJECT_SIZE, "give it its values in a loop",
                        "this object is too large for a list");
    bw_expr *e = bw_new_expr(p, BW_EX_LIST, t, span);
    e->list.items = bw_arena_alloc(p->arena, (total + 1) * sizeof *e->list.items);
    for (uint32_t i = 0; i < l->count && i < total; i++)
        e->list.items[i] = l->items[i];
    e->list.count = total;
    return e;
}

bw_expr *bw_empty_list(bw_parser *p, const bw_type *type, bw_span span)
{
    leaves l = {0};
    fill_defaults(p, type, 0, &l, 0);
    return list_of(p, &l, type, span);
}

bw_expr *bw_parse_initializer(bw_parser *p, const bw_type **type)
{
    size_t start = p->at;
    const bw_type *t = *type;
    if (!bw_at(p, BW_TOK_LBRACE)) {
        if (t->kind == BW_TY_ARRAY)
            bw_syntax_error(p, BW_MSG_INITIALIZER, "write { value, value, … }",
                            "an array is initialized by a list");
        return bw_parse_assignment(p);
    }
    if (t->kind == BW_TY_AUTO)
        bw_syntax_error(p, BW_MSG_INITIALIZER, "name the type", "auto cannot take a list");
    if (t->kind != BW_TY_ARRAY && t->kind != BW_TY_STRUCT) { /* int x{4} */
        bw_take(p);
        bw_expr *e = bw_at(p, BW_TOK_RBRACE) ? bw_new_integer(p, &bw_ty_int, 0, bw_peek(p, 0)->span)
                                             : bw_parse_assignment(p);
        bw_expect_token(p, BW_TOK_RBRACE, "after the value");
        return bw_convert(p, e, t);
    }
    leaves l = {0};
    parse_list(p, t, &l, 0);
    if (t->kind == BW_TY_ARRAY && t->count < 0) {
        uint32_t each = bw_type_leaves(t->elem);
        t = *type = bw_type_array(p->arena, t->elem, (l.count + each - 1) / (each ? each : 1));
    }
    return list_of(p, &l, t, bw_span_from(p, start));
}
