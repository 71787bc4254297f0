/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <string.h>

#include "call_rules.h"

bw_expr *bw_new_intrinsic(bw_parser *p, bw_intrinsic what, int number, const bw_type *type,
                          bw_span span, uint32_t arg_count, bw_expr **args)
{
    bw_expr *e = bw_new_expr(p, BW_EX_INTRINSIC, type, span);
    e->intrinsic.what = what;
    e->intrinsic.number = number;
    e->intrinsic.args = args;
    e->intrinsic.count = arg_count;
    return e;
}

#define MAX_ARGUMENTS 256

/* Room for one more and for the four that calls may add; in the arena, as calls nest. */
static void grow_list(bw_parser *p, bw_expr ***list, size_t count, size_t *capacity)
{
    if (count + 4 < *capacity)
        return;
    bw_expr **old = *list;
    *capacity = 2 * *capacity + 8;
    *list = bw_arena_alloc(p->arena, *capacity * sizeof **list);
    if (count)
        memcpy(*list, old, count * sizeof *old);
}

size_t bw_parse_list(bw_parser *p, bw_expr ***args, bw_token_kind open, bw_token_kind close)
{
    bw_expr **list = NULL;
    size_t count = 0, capacity = 0;
    bool greater = p->no_greater;
    p->no_greater = false;
    bw_expect_token(p, open, "before the arguments");
    while (!bw_at(p, close)) {
        if (count == MAX_ARGUMENTS)
            bw_syntax_error(p, BW_MSG_TOO_MANY, "split the call", "more than %d arguments",
                            MAX_ARGUMENTS);
        grow_list(p, &list, count, &capacity);
        list[count++] = bw_parse_assignment(p);
        if (!bw_accept(p, BW_TOK_COMMA))
            break;
    }
    bw_expect_token(p, close, "after the arguments");
    p->no_greater = greater;
    grow_list(p, &list, count, &capacity);
    *args = list;
    return count;
}

/* "(a, b, …)": *args gets them in the arena. */
size_t bw_parse_arguments(bw_parser *p, bw_expr ***args)
{
    return bw_parse_list(p, args, BW_TOK_LPAREN, BW_TOK_RPAREN);
}

static bw_expr *call_builtin(bw_parser *p, const bw_builtin_call *c)
{
    const bw_builtin *b = c->builtin;
    if (c->count < b->least || c->count > b->most)
        return bw_refuse(p, BW_MSG_ARGUMENT_COUNT, c->span,
                         bw_arena_format(p->arena, "'%s' takes %s%u argument%s, not %u", b->name,
                                         b->least == b->most ? "" : "at least ", b->least,
                                         b->least == 1 ? "" : "s", c->count),
                         "see bankwise-pattern(5)");
    for (uint32_t i = 0; i < c->count; i++)
        if (bw_is_error(c->args[i]))
            return bw_new_error(p, c->span);
    return bw_apply_rule(p, c);
}

/* make_float4(a, b, c, d) */
static bw_expr *call_make(bw_parser *p, const bw_token *name, bw_span span, bw_expr **args,
                          size_t count)
{
    const bw_type *type = bw_type_named(name->text + 5, name->len - 5);
    if (count != type->member_count)
        return bw_refuse(p, BW_MSG_ARGUMENT_COUNT, span,
                         bw_arena_format(p->arena, "%s has %u members, not %zu", type->name,
                                         type->member_count, count),
                         "give one value for each");
    for (size_t i = 0; i < count; i++) {
        args[i] = bw_convert(p, args[i], type->members[i].type);
        if (bw_is_error(args[i]))
            return args[i];
    }
    return bw_new_intrinsic(p, BW_IN_MAKE, 0, type, span, (uint32_t)count, args);
}

static bool is_make(const bw_token *name)
{
    return name->len > 5 && memcmp(name->text, "make_", 5) == 0 &&
           bw_type_named(name->text + 5, name->len - 5) != NULL &&
           bw_type_named(name->text + 5, name->len - 5)->member_count > 0;
}

bool bw_is_builtin(const bw_token *name)
{
    bw_builtin b;
    return is_make(name) || bw_builtin_find(name->text, name->len, &b);
}

bw_expr *bw_parse_call(bw_parser *p, const bw_token *name)
{
    size_t start = p->at - 1;
    int64_t numbers[4] = {0};
    size_t number_count = 0;
    static const bw_token_kind numbered[] = {BW_TOK_SWIZZLE, BW_TOK_TILED_PARTITION,
                                             BW_TOK_ALIGNED_SIZE, BW_TOK_WAIT_PRIOR};
    bool angled = false;
    for (size_t i = 0; i < sizeof numbered / sizeof *numbered; i++)
        angled |= bw_token_is(name, numbered[i]);
    bool typed = bw_token_is(name, BW_TOK_MIN) || bw_token_is(name, BW_TOK_MAX);
    const bw_type *type = NULL;
    if (typed && bw_accept(p, BW_TOK_LESS)) { /* std::max<int>(a, b) */
        type = bw_parse_type_name(p);
        bw_close_angle(p, "after the type");
    }
    if (angled && bw_accept(p, BW_TOK_LESS)) {
        do {
            numbers[number_count++] = bw_parse_angled_integer(p, "a template argument", 0);
        } while (number_count < 4 && bw_accept(p, BW_TOK_COMMA));
        bw_expect_token(p, BW_TOK_GREATER, "after the numbers");
    }
    if (bw_token_is(name, BW_TOK_REDUCE) && !bw_at(p, BW_TOK_LPAREN))
        bw_syntax_error(p, BW_MSG_UNKNOWN_NAME, "declare it", "unknown identifier 'reduce'");
    bw_expr **args;
    size_t count = bw_parse_arguments(p, &args);
    bw_span span = bw_span_from(p, start);
    bw_builtin b;
    if (is_make(name)) {
        for (size_t i = 0; i < count; i++)
            if (bw_is_error(args[i]))
                return bw_new_error(p, span);
        return call_make(p, name, span, args, count);
    }
    bw_builtin_find(name->text, name->len, &b);
    for (size_t i = 0; type && i < count; i++)
        args[i] = bw_convert(p, args[i], type);
    return call_builtin(p,
                        &(bw_builtin_call){&b, span, args, (uint32_t)count, numbers, number_count});
}
