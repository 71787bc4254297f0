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
        bw_syntax_error(p, "give it its values in a loop", "this list is too long");
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
    if (bw_at(p, "{")) {
        parse_list(p, type, l, base);
    } else if (type->kind == BW_TY_ARRAY) {
        for (int64_t i = 0; i < type->count && !bw_at(p, "}"); i++) {
            parse_element(p, type->elem, l, base + (uint32_t)i * bw_type_leaves(type->elem));
            if (i + 1 == type->count || !bw_token_is(bw_peek(p, 0), ",") ||
                bw_token_is(bw_peek(p, 1), "}"))
                break;
            bw_take(p);
        }
    } else {
        bw_expr *e = bw_parse_assignment(p);
        put_leaf(p, l, base,
                 type->kind == BW_TY_STRUCT ? bw_convert(p, e, type) : bw_convert(p, e, type));
    }
}

static void parse_list(bw_parser *p, const bw_type *type, leaves *l, uint32_t base)
{
    bw_enter(p);
    bw_expect_token(p, "{", "before the values");
    uint32_t members = type->kind == BW_TY_STRUCT ? type->member_count : 1;
    uint32_t at = base;
    for (uint32_t i = 0; !bw_at(p, "}"); i++) {
        while (type->kind == BW_TY_STRUCT && i < members && bw_type_overlaid(type, i))
            i++;
        const bw_type *elem = type->kind == BW_TY_ARRAY                   ? type->elem
                              : type->kind == BW_TY_STRUCT && i < members ? type->members[i].type
                                                                          : type;
        bool full = type->kind == BW_TY_ARRAY ? type->count >= 0 && i >= type->count : i >= members;
        if (full)
            bw_syntax_error(p, "remove what is too much", "more values than %s holds",
                            bw_type_name(p->arena, type));
        parse_element(p, elem, l, at);
        at += bw_type_leaves(elem);
        if (!bw_accept(p, ","))
            break;
    }
    bw_expect_token(p, "}", "behind the values");
    bw_leave(p);
}

bw_expr *bw_parse_initializer(bw_parser *p, const bw_type **type)
{
    size_t start = p->at;
    const bw_type *t = *type;
    if (!bw_at(p, "{")) {
        if (t->kind == BW_TY_ARRAY)
            bw_syntax_error(p, "write { value, value, … }", "an array is initialized by a list");
        return bw_parse_assignment(p);
    }
    if (t->kind == BW_TY_AUTO)
        bw_syntax_error(p, "name the type", "auto cannot take a list");
    if (t->kind != BW_TY_ARRAY && t->kind != BW_TY_STRUCT) { /* int x{4} */
        bw_take(p);
        bw_expr *e = bw_at(p, "}") ? bw_new_integer(p, &bw_ty_int, 0, bw_peek(p, 0)->span)
                                   : bw_parse_assignment(p);
        bw_expect_token(p, "}", "behind the value");
        return bw_convert(p, e, t);
    }
    leaves l = {0};
    parse_list(p, t, &l, 0);
    if (t->kind == BW_TY_ARRAY && t->count < 0) {
        uint32_t each = bw_type_leaves(t->elem);
        t = *type = bw_type_array(p->arena, t->elem, (l.count + each - 1) / (each ? each : 1));
    }
    uint32_t total = bw_type_leaves(t);
    if (total > MAX_LEAVES)
        bw_syntax_error(p, "give it its values in a loop", "this object is too large for a list");
    bw_expr *e = bw_new_expr(p, BW_EX_LIST, t, bw_span_from(p, start));
    e->args = bw_arena_alloc(p->arena, (total + 1) * sizeof *e->args);
    for (uint32_t i = 0; i < l.count && i < total; i++)
        e->args[i] = l.items[i];
    e->arg_count = total;
    return e;
}
