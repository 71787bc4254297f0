/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Library functions that are written as functions of the language.
 *
 * cooperative_groups::memcpy_async, as CUDA 13.0's cooperative_groups/details/async.h writes it: a
 * loop of cp.async over the group's threads, of 4, 8 or 16 bytes by the elements' alignment. A
 * block strides by its size; a tile copies whole rounds, and then a last one in which the threads
 * that have nothing left copy the last element again. Elements of 1 or 2 bytes choose by addresses
 * at run time, and are refused.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <float.h>
#include <math.h>

#include "cxx.h"

typedef struct copier {
    bw_parser *p;
    bw_span span;
    bw_stmt **end;
    bw_symbol *to, *from, *count, *rank, *stride;
    int op;
    bw_function *function;
    bw_scope *outer; /* around the call */
} copier;

static bw_expr *use(const copier *c, bw_symbol *s)
{
    return bw_new_symbol(c->p, s, c->span);
}

static bw_expr *binary(const copier *c, bw_binary op, bw_expr *a, bw_expr *b)
{
    return bw_new_binary(c->p, op, a, b, c->span);
}

static bw_expr *number(const copier *c, int64_t value)
{
    return bw_new_integer(c->p, &bw_ty_ulong, value, c->span);
}

static void append(copier *c, bw_stmt *s)
{
    *c->end = s;
    c->end = &s->next;
}

static bw_symbol *variable(copier *c, const char *name, const bw_type *type, bw_expr *value)
{
    bw_symbol *s = bw_declare(c->p, name, BW_SY_VARIABLE, type, c->span);
    s->storage = BW_ST_REGISTER;
    bw_stmt *d = bw_new_stmt(c->p, BW_SM_DECLARE, c->span);
    d->symbol = s;
    d->expr = bw_convert(c->p, value, type);
    append(c, d);
    return s;
}

/* cp.async of element `index`. */
static bw_stmt *copy(const copier *c, bw_expr *index)
{
    bw_expr **args = bw_arena_alloc(c->p->arena, 2 * sizeof *args);
    args[0] = binary(c, BW_ADD, use(c, c->to), index);
    args[1] = binary(c, BW_ADD, use(c, c->from), index);
    return bw_new_expr_stmt(
        c->p, bw_new_intrinsic(c->p, BW_IN_CP_ASYNC, c->op, &bw_ty_void, c->span, 2, args));
}

/* for (i = first; i < limit; i += stride) copy(i + shift) */
static void loop(copier *c, bw_expr *first, bw_expr *limit, bw_expr *shift)
{
    bw_symbol *i = variable(c, "#i", &bw_ty_ulong, first);
    bw_stmt *s = bw_new_stmt(c->p, BW_SM_LOOP, c->span);
    s->cond = binary(c, BW_LT, use(c, i), limit);
    s->step = bw_new_compound(c->p, BW_ADD, use(c, i), use(c, c->stride), c->span);
    s->body = copy(c, shift ? binary(c, BW_ADD, use(c, i), shift) : use(c, i));
    append(c, s);
}

static void tile_rounds(copier *c)
{
    bw_expr *mask = binary(c, BW_SUB, use(c, c->stride), number(c, 1));
    bw_symbol *left = variable(c, "#left", &bw_ty_ulong, binary(c, BW_AND, use(c, c->count), mask));
    bw_symbol *whole =
        variable(c, "#whole", &bw_ty_ulong, binary(c, BW_SUB, use(c, c->count), use(c, left)));
    bw_expr *last = binary(c, BW_SUB, use(c, left), number(c, 1));
    bw_expr *mine = bw_new_conditional(c->p, binary(c, BW_LT, use(c, c->rank), last),
                                       use(c, c->rank), last, c->span);
    loop(c, number(c, 0), use(c, whole), use(c, c->rank));
    bw_stmt *rest = bw_new_stmt(c->p, BW_SM_IF, c->span);
    rest->cond = binary(c, BW_NE, use(c, left), number(c, 0));
    rest->body = copy(c, binary(c, BW_ADD, use(c, whole), mine));
    append(c, rest);
}

