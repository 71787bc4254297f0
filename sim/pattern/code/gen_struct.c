/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include <string.h>

#include "gen.h"

/* ---- structs: pieces as nvcc moves them
 * ------------------------------------------------------------------ */

typedef struct piece {
    uint32_t offset, bytes;
    bool padding;
} piece;

#define MAX_PIECES 4096

typedef struct pieces {
    piece items[MAX_PIECES];
    uint32_t count, end;
    bool full;
    bool gaps;    /* padding between members */
    bool tail;    /* padding after the last one */
    bool aligned; /* a vector or __align__ed struct among the members */
} pieces;

static void add_leaf(pieces *p, uint32_t offset, uint32_t bytes)
{
    for (; p->end < offset && !p->full; p->end++) { /* padding moves as bytes */
        p->full = p->count == MAX_PIECES;
        if (!p->full)
            p->items[p->count++] = (piece){p->end, 1, true};
        p->gaps = true;
    }
    p->full |= p->count == MAX_PIECES;
    if (!p->full)
        p->items[p->count++] = (piece){offset, bytes, false};
    p->end = offset + bytes;
}

static void leaves(pieces *p, const bw_type *type, uint32_t offset)
{
    if (type->kind == BW_TY_ARRAY) {
        for (int64_t k = 0; k < type->count && !p->full; k++)
            leaves(p, type->elem, offset + (uint32_t)k * type->elem->size);
    } else if (type->kind == BW_TY_STRUCT) {
        for (uint32_t k = 0; k < type->member_count; k++)
            if (k == 0 || type->members[k].offset >= p->end - offset) /* a union: its first */
                leaves(p, type->members[k].type, offset + type->members[k].offset);
        p->aligned |=
            type->over_aligned || (type->is_vector && type->align > type->members[0].type->align);
        for (; p->end < offset + type->size && !p->full; p->tail = true) {
            add_leaf(p, p->end, 1);
            p->items[p->count - 1].padding = true;
        }
    } else {
        add_leaf(p, offset, type->size);
    }
}

static void cut_in_units(const bw_type *type, pieces *p)
{
    uint32_t unit = type->align > 16 ? 16 : type->align;
    p->count = 0;
    for (uint32_t at = 0; at < type->size && p->count < MAX_PIECES; at += unit)
        p->items[p->count++] = (piece){at, unit, false};
    p->full = (uint64_t)p->count * unit < type->size;
}

/* How many of the equal pieces from `k` on move as one. */
static uint32_t joined(const bw_type *type, const pieces *p, uint32_t k)
{
    piece first = p->items[k];
    uint32_t run = 1, n = 4;
    while (k + run < p->count && p->items[k + run].bytes == first.bytes)
        run++;
    bool few = run >= 8 && first.bytes == 1 && p->items[k + 3].padding; /* fewer than 4 members */
    if (few && type->align >= 8 && first.offset % 8 == 0)
        return 8;
    while (n > 1 && (n > run || n * first.bytes > 16 || n * first.bytes > type->align ||
                     first.offset % (n * first.bytes)))
        n /= 2;
    return n;
}

/*
 * How nvcc 13.0 moves a struct from memory to memory (seen in its PTX, for the types of
 * test_eval.c): in units of its alignment if __align__ exceeds what its members ask, if there is
 * padding between members, or padding at all and a vector among them; else member by member,
 * padding at the end as bytes, neighbours of one size joined into vectors of up to 16 bytes as far
 * as the alignment allows.
 */
static void cut(const bw_type *type, pieces *p)
{
    *p = (pieces){.count = 0};
    leaves(p, type, 0);
    if (type->over_aligned || type->is_vector || p->gaps || (p->aligned && p->tail)) {
        cut_in_units(type, p);
        return;
    }
    uint32_t kept = 0;
    for (uint32_t k = 0; k < p->count;) {
        uint32_t n = joined(type, p, k);
        p->items[kept++] = (piece){p->items[k].offset, n * p->items[k].bytes, false};
        k += n;
    }
    p->count = kept;
}

