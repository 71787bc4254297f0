/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "gen.h"

#include <string.h>

/* ---- small helpers ----------------------------------------------------------------------------------- */

static uint32_t op1(bw_gen *g, bw_opcode op, bw_class cls, int number, uint32_t a, bw_span span)
{
    bw_ins *i = bw_emit(g, op, span);
    i->cls = (uint8_t)cls;
    i->number = number;
    i->a = a;
    uint32_t dst = bw_temp(g);
    i = &g->code->items[g->code->count - 1];
    i->dst = dst;
    return dst;
}

static uint32_t op2(bw_gen *g, bw_opcode op, bw_class cls, int number, uint32_t a, uint32_t b,
                    bw_span span)
{
    uint32_t dst = op1(g, op, cls, number, a, span);
    g->code->items[g->code->count - 1].b = b;
    return dst;
}

static uint32_t integer(bw_gen *g, bw_class cls, int64_t value)
{
    return bw_constant_reg(g, cls, value, 0);
}

static uint32_t pointer_constant(bw_gen *g, unsigned tag, int64_t offset)
{
    return integer(g, BW_U64, (int64_t)BW_POINTER(tag, offset));
}

static uint32_t add_offset(bw_gen *g, uint32_t pointer, int64_t bytes, bw_span span)
{
    return bytes ? op2(g, BW_I_BINARY, BW_U64, BW_ADD, pointer, integer(g, BW_U64, bytes), span)
                 : pointer;
}

static uint32_t unknown(bw_gen *g, bw_span span, const char *what, const char *note)
{
    uint32_t origin = bw_origin_of(g, span, what, note);
    uint32_t dst = op1(g, BW_I_UNKNOWN, BW_I32, 0, BW_NO_REG, span);
    g->code->items[g->code->count - 1].origin = origin;
    return dst;
}

/* From class to class, with the narrowing that the target type asks. */
static uint32_t convert_class(bw_gen *g, uint32_t v, const bw_type *from, const bw_type *to,
                              bw_span span)
{
    bw_class a = bw_type_class(from), b = bw_type_class(to);
    if (to->kind == BW_TY_BOOL)
        return from->kind == BW_TY_BOOL ? v : op1(g, BW_I_TRUTH, a, 0, v, span);
    if (a != b)
        v = op1(g, BW_I_CONVERT, a, (int)b, v, span);
    bool narrow = to->kind == BW_TY_HALF || to->kind == BW_TY_BFLOAT ||
                  (to->kind == BW_TY_INT && to->size < 4);
    bool fits = from->kind == to->kind && from->size <= to->size && from->is_signed == to->is_signed;
    if (narrow && !fits)
        v = op1(g, BW_I_TRUNCATE, b, (int)bw_type_memory(to), v, span);
    return v;
}

/* ---- lvalues ----------------------------------------------------------------------------------------- */

static bw_lvalue symbol_lvalue(bw_gen *g, const bw_expr *e)
{
    bw_symbol *s = e->symbol;
    bw_lvalue lv = {.type = e->type, .span = e->span};
    switch (s->storage) {
    case BW_ST_SHARED:
        bw_place_symbol(g, s);
        lv.kind = BW_LV_POINTER;
        lv.place = s->is_extern ? bw_extern_base(g, s)
                                : pointer_constant(g, BW_TAG_SHARED, s->place);
        break;
    case BW_ST_GLOBAL:
        bw_place_symbol(g, s);
        lv.kind = BW_LV_POINTER;
        lv.place = pointer_constant(g, BW_TAG_OBJECT + s->place, 0);
        break;
    case BW_ST_LOCAL:
        lv.kind = BW_LV_LOCAL;
        lv.place = s->place;
        break;
    default:
        lv.kind = s->is_reference ? BW_LV_POINTER : BW_LV_REGISTER;
        lv.place = s->place;
    }
    return lv;
}

uint32_t bw_gen_address(bw_gen *g, const bw_lvalue *lv)
{
    if (lv->kind == BW_LV_POINTER)
        return lv->place;
    uint32_t dst = op1(g, BW_I_POINTER, BW_U64, 0, BW_NO_REG, lv->span);
    g->code->items[g->code->count - 1].imm = (int64_t)BW_POINTER(BW_TAG_LOCAL, lv->place);
    return dst;
}

/* An index must lie in its array. `edge`: one past the end is allowed, for &a[n]. */
static void check_index(bw_gen *g, const bw_expr *e, uint32_t index, bool edge)
{
    const bw_type *array = e->a->type;
    const bw_expr *root = e->a;
    while (root->kind == BW_EX_INDEX || root->kind == BW_EX_MEMBER)
        root = root->a;
    const char *name = root->kind == BW_EX_SYMBOL ? root->symbol->name : "the array";
    int64_t count = array->count;
    if (count < 0)
        return; /* extern: the address is checked against the launch's bytes */
    bw_ins *i = bw_emit(g, BW_I_CHECK, e->b->span);
    i->cls = (uint8_t)bw_type_class(e->b->type);
    i->a = index;
    i->imm = count;
    i->number = edge;
    i->origin = bw_origin_of(g, e->a->span, name, "");
}