/* A function without parameters, into whose body a copier appends. */
static copier begin(bw_parser *p, const char *name, bw_span span)
{
    bw_function *f = bw_new_function(p, name, span);
    f->result = &bw_ty_void;
    f->body = bw_new_stmt(p, BW_SM_BLOCK, span);
    f->parsed = true;
    copier c = {.p = p, .span = span, .end = &f->body->body, .function = f, .outer = p->scope};
    bw_push_scope(p);
    return c;
}

/* The call of what was begun, which is its value. */
static bw_expr *finish(copier *c)
{
    c->p->scope = c->outer;
    bw_expr *e = bw_new_expr(c->p, BW_EX_CALL, &bw_ty_void, c->span);
    e->call.function = c->function;
    return e;
}

/* A function without parameters whose body copies; calling it is the value. */
static bw_expr *build(bw_parser *p, const bw_type *group, bw_expr *to, bw_expr *from,
                      bw_expr *bytes, uint32_t unit, bw_span span)
{
    const bw_type *segment = bw_type_vector(&bw_ty_uint, unit / 4);
    const bw_type *pointer = bw_type_pointer(p->arena, segment);
    copier c = begin(p, "memcpy_async", span);
    c.op = bw_op_copy(unit);
    c.to = variable(&c, "#to", pointer, bw_cast(p, to, pointer, span));
    c.from = variable(&c, "#from", pointer, bw_cast(p, from, pointer, span));
    c.rank = variable(&c, "#rank", &bw_ty_ulong, bw_group_rank(p, group, span));
    c.stride = variable(&c, "#stride", &bw_ty_ulong, bw_group_size(p, group, span));
    c.count = variable(&c, "#count", &bw_ty_ulong,
                       binary(&c, BW_DIV, bw_convert(p, bytes, &bw_ty_ulong), number(&c, unit)));
    if (group->count > 1)
        tile_rounds(&c);
    else
        loop(&c, use(&c, c.rank), use(&c, c.count), NULL);
    return finish(&c);
}

static bool is_group(const bw_expr *e)
{
    return e->type->kind == BW_TY_HANDLE;
}

bw_expr *bw_call_memcpy_async(bw_parser *p, bw_expr **args, uint32_t count, bw_span span)
{
    static const char remedy[] =
        "write cooperative_groups::memcpy_async(group, shared, global, bytes), or the copy of each "
        "thread: __pipeline_memcpy_async(shared, global, 16)";
    bool layouts = count == 5 && bw_type_is_integer(args[4]->type);
    if (!is_group(args[0]) || (count != 4 && !layouts))
        return bw_refuse(
            p, BW_MSG_CXX_NOT_IN_LANGUAGE, span,
            "cuda::memcpy_async chooses its instructions by its completion object, and "
            "is not in the language",
            remedy);
    bw_expr *to = bw_value(p, args[1]), *from = bw_value(p, args[layouts ? 3 : 2]);
    if (to->type->kind != BW_TY_POINTER || from->type->kind != BW_TY_POINTER)
        return bw_refuse(p, BW_MSG_CALL_ARGUMENT, span, "an asynchronous copy needs two addresses",
                         "the first in shared memory, the second in global memory");
    const bw_type *elem = to->type->elem;
    bw_expr *bytes = args[layouts ? 2 : 3];
    uint32_t unit = elem->kind == BW_TY_VOID ? 1 : elem->align;
    if (!layouts && bytes->kind == BW_EX_CAST && bytes->unit)
        unit = bytes->unit;
    if (layouts) {
        bw_expr *least = bw_new_conditional(p, bw_new_binary(p, BW_LT, args[4], bytes, span),
                                            args[4], bytes, span);
        bytes = bw_new_binary(p, BW_MUL, bw_convert(p, least, &bw_ty_ulong),
                              bw_new_integer(p, &bw_ty_ulong, elem->size, span), span);
    }
    if (bw_is_error(bytes))
        return bytes;
    if (unit < 4)
        return bw_refuse(p, BW_MSG_CXX_NOT_IN_LANGUAGE, span,
                         "memcpy_async chooses its width at run time for elements of 1 or 2 bytes",
                         "cast the pointers to int4 *, or give cuda::aligned_size_t<16>(bytes)");
    return build(p, args[0]->type, to, from, bytes, unit > 16 ? 16 : unit, span);
}