/* Moves a struct between memory and a lane's own memory. */
static void move_pieces(bw_gen *g, bool load, const bw_lvalue *lv, uint32_t local)
{
    pieces *p = bw_arena_alloc(g->arena, sizeof *p);
    cut(lv->type, p);
    if (p->full) {
        bw_gen_error(g, BW_MSG_OBJECT_SIZE, lv->span, "move its members",
                     "this struct is too large to move as a whole");
        return;
    }
    uint32_t origin = bw_load_origin(g, lv->span);
    for (uint32_t k = 0; k < p->count; k++) {
        piece q = p->items[k];
        uint32_t address = bw_gen_offset(g, lv->place, q.offset, lv->span);
        uint32_t site = bw_site_of(g, lv->span, lv->shown.len ? lv->shown : lv->span,
                                   bw_sized_op(load, q.bytes));
        bw_ins *i = bw_emit(g, load ? BW_I_VLOAD : BW_I_VSTORE, lv->span);
        i->a = address;
        i->number = (int32_t)q.bytes;
        i->imm = (int64_t)local + q.offset;
        i->site = site;
        i->origin = origin;
    }
}

static void copy_local(bw_gen *g, uint32_t to, uint32_t from, const bw_type *type, bw_span span)
{
    if (to == from)
        return;
    bw_ins *i = bw_emit(g, BW_I_LCOPY, span);
    i->imm = to;
    i->number = (int32_t)from;
    i->aux = type->size;
}

uint32_t bw_gen_store_aggregate(bw_gen *g, const bw_lvalue *lv, const bw_expr *value)
{
    uint32_t from = bw_gen_aggregate(g, value);
    if (lv->kind == BW_LV_LOCAL)
        copy_local(g, lv->place, from, lv->type, lv->span);
    else
        move_pieces(g, false, lv, from);
    return from;
}

/* Leaves of an initializer list, from args[*at] on, into local memory. */
static void fill(bw_gen *g, const bw_type *type, uint32_t place, const bw_expr *list, uint32_t *at)
{
    const bw_expr *e = *at < list->list.count ? list->list.items[*at] : NULL;
    if (g->failed)
        return;
    if (e && e->type->kind == BW_TY_STRUCT && bw_type_same(e->type, type)) {
        copy_local(g, place, bw_gen_aggregate(g, e), type, e->span);
        *at += bw_type_leaves(type);
    } else if (type->kind == BW_TY_ARRAY) {
        for (int64_t k = 0; k < type->count; k++)
            fill(g, type->elem, place + (uint32_t)k * type->elem->size, list, at);
    } else if (type->kind == BW_TY_STRUCT) {
        for (uint32_t k = 0; k < type->member_count; k++)
            if (!type->members[k].overlaid)
                fill(g, type->members[k].type, place + type->members[k].offset, list, at);
    } else {
        bw_lvalue lv = bw_local_lvalue(place, type, list->span);
        bw_class cls = bw_type_class(type);
        bw_gen_store(g, &lv, e ? bw_gen_value(g, e) : bw_constant_reg(g, cls, 0, 0));
        ++*at;
    }
}

void bw_gen_initialize(bw_gen *g, const bw_symbol *s, const bw_expr *init)
{
    if (s->storage == BW_ST_REGISTER) {
        uint32_t place = s->place, value = bw_gen_value(g, init);
        bw_ins *i = bw_emit(g, BW_I_COPY, init->span);
        i->dst = place;
        i->a = value;
        i->cls = (uint8_t)(s->is_reference ? BW_U64 : bw_type_class(s->type));
        return;
    }
    bw_lvalue lv = bw_local_lvalue(s->place, s->type, s->span);
    if (init->kind == BW_EX_LIST) {
        uint32_t at = 0;
        fill(g, s->type, s->place, init, &at);
    } else if (s->type->kind == BW_TY_STRUCT) {
        bw_gen_store_aggregate(g, &lv, init);
    } else {
        bw_gen_store(g, &lv, bw_gen_value(g, init));
    }
}