static bw_lvalue index_lvalue(bw_gen *g, const bw_expr *e, bool edge)
{
    bw_lvalue lv = {.kind = BW_LV_POINTER, .type = e->type, .span = e->span};
    int64_t size = e->type->size;
    uint32_t base, index;
    if (e->a->type->kind == BW_TY_ARRAY) {
        bw_lvalue array = bw_gen_lvalue(g, e->a);
        bool inside = bw_is_constant(e->b) && e->b->integer >= 0 && e->b->integer < e->a->type->count;
        if (array.kind == BW_LV_LOCAL && inside) {
            lv.kind = BW_LV_LOCAL;
            lv.place = array.place + (uint32_t)(e->b->integer * size);
            return lv;
        }
        base = bw_gen_address(g, &array);
        index = bw_gen_value(g, e->b);
        if (!inside)
            check_index(g, e, index, edge);
    } else {
        base = bw_gen_value(g, e->a);
        index = bw_gen_value(g, e->b);
    }
    if (bw_is_constant(e->b)) {
        lv.place = add_offset(g, base, e->b->integer * size, e->span);
    } else {
        lv.place = op2(g, BW_I_INDEX, bw_type_class(e->b->type), 0, base, index, e->span);
        g->code->items[g->code->count - 1].imm = size;
    }
    return lv;
}

bw_lvalue bw_gen_lvalue(bw_gen *g, const bw_expr *e)
{
    bw_lvalue lv = {.type = e->type, .span = e->span};
    switch (e->kind) {
    case BW_EX_SYMBOL: return symbol_lvalue(g, e);
    case BW_EX_INDEX: return index_lvalue(g, e, false);
    case BW_EX_DEREF:
        lv.kind = BW_LV_POINTER;
        lv.place = bw_gen_value(g, e->a);
        return lv;
    case BW_EX_MEMBER: {
        if (!e->a->lvalue) { /* a member of a value */
            lv.kind = BW_LV_LOCAL;
            lv.place = bw_gen_aggregate(g, e->a) + e->member->offset;
            return lv;
        }
        bw_lvalue object = bw_gen_lvalue(g, e->a);
        lv.kind = object.kind;
        lv.place = object.kind == BW_LV_LOCAL
                       ? object.place + e->member->offset
                       : add_offset(g, object.place, e->member->offset, e->span);
        return lv;
    }
    case BW_EX_ASSIGN:
    case BW_EX_STEP:
        bw_gen_discard(g, e);
        return bw_gen_lvalue(g, e->a);
    default: /* an array or struct value: it lies in a temporary */
        lv.kind = BW_LV_LOCAL;
        lv.place = bw_gen_aggregate(g, e);
        return lv;
    }
}

/* ---- loads and stores ---------------------------------------------------------------------------------- */

static const bw_op load_ops[] = {BW_OP_LD_8, BW_OP_LD_16, BW_OP_LD_32, BW_OP_LD_64, BW_OP_LD_128};
static const bw_op store_ops[] = {BW_OP_ST_8, BW_OP_ST_16, BW_OP_ST_32, BW_OP_ST_64, BW_OP_ST_128};

static bw_op sized(const bw_op *ops, uint32_t bytes)
{
    int k = 0;
    while (k < 4 && (1u << k) < bytes)
        k++;
    return ops[k];
}

/* The array that an access names, for the story of an unknown value. */
static const char *story(bw_gen *g, bw_span span)
{
    const char *text = bw_arena_copy(g->arena, g->source->text + span.offset,
                                     span.len > 60 ? 60 : span.len);
    return bw_arena_format(g->arena, "'%s', read from memory", text);
}

static uint32_t load_origin(bw_gen *g, bw_span span)
{
    return bw_origin_of(g, span, story(g, span), NULL);
}

static uint32_t gen_load(bw_gen *g, const bw_lvalue *lv)
{
    if (lv->kind == BW_LV_REGISTER)
        return lv->place;
    bool local = lv->kind == BW_LV_LOCAL;
    uint32_t dst = op1(g, local ? BW_I_LLOAD : BW_I_LOAD, bw_type_class(lv->type), 0,
                       local ? BW_NO_REG : lv->place, lv->span);
    uint32_t origin = load_origin(g, lv->span);
    uint32_t site = local ? 0 : bw_site_of(g, lv->span, sized(load_ops, lv->type->size));
    bw_ins *i = &g->code->items[g->code->count - 1];
    i->memory = (uint8_t)bw_type_memory(lv->type);
    i->origin = origin;
    i->site = site;
    if (local)
        i->imm = lv->place;
    return dst;
}

void bw_gen_store(bw_gen *g, const bw_lvalue *lv, uint32_t value)
{
    bw_class cls = bw_type_class(lv->type);
    if (lv->kind == BW_LV_REGISTER) {
        bw_ins *i = bw_emit(g, BW_I_MOVE, lv->span);
        i->cls = (uint8_t)cls;
        i->dst = lv->place;
        i->a = value;
        return;
    }
    bool local = lv->kind == BW_LV_LOCAL;
    uint32_t site = local ? 0 : bw_site_of(g, lv->span, sized(store_ops, lv->type->size));
    bw_ins *i = bw_emit(g, local ? BW_I_LSTORE : BW_I_STORE, lv->span);
    i->cls = (uint8_t)cls;
    i->memory = (uint8_t)bw_type_memory(lv->type);
    i->a = local ? BW_NO_REG : lv->place;
    i->b = value;
    i->imm = local ? (int64_t)lv->place : 0;
    i->site = site;
}

/* ---- structs: pieces as nvcc moves them ------------------------------------------------------------------ */

typedef struct piece {
    uint32_t offset, bytes;
} piece;

#define MAX_PIECES 4096

typedef struct pieces {
    piece items[MAX_PIECES];
    uint32_t count, end;
    bool full;
} pieces;