/* { T &a = x, &b = y; T kept = a; a = b; b = kept; } */
bw_expr *bw_call_swap(bw_parser *p, bw_expr **args, bw_span span)
{
    const bw_type *type = args[0]->type;
    if (!args[0]->lvalue || !args[1]->lvalue || !bw_type_same(type, args[1]->type) ||
        type->kind == BW_TY_ARRAY)
        return bw_refuse(p, BW_MSG_CALL_ARGUMENT, span, "swap needs two variables of one type",
                         "swap elements one by one");
    copier c = begin(p, "swap", span);
    const bw_type *address = bw_type_pointer(p->arena, type);
    bw_symbol *a = variable(&c, "#a", address, bw_new_address(p, args[0], args[0]->span));
    bw_symbol *b = variable(&c, "#b", address, bw_new_address(p, args[1], args[1]->span));
    bw_expr *first = bw_new_deref(p, use(&c, a), args[0]->span);
    bw_expr *second = bw_new_deref(p, use(&c, b), args[1]->span);
    bw_symbol *kept = variable(&c, "#kept", type, first);
    kept->storage = type->kind == BW_TY_STRUCT ? BW_ST_LOCAL : BW_ST_REGISTER;
    append(&c, bw_new_expr_stmt(p, bw_new_assign(p, first, second, span)));
    append(&c, bw_new_expr_stmt(p, bw_new_assign(p, second, use(&c, kept), span)));
    return finish(&c);
}

/* numeric_limits<T>::max() and its like, as float.h and limits.h have them. */
bw_expr *bw_parse_limits(bw_parser *p)
{
    size_t start = p->at;
    bw_take(p);
    bw_take(p);
    const bw_type *t = bw_parse_type_name(p);
    bw_close_angle(p, "after the type");
    bw_expect_token(p, BW_TOK_SCOPE, "after numeric_limits<…>");
    const bw_token *name = bw_take(p);
    bw_expect_token(p, BW_TOK_LPAREN, "after the limit's name");
    bw_expect_token(p, BW_TOK_RPAREN, "after '('");
    bw_span span = bw_span_from(p, start);
    bool low = bw_token_is(name, BW_TOK_LOWEST), least = low || bw_token_is(name, BW_TOK_MIN);
    if (bw_type_is_integer(t) && (least || bw_token_is(name, BW_TOK_MAX))) {
        unsigned bits = t->kind == BW_TY_BOOL ? 1 : 8 * t->size - t->is_signed;
        uint64_t most = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
        uint64_t value = !least ? most : t->is_signed ? ~most : 0;
        return bw_new_integer(p, t, (int64_t)value, span);
    }
    bool wide = t->kind == BW_TY_DOUBLE;
    double most = wide ? DBL_MAX : (double)FLT_MAX, tiny = wide ? DBL_MIN : (double)FLT_MIN;
    if (wide || t->kind == BW_TY_FLOAT) {
        if (bw_token_is(name, BW_TOK_MAX) || least)
            return bw_new_real(p, t, !least ? most : low ? -most : tiny, span);
        if (bw_token_is(name, BW_TOK_INFINITY))
            return bw_new_real(p, t, INFINITY, span);
        if (bw_token_is(name, BW_TOK_EPSILON))
            return bw_new_real(p, t, wide ? DBL_EPSILON : (double)FLT_EPSILON, span);
    }
    p->at = start;
    bw_syntax_error(p, BW_MSG_UNKNOWN_MEMBER,
                    "known: max, min and lowest of integers; infinity and epsilon too of float "
                    "and double",
                    "'%.*s' of %s is not known", (int)name->len, name->text,
                    bw_type_name(p->arena, t));
}