static void gen_each(bw_gen *g, const bw_expr *e, uint32_t at)
{
    uint32_t from = bw_gen_aggregate(g, e->intrinsic.args[0]);
    for (uint32_t k = 0; k < e->type->member_count; k++) {
        const bw_member *m = &e->type->members[k], *o = &e->intrinsic.args[0]->type->members[k];
        bw_lvalue source = bw_local_lvalue(from + o->offset, o->type, e->span);
        bw_lvalue target = bw_local_lvalue(at + m->offset, m->type, e->span);
        uint32_t v = bw_gen_convert(g, bw_gen_load(g, &source), o->type, m->type, e->span);
        bw_gen_store(g, &target, v);
    }
}

static void gen_make(bw_gen *g, const bw_expr *e, uint32_t at)
{
    uint32_t value = BW_NO_REG;
    for (uint32_t k = 0; k < e->type->member_count; k++) {
        const bw_member *m = &e->type->members[k];
        bw_lvalue lv = bw_local_lvalue(at + m->offset, m->type, e->span);
        if (m->type->kind == BW_TY_STRUCT && k < e->intrinsic.count) {
            bw_gen_store_aggregate(g, &lv, e->intrinsic.args[k]);
            continue;
        }
        if (k < e->intrinsic.count)
            value = bw_gen_value(g, e->intrinsic.args[k]);
        bw_gen_store(g, &lv, value);
    }
}

static void unknown_aggregate(bw_gen *g, const bw_expr *e, uint32_t at)
{
    uint32_t v = bw_gen_unknown(g, e->span, "a value that is not followed here", NULL);
    for (uint32_t k = 0; k < (e->type->size + 3) / 4; k++) {
        bw_lvalue lv = bw_local_lvalue(at + 4 * k, &bw_ty_uint, e->span);
        bw_gen_store(g, &lv, v);
    }
}

static void select_aggregate(bw_gen *g, const bw_expr *e, uint32_t at)
{
    uint32_t cond = bw_gen_value(g, e->a);
    size_t first = g->code->count;
    bw_emit(g, BW_I_IF, e->a->span)->a = cond;
    copy_local(g, at, bw_gen_aggregate(g, e->cond.yes), e->type, e->span);
    g->code->items[first].imm = (int64_t)g->code->count;
    size_t other = g->code->count;
    bw_emit(g, BW_I_ELSE, e->span);
    copy_local(g, at, bw_gen_aggregate(g, e->cond.no), e->type, e->span);
    g->code->items[other].imm = (int64_t)g->code->count;
    bw_emit(g, BW_I_ENDIF, e->span);
}

uint32_t bw_gen_aggregate(bw_gen *g, const bw_expr *e)
{
    if (e->kind == BW_EX_CALL)
        return bw_gen_call(g, e);
    if (e->kind == BW_EX_COMMA) {
        bw_gen_discard(g, e->a);
        return bw_gen_aggregate(g, e->binary.b);
    }
    if (e->kind == BW_EX_ASSIGN) {
        bw_lvalue lv = bw_gen_lvalue(g, e->a);
        return bw_gen_store_aggregate(g, &lv, e->binary.b);
    }
    uint32_t at;
    if (e->lvalue || e->kind == BW_EX_MEMBER) {
        bw_lvalue lv = bw_gen_lvalue(g, e);
        if (lv.kind == BW_LV_LOCAL)
            return lv.place;
        at = bw_local_space(g, e->type, e->span);
        move_pieces(g, true, &lv, at);
        return at;
    }
    at = bw_local_space(g, e->type, e->span);
    uint32_t next = 0;
    if (e->kind == BW_EX_LIST) {
        fill(g, e->type, at, e, &next);
    } else if (e->kind == BW_EX_COND) {
        select_aggregate(g, e, at);
    } else if (e->kind == BW_EX_INTRINSIC && e->intrinsic.what == BW_IN_MAKE) {
        gen_make(g, e, at);
    } else if (e->kind == BW_EX_INTRINSIC && e->intrinsic.what == BW_IN_EACH) {
        gen_each(g, e, at);
    } else {
        bw_gen_discard(g, e);
        unknown_aggregate(g, e, at);
    }
    return at;
}