static void add_leaf(pieces *p, uint32_t offset, uint32_t bytes)
{
    for (; p->end < offset && !p->full; p->end++) { /* padding moves as bytes */
        p->full = p->count == MAX_PIECES;
        if (!p->full)
            p->items[p->count++] = (piece){p->end, 1};
    }
    p->full |= p->count == MAX_PIECES;
    if (!p->full)
        p->items[p->count++] = (piece){offset, bytes};
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
        for (; p->end < offset + type->size && !p->full;)
            add_leaf(p, p->end, 1);
    } else {
        add_leaf(p, offset, type->size);
    }
}

/*
 * How nvcc 13.0 moves a struct (seen in its PTX): member by member, padding as bytes, neighbours of
 * one size joined into vectors of up to 16 bytes as far as the alignment allows; a struct whose
 * __align__ exceeds its members' moves in units of that alignment.
 */
static void cut(const bw_type *type, pieces *p)
{
    *p = (pieces){.count = 0};
    if (type->over_aligned || type->is_vector) {
        uint32_t unit = type->align > 16 ? 16 : type->align;
        for (uint32_t at = 0; at < type->size && p->count < MAX_PIECES; at += unit)
            p->items[p->count++] = (piece){at, unit};
        p->full = (uint64_t)p->count * unit < type->size;
        return;
    }
    leaves(p, type, 0);
    uint32_t kept = 0;
    for (uint32_t k = 0; k < p->count;) {
        piece first = p->items[k];
        uint32_t run = 1;
        while (k + run < p->count && p->items[k + run].bytes == first.bytes)
            run++;
        uint32_t n = 4;
        while (n > 1 && (n > run || n * first.bytes > 16 || n * first.bytes > type->align ||
                         first.offset % (n * first.bytes)))
            n /= 2;
        p->items[kept++] = (piece){first.offset, n * first.bytes};
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
        bw_gen_error(g, lv->span, "move its members", "this struct is too large to move as a whole");
        return;
    }
    uint32_t origin = load_origin(g, lv->span);
    for (uint32_t k = 0; k < p->count; k++) {
        piece q = p->items[k];
        uint32_t address = add_offset(g, lv->place, q.offset, lv->span);
        uint32_t site = bw_site_of(g, lv->span, sized(load ? load_ops : store_ops, q.bytes));
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

static void store_aggregate(bw_gen *g, const bw_lvalue *lv, const bw_expr *value)
{
    uint32_t from = bw_gen_aggregate(g, value);
    if (lv->kind == BW_LV_LOCAL)
        copy_local(g, lv->place, from, lv->type, lv->span);
    else
        move_pieces(g, false, lv, from);
}

static uint32_t leaf_total(const bw_type *type)
{
    if (type->kind == BW_TY_ARRAY)
        return (uint32_t)type->count * leaf_total(type->elem);
    if (type->kind != BW_TY_STRUCT)
        return 1;
    uint32_t sum = 0;
    for (uint32_t k = 0; k < type->member_count; k++)
        sum += leaf_total(type->members[k].type);
    return sum;
}

/* Leaves of an initializer list, from args[*at] on, into local memory. */
static void fill(bw_gen *g, const bw_type *type, uint32_t place, const bw_expr *list, uint32_t *at)
{
    const bw_expr *e = *at < list->arg_count ? list->args[*at] : NULL;
    if (e && e->type->kind == BW_TY_STRUCT && type->kind == BW_TY_STRUCT) {
        copy_local(g, place, bw_gen_aggregate(g, e), type, e->span);
        *at += leaf_total(type);
    } else if (type->kind == BW_TY_ARRAY) {
        for (int64_t k = 0; k < type->count; k++)
            fill(g, type->elem, place + (uint32_t)k * type->elem->size, list, at);
    } else if (type->kind == BW_TY_STRUCT) {
        for (uint32_t k = 0; k < type->member_count; k++)
            fill(g, type->members[k].type, place + type->members[k].offset, list, at);
    } else {
        bw_lvalue lv = {BW_LV_LOCAL, place, type, list->span};
        bw_class cls = bw_type_class(type);
        bw_gen_store(g, &lv, e ? bw_gen_value(g, e) : bw_constant_reg(g, cls, 0, 0));
        ++*at;
    }
}

void bw_gen_initialize(bw_gen *g, const bw_symbol *s, const bw_expr *init)
{
    if (s->storage == BW_ST_REGISTER) {
        uint32_t value = bw_gen_value(g, init);
        bw_ins *i = bw_emit(g, BW_I_COPY, init->span);
        i->dst = s->place;
        i->a = value;
        i->cls = (uint8_t)(s->is_reference ? BW_U64 : bw_type_class(s->type));
        return;
    }
    bw_lvalue lv = {BW_LV_LOCAL, s->place, s->type, s->span};
    if (init->kind == BW_EX_LIST) {
        uint32_t at = 0;
        fill(g, s->type, s->place, init, &at);
    } else if (s->type->kind == BW_TY_STRUCT) {
        store_aggregate(g, &lv, init);
    } else {
        bw_gen_store(g, &lv, bw_gen_value(g, init));
    }
}

static void gen_each(bw_gen *g, const bw_expr *e, uint32_t at)
{
    uint32_t from = bw_gen_aggregate(g, e->args[0]);
    for (uint32_t k = 0; k < e->type->member_count; k++) {
        const bw_member *m = &e->type->members[k], *o = &e->args[0]->type->members[k];
        bw_lvalue source = {BW_LV_LOCAL, from + o->offset, o->type, e->span};
        bw_lvalue target = {BW_LV_LOCAL, at + m->offset, m->type, e->span};
        uint32_t v = convert_class(g, gen_load(g, &source), o->type, m->type, e->span);
        bw_gen_store(g, &target, v);
    }
}

static void gen_make(bw_gen *g, const bw_expr *e, uint32_t at)
{
    uint32_t value = BW_NO_REG;
    for (uint32_t k = 0; k < e->type->member_count; k++) {
        const bw_member *m = &e->type->members[k];
        bw_lvalue lv = {BW_LV_LOCAL, at + m->offset, m->type, e->span};
        if (k < e->arg_count)
            value = bw_gen_value(g, e->args[k]);
        bw_gen_store(g, &lv, value);
    }
}

static void unknown_aggregate(bw_gen *g, const bw_expr *e, uint32_t at)
{
    uint32_t v = unknown(g, e->span, "a value that is not followed here", NULL);
    for (uint32_t k = 0; k < (e->type->size + 3) / 4; k++) {
        bw_lvalue lv = {BW_LV_LOCAL, at + 4 * k, &bw_ty_uint, e->span};
        bw_gen_store(g, &lv, v);
    }
}

static void select_aggregate(bw_gen *g, const bw_expr *e, uint32_t at)
{
    uint32_t cond = bw_gen_value(g, e->a);
    size_t first = g->code->count;
    bw_emit(g, BW_I_IF, e->a->span)->a = cond;
    copy_local(g, at, bw_gen_aggregate(g, e->b), e->type, e->span);
    g->code->items[first].imm = (int64_t)g->code->count;
    size_t other = g->code->count;
    bw_emit(g, BW_I_ELSE, e->span);
    copy_local(g, at, bw_gen_aggregate(g, e->c), e->type, e->span);
    g->code->items[other].imm = (int64_t)g->code->count;
    bw_emit(g, BW_I_ENDIF, e->span);
}

uint32_t bw_gen_aggregate(bw_gen *g, const bw_expr *e)
{
    if (e->kind == BW_EX_CALL)
        return bw_gen_call(g, e);
    if (e->kind == BW_EX_COMMA) {
        bw_gen_discard(g, e->a);
        return bw_gen_aggregate(g, e->b);
    }
    if (e->kind == BW_EX_ASSIGN) {
        bw_lvalue lv = bw_gen_lvalue(g, e->a);
        store_aggregate(g, &lv, e->b);
        return bw_gen_aggregate(g, e->b);
    }
    uint32_t at;
    if (e->lvalue || e->kind == BW_EX_MEMBER) {
        bw_lvalue lv = bw_gen_lvalue(g, e);
        if (lv.kind == BW_LV_LOCAL)
            return lv.place;
        at = bw_local_space(g, e->type);
        move_pieces(g, true, &lv, at);
        return at;
    }
    at = bw_local_space(g, e->type);
    uint32_t next = 0;
    if (e->kind == BW_EX_LIST) {
        fill(g, e->type, at, e, &next);
    } else if (e->kind == BW_EX_COND) {
        select_aggregate(g, e, at);
    } else if (e->kind == BW_EX_INTRINSIC && e->intrinsic == BW_IN_MAKE) {
        gen_make(g, e, at);
    } else if (e->kind == BW_EX_INTRINSIC && e->intrinsic == BW_IN_EACH) {
        gen_each(g, e, at);
    } else {
        bw_gen_discard(g, e);
        unknown_aggregate(g, e, at);
    }
    return at;
}

/* ---- operators --------------------------------------------------------------------------------------------- */

/* Free of effects, accesses and faults: both sides of ?:, && and || may then be computed. */
static bool is_pure(const bw_expr *e)
{
    if (!e)
        return true;
    switch (e->kind) {
    case BW_EX_CONST:
    case BW_EX_BUILTIN_VAR: return true;
    case BW_EX_SYMBOL:
        return e->symbol->storage == BW_ST_REGISTER && !e->symbol->is_reference &&
               !e->symbol->address_taken;
    case BW_EX_BINARY:
        return ((e->op != BW_DIV && e->op != BW_REM) ||
                (bw_is_constant(e->b) || bw_type_is_float(e->work ? e->work : &bw_ty_int))) &&
               is_pure(e->a) && is_pure(e->b);
    case BW_EX_AND:
    case BW_EX_OR:
    case BW_EX_NOT:
    case BW_EX_NEG:
    case BW_EX_INVERT:
    case BW_EX_CAST:
    case BW_EX_COND: return is_pure(e->a) && is_pure(e->b) && is_pure(e->c);
    default: return false;
    }
}

static uint32_t gen_binary(bw_gen *g, const bw_expr *e)
{
    bool pa = e->a->type->kind == BW_TY_POINTER, pb = e->b->type->kind == BW_TY_POINTER;
    uint32_t a = bw_gen_value(g, e->a), b = bw_gen_value(g, e->b);
    if (pa && !pb && e->op <= BW_SUB) { /* pointer +- integer */
        uint32_t dst = op2(g, BW_I_INDEX, bw_type_class(e->b->type), 0, a, b, e->span);
        int64_t size = e->type->elem->size;
        g->code->items[g->code->count - 1].imm = e->op == BW_ADD ? size : -size;
        return dst;
    }
    if (pa && pb && e->op == BW_SUB) {
        uint32_t diff = op2(g, BW_I_BINARY, BW_I64, BW_SUB, a, b, e->span);
        int64_t size = e->a->type->elem->size;
        return size > 1 ? op2(g, BW_I_BINARY, BW_I64, BW_DIV, diff, integer(g, BW_I64, size), e->span)
                        : diff;
    }
    bw_class cls = pa ? BW_U64 : bw_type_class(e->work);
    if ((e->op == BW_SHL || e->op == BW_SHR) && bw_type_class(e->b->type) != cls)
        b = op1(g, BW_I_CONVERT, bw_type_class(e->b->type), (int)cls, b, e->span);
    uint32_t v = op2(g, BW_I_BINARY, cls, (int)e->op, a, b, e->span);
    if (e->op < BW_LT && (e->work->kind == BW_TY_HALF || e->work->kind == BW_TY_BFLOAT))
        v = op1(g, BW_I_TRUNCATE, cls, (int)bw_type_memory(e->work), v, e->span);
    return v;
}

/* a && b, a || b where b must not be evaluated for every lane. */
static uint32_t gen_short_circuit(bw_gen *g, const bw_expr *e)
{
    bool is_and = e->kind == BW_EX_AND;
    uint32_t a = bw_gen_value(g, e->a), dst = bw_variable(g);
    bw_ins *i = bw_emit(g, BW_I_COPY, e->span);
    i->dst = dst;
    i->a = a;
    i->cls = BW_I32;
    uint32_t cond = is_and ? a : op1(g, BW_I_LNOT, BW_I32, 0, a, e->span);
    size_t at = g->code->count;
    bw_emit(g, BW_I_IF, e->a->span)->a = cond;
    uint32_t b = bw_gen_value(g, e->b);
    i = bw_emit(g, BW_I_MOVE, e->span);
    i->dst = dst;
    i->a = b;
    i->cls = BW_I32;
    g->code->items[at].imm = (int64_t)g->code->count;
    bw_emit(g, BW_I_ENDIF, e->span);
    return dst;
}

static uint32_t gen_logical(bw_gen *g, const bw_expr *e)
{
    if (!is_pure(e->b))
        return gen_short_circuit(g, e);
    uint32_t a = bw_gen_value(g, e->a), b = bw_gen_value(g, e->b);
    return op2(g, e->kind == BW_EX_AND ? BW_I_LAND : BW_I_LOR, BW_I32, 0, a, b, e->span);
}

static uint32_t gen_cond(bw_gen *g, const bw_expr *e)
{
    bw_class cls = bw_type_class(e->type);
    uint32_t cond = bw_gen_value(g, e->a);
    if (is_pure(e->b) && is_pure(e->c)) {
        uint32_t b = bw_gen_value(g, e->b), c = bw_gen_value(g, e->c);
        uint32_t dst = op2(g, BW_I_SELECT, cls, 0, cond, b, e->span);
        g->code->items[g->code->count - 1].c = c;
        return dst;
    }
    uint32_t dst = bw_variable(g);
    bw_ins *i = bw_emit(g, BW_I_FRESH, e->span);
    i->dst = dst;
    size_t first = g->code->count;
    bw_emit(g, BW_I_IF, e->a->span)->a = cond;
    const bw_expr *sides[2] = {e->b, e->c};
    for (int k = 0; k < 2; k++) {
        uint32_t v = bw_gen_value(g, sides[k]);
        i = bw_emit(g, BW_I_MOVE, e->span);
        i->dst = dst;
        i->a = v;
        i->cls = (uint8_t)cls;
        g->code->items[first].imm = (int64_t)g->code->count;
        first = g->code->count;
        bw_emit(g, k == 0 ? BW_I_ELSE : BW_I_ENDIF, e->span);
    }
    return dst;
}

static uint32_t gen_assign(bw_gen *g, const bw_expr *e)
{
    if (!e->has_op) {
        uint32_t value = bw_gen_value(g, e->b);
        bw_lvalue lv = bw_gen_lvalue(g, e->a);
        bw_gen_store(g, &lv, value);
        return value;
    }
    bw_lvalue lv = bw_gen_lvalue(g, e->a);
    uint32_t b = bw_gen_value(g, e->b), old = gen_load(g, &lv), v;
    if (lv.type->kind == BW_TY_POINTER) {
        v = op2(g, BW_I_INDEX, bw_type_class(e->b->type), 0, old, b, e->span);
        int64_t size = lv.type->elem->size;
        g->code->items[g->code->count - 1].imm = e->op == BW_ADD ? size : -size;
    } else {
        bw_class cls = bw_type_class(e->work);
        old = convert_class(g, old, lv.type, e->work, e->span);
        if ((e->op == BW_SHL || e->op == BW_SHR) && bw_type_class(e->b->type) != cls)
            b = op1(g, BW_I_CONVERT, bw_type_class(e->b->type), (int)cls, b, e->span);
        v = op2(g, BW_I_BINARY, cls, (int)e->op, old, b, e->span);
        v = convert_class(g, v, e->work, lv.type, e->span);
        if (e->work == lv.type && (lv.type->kind == BW_TY_HALF || lv.type->kind == BW_TY_BFLOAT))
            v = op1(g, BW_I_TRUNCATE, cls, (int)bw_type_memory(lv.type), v, e->span);
    }
    bw_gen_store(g, &lv, v);
    return v;
}

static uint32_t gen_step(bw_gen *g, const bw_expr *e)
{
    bw_lvalue lv = bw_gen_lvalue(g, e->a);
    uint32_t old = gen_load(g, &lv), v;
    if (e->post && lv.kind == BW_LV_REGISTER) { /* the old value outlives the store */
        uint32_t kept = bw_variable(g);
        bw_ins *i = bw_emit(g, BW_I_COPY, e->span);
        i->dst = kept;
        i->a = old;
        i->cls = (uint8_t)bw_type_class(lv.type);
        old = kept;
    }
    if (lv.type->kind == BW_TY_POINTER) {
        v = add_offset(g, old, e->op == BW_ADD ? lv.type->elem->size : -(int64_t)lv.type->elem->size,
                       e->span);
    } else {
        const bw_type *work = bw_type_promote(lv.type);
        bw_class cls = bw_type_class(work);
        v = op2(g, BW_I_BINARY, cls, (int)e->op, convert_class(g, old, lv.type, work, e->span),
                bw_constant_reg(g, cls, 1, 1.0), e->span);
        v = convert_class(g, v, work, lv.type, e->span);
    }
    bw_gen_store(g, &lv, v);
    return e->post ? old : v;
}

/* ---- intrinsics -------------------------------------------------------------------------------------------- */

static bw_op atomic_op(const bw_type *t, bw_atomic op, bool used, const bw_expr *value)
{
    bool wide = t->size == 8, s = t->is_signed;
    if (t->kind == BW_TY_STRUCT)
        return used ? BW_OP_ATOM_ADD_F16X2 : BW_OP_RED_ADD_F16X2;
    if (t->kind == BW_TY_FLOAT && op == BW_AT_ADD)
        return used ? BW_OP_ATOM_ADD_F32 : BW_OP_RED_ADD_F32;
    if (t->kind == BW_TY_DOUBLE)
        return used ? BW_OP_ATOM_ADD_F64 : BW_OP_RED_ADD_F64;
    switch (op) {
    case BW_AT_ADD:
        /* nvcc turns an unused atomicAdd(p, 1) into a count of lanes: ATOMS.POPC.INC */
        if (!wide && !used && value && bw_is_constant(value) && value->integer == 1)
            return BW_OP_RED_INC_U32;
        /* fall through */
    case BW_AT_SUB:
        return wide ? (used ? BW_OP_ATOM_ADD_U64 : BW_OP_RED_ADD_U64)
                    : (used ? BW_OP_ATOM_ADD_U32 : BW_OP_RED_ADD_U32);
    case BW_AT_MIN:
        if (wide)
            return used ? (s ? BW_OP_ATOM_MIN_S64 : BW_OP_ATOM_MIN_U64)
                        : (s ? BW_OP_RED_MIN_S64 : BW_OP_RED_MIN_U64);
        return used ? (s ? BW_OP_ATOM_MIN_S32 : BW_OP_ATOM_MIN_U32)
                    : (s ? BW_OP_RED_MIN_S32 : BW_OP_RED_MIN_U32);
    case BW_AT_MAX:
        if (wide)
            return used ? (s ? BW_OP_ATOM_MAX_S64 : BW_OP_ATOM_MAX_U64)
                        : (s ? BW_OP_RED_MAX_S64 : BW_OP_RED_MAX_U64);
        return used ? (s ? BW_OP_ATOM_MAX_S32 : BW_OP_ATOM_MAX_U32)
                    : (s ? BW_OP_RED_MAX_S32 : BW_OP_RED_MAX_U32);
    case BW_AT_AND:
        return wide ? (used ? BW_OP_ATOM_AND_B64 : BW_OP_RED_AND_B64)
                    : (used ? BW_OP_ATOM_AND_B32 : BW_OP_RED_AND_B32);
    case BW_AT_OR:
        return wide ? (used ? BW_OP_ATOM_OR_B64 : BW_OP_RED_OR_B64)
                    : (used ? BW_OP_ATOM_OR_B32 : BW_OP_RED_OR_B32);
    case BW_AT_XOR:
        return wide ? (used ? BW_OP_ATOM_XOR_B64 : BW_OP_RED_XOR_B64)
                    : (used ? BW_OP_ATOM_XOR_B32 : BW_OP_RED_XOR_B32);
    case BW_AT_INC: return BW_OP_ATOM_INC_U32;
    case BW_AT_DEC: return BW_OP_ATOM_DEC_U32;
    case BW_AT_EXCH: return wide ? BW_OP_ATOM_EXCH_B64 : BW_OP_ATOM_EXCH_B32;
    default: return wide ? BW_OP_ATOM_CAS_B64 : BW_OP_ATOM_CAS_B32;
    }
}

static uint32_t touch(bw_gen *g, const bw_expr *e, bw_op op, uint32_t address, bool writes)
{
    uint32_t site = bw_site_of(g, e->span, op);
    uint32_t origin = bw_origin_of(g, e->span, "a value that is not followed here", NULL);
    bw_ins *i = bw_emit(g, BW_I_TOUCH, e->span);
    i->a = address;
    i->site = site;
    i->number = writes;
    i->origin = origin;
    return BW_NO_REG;
}

static uint32_t gen_atomic(bw_gen *g, const bw_expr *e, bool used)
{
    const bw_type *t = e->args[0]->type->elem;
    bw_op op = atomic_op(t, (bw_atomic)e->number, used, e->args[1]);
    uint32_t address = bw_gen_value(g, e->args[0]);
    if (t->kind == BW_TY_STRUCT) {
        bw_gen_aggregate(g, e->args[1]);
        return touch(g, e, op, address, true);
    }
    uint32_t b = bw_gen_value(g, e->args[1]);
    uint32_t c = e->arg_count > 2 ? bw_gen_value(g, e->args[2]) : BW_NO_REG;
    uint32_t dst = op2(g, BW_I_ATOMIC, bw_type_class(t), e->number, address, b, e->span);
    uint32_t site = bw_site_of(g, e->span, op), origin = load_origin(g, e->span);
    bw_ins *i = &g->code->items[g->code->count - 1];
    i->c = c;
    i->memory = (uint8_t)bw_type_memory(t);
    i->site = site;
    i->origin = origin;
    return dst;
}

static uint32_t shared_address(bw_gen *g, const bw_expr *e)
{
    uint32_t v = bw_gen_value(g, e);
    if (e->type->kind == BW_TY_POINTER)
        return v;
    if (bw_type_class(e->type) != BW_U64)
        v = op1(g, BW_I_CONVERT, bw_type_class(e->type), BW_U64, v, e->span);
    return op1(g, BW_I_FROM_SHARED, BW_U64, 0, v, e->span);
}

static uint32_t gen_swizzle(bw_gen *g, const bw_expr *e)
{
    bw_class cls = bw_type_class(e->type);
    int to = e->number & 255, bits = e->number >> 8 & 255, from = e->number >> 16;
    uint32_t v = bw_gen_value(g, e->args[0]);
    uint32_t part = op2(g, BW_I_BINARY, cls, BW_SHR, v, integer(g, cls, from), e->span);
    part = op2(g, BW_I_BINARY, cls, BW_AND, part, integer(g, cls, ((int64_t)1 << bits) - 1), e->span);
    part = op2(g, BW_I_BINARY, cls, BW_SHL, part, integer(g, cls, to), e->span);
    return op2(g, BW_I_BINARY, cls, BW_XOR, v, part, e->span);
}

/* A value computed from all its arguments by one instruction. */
static uint32_t gen_function(bw_gen *g, const bw_expr *e)
{
    static const bw_opcode map[] = {
        [BW_IN_MIN] = BW_I_MINMAX, [BW_IN_MAX] = BW_I_MINMAX, [BW_IN_ABS] = BW_I_ABS,
        [BW_IN_POPC] = BW_I_POPC,  [BW_IN_CLZ] = BW_I_CLZ,    [BW_IN_FFS] = BW_I_FFS,
        [BW_IN_BREV] = BW_I_BREV,  [BW_IN_MULHI] = BW_I_MULHI, [BW_IN_MATH] = BW_I_MATH,
        [BW_IN_ROUND_INT] = BW_I_ROUND, [BW_IN_SHFL] = BW_I_SHFL, [BW_IN_VOTE] = BW_I_VOTE,
        [BW_IN_REDUCE] = BW_I_REDUCE, [BW_IN_DRAW] = BW_I_DRAW,
    };
    uint32_t regs[4] = {BW_NO_REG, BW_NO_REG, BW_NO_REG, BW_NO_REG};
    for (uint32_t k = 0; k < e->arg_count && k < 4; k++)
        regs[k] = bw_gen_value(g, e->args[k]);
    bool masked = e->intrinsic == BW_IN_SHFL || e->intrinsic == BW_IN_VOTE ||
                  e->intrinsic == BW_IN_REDUCE; /* the first argument is the lane mask */
    const bw_type *operand = e->arg_count ? e->args[masked && e->arg_count > 1]->type : e->type;
    int number = e->intrinsic == BW_IN_MAX ? 1 : e->intrinsic == BW_IN_MIN ? 0 : e->number;
    uint32_t dst = op1(g, map[e->intrinsic], bw_type_class(operand), number,
                       masked ? regs[1] : regs[0], e->span);
    uint32_t origin = bw_origin_of(g, e->span, "a lane that takes no part", NULL);
    bw_ins *i = &g->code->items[g->code->count - 1];
    i->b = masked ? regs[2] : regs[1];
    i->c = masked ? regs[3] : regs[2];
    i->imm = (int64_t)bw_type_class(e->type);
    i->origin = origin;
    if (e->intrinsic == BW_IN_MATH && (e->type->kind == BW_TY_HALF || e->type->kind == BW_TY_BFLOAT))
        dst = op1(g, BW_I_TRUNCATE, BW_F32, (int)bw_type_memory(e->type), dst, e->span);
    return dst;
}

static uint32_t result_unknown(bw_gen *g, const bw_expr *e)
{
    return e->type->kind == BW_TY_VOID || e->type->kind == BW_TY_STRUCT
               ? BW_NO_REG
               : unknown(g, e->span, "a value that is not followed here", NULL);
}

static uint32_t gen_intrinsic(bw_gen *g, const bw_expr *e, bool used)
{
    switch (e->intrinsic) {
    case BW_IN_SYNCTHREADS:
        for (uint32_t k = 0; k < e->arg_count; k++)
            bw_gen_discard(g, e->args[k]);
        bw_emit(g, BW_I_BARRIER, e->span);
        return result_unknown(g, e);
    case BW_IN_NOP:
    case BW_IN_UNKNOWN:
        for (uint32_t k = 0; k < e->arg_count; k++)
            bw_gen_discard(g, e->args[k]);
        return result_unknown(g, e);
    case BW_IN_ATOMIC: {
        uint32_t v = gen_atomic(g, e, used);
        return v == BW_NO_REG ? result_unknown(g, e) : v;
    }
    case BW_IN_MATRIX: {
        uint32_t address = shared_address(g, e->args[0]);
        for (uint32_t k = 1; k < e->arg_count; k++)
            bw_gen_discard(g, e->args[k]);
        touch(g, e, (bw_op)e->number, address, bw_op_get((bw_op)e->number)->kind == BW_KIND_STMATRIX);
        return result_unknown(g, e);
    }
    case BW_IN_CP_ASYNC: {
        uint32_t address = shared_address(g, e->args[0]);
        for (uint32_t k = 1; k < e->arg_count; k++)
            bw_gen_discard(g, e->args[k]);
        return touch(g, e, (bw_op)e->number, address, true);
    }
    case BW_IN_TO_SHARED:
        return op1(g, BW_I_TO_SHARED, BW_U64, 0, bw_gen_value(g, e->args[0]), e->span);
    case BW_IN_FROM_SHARED: return shared_address(g, e->args[0]);
    case BW_IN_BITCAST: { /* the same bits under another class of the same size */
        uint32_t v = bw_gen_value(g, e->args[0]);
        return v;
    }
    case BW_IN_SWIZZLE: return gen_swizzle(g, e);
    default: return gen_function(g, e);
    }
}

/* ---- values -------------------------------------------------------------------------------------------------- */

static uint32_t gen_special(bw_gen *g, bw_special which)
{
    if (g->code->specials[which] == BW_NO_REG) {
        uint32_t reg = bw_variable(g);
        g->code->specials[which] = reg;
    }
    return g->code->specials[which];
}

static uint32_t gen_cast(bw_gen *g, const bw_expr *e)
{
    if (e->type->kind == BW_TY_VOID) {
        bw_gen_discard(g, e->a);
        return BW_NO_REG;
    }
    uint32_t v = bw_gen_value(g, e->a);
    return convert_class(g, v, e->a->type, e->type, e->span);
}

static uint32_t gen_pointer_to(bw_gen *g, const bw_expr *e)
{
    bw_lvalue lv = e->kind == BW_EX_INDEX ? index_lvalue(g, e, true) : bw_gen_lvalue(g, e);
    return bw_gen_address(g, &lv);
}

uint32_t bw_gen_value(bw_gen *g, const bw_expr *e)
{
    switch (e->kind) {
    case BW_EX_CONST: {
        if (!bw_type_is_scalar(e->type) || e->type->kind == BW_TY_ERROR)
            return integer(g, BW_I32, 0);
        bool real = bw_type_is_float(e->type);
        return bw_constant_reg(g, bw_type_class(e->type), real ? 0 : e->integer, real ? e->real : 0);
    }
    case BW_EX_STRING: return integer(g, BW_U64, 0);
    case BW_EX_BUILTIN_VAR: return gen_special(g, e->special);
    case BW_EX_BINARY: return gen_binary(g, e);
    case BW_EX_AND:
    case BW_EX_OR: return gen_logical(g, e);
    case BW_EX_NOT: return op1(g, BW_I_LNOT, BW_I32, 0, bw_gen_value(g, e->a), e->span);
    case BW_EX_NEG:
    case BW_EX_INVERT: {
        uint32_t a = bw_gen_value(g, e->a);
        return op1(g, e->kind == BW_EX_NEG ? BW_I_NEG : BW_I_INVERT, bw_type_class(e->type), 0, a,
                   e->span);
    }
    case BW_EX_ASSIGN:
        if (e->type->kind == BW_TY_STRUCT) {
            bw_gen_aggregate(g, e);
            return BW_NO_REG;
        }
        return gen_assign(g, e);
    case BW_EX_STEP: return gen_step(g, e);
    case BW_EX_COND:
        if (e->type->kind == BW_TY_VOID) {
            bw_stmt yes = {.kind = BW_SM_EXPR, .expr = e->b, .span = e->span};
            bw_stmt no = {.kind = BW_SM_EXPR, .expr = e->c, .span = e->span};
            bw_stmt s = {.kind = BW_SM_IF, .cond = e->a, .body = &yes, .other = &no, .span = e->span};
            bw_gen_statement(g, &s);
            return BW_NO_REG;
        }
        return gen_cond(g, e);
    case BW_EX_COMMA: bw_gen_discard(g, e->a); return bw_gen_value(g, e->b);
    case BW_EX_CAST: return gen_cast(g, e);
    case BW_EX_DECAY:
    case BW_EX_ADDRESS: return gen_pointer_to(g, e->a);
    case BW_EX_CALL: return bw_gen_call(g, e);
    case BW_EX_INTRINSIC: return gen_intrinsic(g, e, true);
    default: {
        bw_lvalue lv = bw_gen_lvalue(g, e);
        return gen_load(g, &lv);
    }
    }
}

void bw_gen_discard(bw_gen *g, const bw_expr *e)
{
    if (e->type->kind == BW_TY_HANDLE)
        return;
    if (e->kind == BW_EX_INTRINSIC && e->type->kind != BW_TY_STRUCT) {
        gen_intrinsic(g, e, false);
    } else if (e->kind == BW_EX_INTRINSIC && e->intrinsic != BW_IN_MAKE &&
               e->intrinsic != BW_IN_EACH) {
        gen_intrinsic(g, e, false);
    } else if (e->kind == BW_EX_CAST && e->type->kind == BW_TY_VOID) {
        bw_gen_discard(g, e->a);
    } else if (e->kind == BW_EX_ASSIGN && e->type->kind == BW_TY_STRUCT) {
        bw_lvalue lv = bw_gen_lvalue(g, e->a);
        store_aggregate(g, &lv, e->b);
    } else if (e->type->kind == BW_TY_STRUCT) {
        bw_gen_aggregate(g, e);
    } else if (e->kind == BW_EX_STEP) {
        bw_expr pre = *e;
        pre.post = false; /* nobody wants the old value */
        gen_step(g, &pre);
    } else if (e->type->kind == BW_TY_ARRAY) {
        bw_gen_lvalue(g, e);
    } else {
        bw_gen_value(g, e);
    }
}
