/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "gen.h"

/* ---- small helpers
 * ----------------------------------------------------------------------------------- */

uint32_t bw_gen_op1(bw_gen *g, bw_opcode op, bw_class cls, int number, uint32_t a, bw_span span)
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

uint32_t bw_gen_op2(bw_gen *g, bw_opcode op, bw_class cls, int number, uint32_t a, uint32_t b,
                    bw_span span)
{
    uint32_t dst = bw_gen_op1(g, op, cls, number, a, span);
    g->code->items[g->code->count - 1].b = b;
    return dst;
}

uint32_t bw_gen_integer(bw_gen *g, bw_class cls, int64_t value)
{
    return bw_constant_reg(g, cls, value, 0);
}

static uint32_t pointer_constant(bw_gen *g, unsigned tag, int64_t offset)
{
    return bw_gen_integer(g, BW_U64, (int64_t)BW_POINTER(tag, offset));
}

uint32_t bw_gen_offset(bw_gen *g, uint32_t pointer, int64_t bytes, bw_span span)
{
    return bytes ? bw_gen_op2(g, BW_I_BINARY, BW_U64, BW_ADD, pointer,
                              bw_gen_integer(g, BW_U64, bytes), span)
                 : pointer;
}

uint32_t bw_gen_unknown(bw_gen *g, bw_span span, const char *what, const char *note)
{
    uint32_t origin = bw_origin_of(g, span, what, note);
    uint32_t dst = bw_gen_op1(g, BW_I_UNKNOWN, BW_I32, 0, BW_NO_REG, span);
    g->code->items[g->code->count - 1].origin = origin;
    return dst;
}

/* Signed and unsigned of one width: the register serves as both. */
static bool same_bits(bw_class a, bw_class b)
{
    return (a <= BW_U32 && b <= BW_U32) ||
           (a >= BW_I64 && a <= BW_U64 && b >= BW_I64 && b <= BW_U64);
}

/* From class to class, with the narrowing that the target type asks. */
uint32_t bw_gen_convert(bw_gen *g, uint32_t v, const bw_type *from, const bw_type *to, bw_span span)
{
    bw_class a = bw_type_class(from), b = bw_type_class(to);
    if (to->kind == BW_TY_BOOL)
        return from->kind == BW_TY_BOOL ? v : bw_gen_op1(g, BW_I_TRUTH, a, 0, v, span);
    if (a != b && !same_bits(a, b))
        v = bw_gen_op1(g, BW_I_CONVERT, a, (int)b, v, span);
    bool narrow = to->kind == BW_TY_HALF || to->kind == BW_TY_BFLOAT ||
                  (to->kind == BW_TY_INT && to->size < 4);
    bool fits =
        from->kind == to->kind && from->size <= to->size && from->is_signed == to->is_signed;
    if (narrow && !fits)
        v = bw_gen_op1(g, BW_I_TRUNCATE, b, (int)bw_type_memory(to), v, span);
    return v;
}

/* ---- lvalues
 * ----------------------------------------------------------------------------------------- */

static bw_lvalue symbol_lvalue(bw_gen *g, const bw_expr *e)
{
    bw_symbol *s = e->symbol;
    bw_lvalue lv = {.type = e->type, .span = e->span};
    switch (s->storage) {
    case BW_ST_SHARED:
        bw_place_symbol(g, s);
        lv.kind = BW_LV_POINTER;
        lv.place =
            s->is_extern ? bw_extern_base(g, s) : pointer_constant(g, BW_TAG_SHARED, s->place);
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
    default: lv.kind = s->is_reference ? BW_LV_POINTER : BW_LV_REGISTER; lv.place = s->place;
    }
    return lv;
}

uint32_t bw_gen_address(bw_gen *g, const bw_lvalue *lv)
{
    if (lv->kind == BW_LV_POINTER)
        return lv->place;
    uint32_t dst = bw_gen_op1(g, BW_I_POINTER, BW_U64, 0, BW_NO_REG, lv->span);
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
    bw_ins *i = bw_emit(g, BW_I_CHECK, e->binary.b->span);
    i->cls = (uint8_t)bw_type_class(e->binary.b->type);
    i->a = index;
    i->imm = count;
    i->number = edge;
    i->origin = bw_origin_of(g, e->a->span, name, "");
}

/* Whether computing `e` can change a variable that lies in a register. */
static bool changes_registers(const bw_expr *e)
{
    if (e->kind == BW_EX_ASSIGN || e->kind == BW_EX_STEP || e->kind == BW_EX_CALL)
        return true;
    bw_children c = bw_children_of(e);
    for (uint32_t i = 0; i < c.count; i++)
        if (changes_registers(c.arguments ? c.arguments[i] : c.operands[i]))
            return true;
    return false;
}

/* The value of `e`, which computing `next` leaves as it is: a variable's register may change. */
static uint32_t value_before(bw_gen *g, const bw_expr *e, const bw_expr *next)
{
    uint32_t value = bw_gen_value(g, e);
    if (value == BW_NO_REG || bw_is_constant(e) || !changes_registers(next))
        return value;
    uint32_t kept = bw_variable(g);
    bw_ins *i = bw_emit(g, BW_I_COPY, e->span);
    i->dst = kept;
    i->a = value;
    i->cls = (uint8_t)bw_type_class(e->type);
    return kept;
}

static bw_lvalue index_lvalue(bw_gen *g, const bw_expr *e, bool edge)
{
    bw_lvalue lv = {.kind = BW_LV_POINTER, .type = e->type, .span = e->span};
    int64_t size = e->type->size;
    uint32_t base, index;
    if (e->a->type->kind == BW_TY_ARRAY) {
        bw_lvalue array = bw_gen_lvalue(g, e->a);
        bool inside = bw_is_constant(e->binary.b) && e->binary.b->integer >= 0 &&
                      e->binary.b->integer < e->a->type->count;
        if (array.kind == BW_LV_LOCAL && inside) {
            lv.kind = BW_LV_LOCAL;
            lv.place = array.place + (uint32_t)(e->binary.b->integer * size);
            return lv;
        }
        base = bw_gen_address(g, &array);
        index = bw_gen_value(g, e->binary.b);
        if (!inside)
            check_index(g, e, index, edge);
    } else {
        base = value_before(g, e->a, e->binary.b);
        index = bw_gen_value(g, e->binary.b);
    }
    if (bw_is_constant(e->binary.b)) {
        lv.place = bw_gen_offset(g, base, e->binary.b->integer * size, e->span);
    } else {
        lv.place =
            bw_gen_op2(g, BW_I_INDEX, bw_type_class(e->binary.b->type), 0, base, index, e->span);
        g->code->items[g->code->count - 1].imm = size;
    }
    return lv;
}

/* Whether the variable that an lvalue begins with is declared volatile. */
static bool is_volatile(const bw_expr *e)
{
    while (e && e->kind != BW_EX_SYMBOL)
        e = e->a;
    return e && e->symbol->is_volatile;
}

static bw_lvalue lvalue_of(bw_gen *g, const bw_expr *e);

bw_lvalue bw_gen_lvalue(bw_gen *g, const bw_expr *e)
{
    bw_lvalue lv = lvalue_of(g, e);
    lv.is_volatile = is_volatile(e);
    return lv;
}

static bw_lvalue lvalue_of(bw_gen *g, const bw_expr *e)
{
    bw_lvalue lv = {.type = e->type, .span = e->span};
    switch (e->kind) {
    case BW_EX_SYMBOL: return symbol_lvalue(g, e);
    case BW_EX_INDEX: return index_lvalue(g, e, false);
    case BW_EX_DEREF:
        lv.kind = BW_LV_POINTER;
        lv.place = bw_gen_value(g, e->a);
        lv.shown = bw_shown_of(g, e->a, e->span);
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
                       : bw_gen_offset(g, object.place, e->member->offset, e->span);
        return lv;
    }
    case BW_EX_ASSIGN:
    case BW_EX_STEP: bw_gen_discard(g, e); return bw_gen_lvalue(g, e->a);
    default: /* an array or struct value: it lies in a temporary */
        lv.kind = BW_LV_LOCAL;
        lv.place = bw_gen_aggregate(g, e);
        return lv;
    }
}

/* ---- loads and stores
 * ---------------------------------------------------------------------------------- */

bw_op bw_sized_op(bool load, uint32_t bytes)
{
    unsigned width = 1;
    while (width < 16 && width < bytes)
        width *= 2;
    return bw_op_sized(load ? BW_KIND_LOAD : BW_KIND_STORE, width);
}

/* The array that an access names, for the story of an unknown value. */
static const char *story(bw_gen *g, bw_span span)
{
    const char *text =
        bw_arena_copy(g->arena, g->source->text + span.offset, span.len > 60 ? 60 : span.len);
    return bw_arena_format(g->arena, "'%s', read from memory", text);
}

uint32_t bw_load_origin(bw_gen *g, bw_span span)
{
    return bw_origin_of(g, span, story(g, span), NULL);
}

uint32_t bw_gen_load(bw_gen *g, const bw_lvalue *lv)
{
    if (lv->kind == BW_LV_REGISTER)
        return lv->place;
    bool local = lv->kind == BW_LV_LOCAL;
    uint32_t dst = bw_gen_op1(g, local ? BW_I_LLOAD : BW_I_LOAD, bw_type_class(lv->type), 0,
                              local ? BW_NO_REG : lv->place, lv->span);
    uint32_t origin = bw_load_origin(g, lv->span);
    uint32_t site = local ? 0
                          : bw_site_of(g, lv->span, lv->shown.len ? lv->shown : lv->span,
                                       bw_sized_op(true, lv->type->size));
    bw_ins *i = &g->code->items[g->code->count - 1];
    i->memory = (uint8_t)bw_type_memory(lv->type);
    i->origin = origin;
    i->site = site;
    if (!local)
        g->sites->items[site].is_volatile |= lv->is_volatile;
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
    uint32_t site = local ? 0
                          : bw_site_of(g, lv->span, lv->shown.len ? lv->shown : lv->span,
                                       bw_sized_op(false, lv->type->size));
    bw_ins *i = bw_emit(g, local ? BW_I_LSTORE : BW_I_STORE, lv->span);
    i->cls = (uint8_t)cls;
    i->memory = (uint8_t)bw_type_memory(lv->type);
    i->a = local ? BW_NO_REG : lv->place;
    i->b = value;
    i->imm = local ? (int64_t)lv->place : 0;
    i->site = site;
    if (!local)
        g->sites->items[site].is_volatile |= lv->is_volatile;
}

/* ---- operators
 * --------------------------------------------------------------------------------------------- */

/* Free of effects, accesses and faults: both sides of ?:, && and || may then be computed. */
static bool is_pure(const bw_expr *e)
{
    switch (e->kind) {
    case BW_EX_CONST:
    case BW_EX_BUILTIN_VAR: return true;
    case BW_EX_SYMBOL:
        return e->symbol->storage == BW_ST_REGISTER && !e->symbol->is_reference &&
               !e->symbol->address_taken;
    case BW_EX_BINARY:
        return ((e->binary.op != BW_DIV && e->binary.op != BW_REM) ||
                (bw_is_constant(e->binary.b) ||
                 bw_type_is_float(e->binary.work ? e->binary.work : &bw_ty_int))) &&
               is_pure(e->a) && is_pure(e->binary.b);
    case BW_EX_AND:
    case BW_EX_OR: return is_pure(e->a) && is_pure(e->binary.b);
    case BW_EX_NOT:
    case BW_EX_NEG:
    case BW_EX_INVERT:
    case BW_EX_CAST: return is_pure(e->a);
    case BW_EX_COND: return is_pure(e->a) && is_pure(e->cond.yes) && is_pure(e->cond.no);
    default: return false;
    }
}

static uint32_t gen_binary(bw_gen *g, const bw_expr *e)
{
    bool pa = e->a->type->kind == BW_TY_POINTER, pb = e->binary.b->type->kind == BW_TY_POINTER;
    uint32_t a = value_before(g, e->a, e->binary.b), b = bw_gen_value(g, e->binary.b);
    if (pa && !pb && e->binary.op <= BW_SUB) { /* pointer +- integer */
        uint32_t dst =
            bw_gen_op2(g, BW_I_INDEX, bw_type_class(e->binary.b->type), 0, a, b, e->span);
        int64_t size = e->type->elem->size;
        g->code->items[g->code->count - 1].imm = e->binary.op == BW_ADD ? size : -size;
        return dst;
    }
    if (pa && pb && e->binary.op == BW_SUB) {
        uint32_t diff = bw_gen_op2(g, BW_I_BINARY, BW_I64, BW_SUB, a, b, e->span);
        int64_t size = e->a->type->elem->size;
        return size > 1 ? bw_gen_op2(g, BW_I_BINARY, BW_I64, BW_DIV, diff,
                                     bw_gen_integer(g, BW_I64, size), e->span)
                        : diff;
    }
    bw_class cls = pa ? BW_U64 : bw_type_class(e->binary.work);
    if ((e->binary.op == BW_SHL || e->binary.op == BW_SHR) &&
        bw_type_class(e->binary.b->type) != cls)
        b = bw_gen_op1(g, BW_I_CONVERT, bw_type_class(e->binary.b->type), (int)cls, b, e->span);
    uint32_t v = bw_gen_op2(g, BW_I_BINARY, cls, (int)e->binary.op, a, b, e->span);
    if (e->binary.op < BW_LT &&
        (e->binary.work->kind == BW_TY_HALF || e->binary.work->kind == BW_TY_BFLOAT))
        v = bw_gen_op1(g, BW_I_TRUNCATE, cls, (int)bw_type_memory(e->binary.work), v, e->span);
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
    uint32_t cond = is_and ? a : bw_gen_op1(g, BW_I_LNOT, BW_I32, 0, a, e->span);
    size_t at = g->code->count;
    bw_emit(g, BW_I_IF, e->a->span)->a = cond;
    uint32_t b = bw_gen_value(g, e->binary.b);
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
    if (!is_pure(e->binary.b))
        return gen_short_circuit(g, e);
    uint32_t a = bw_gen_value(g, e->a);
    bool maybe = g->maybe;
    g->maybe = true;
    uint32_t b = bw_gen_value(g, e->binary.b);
    g->maybe = maybe;
    return bw_gen_op2(g, e->kind == BW_EX_AND ? BW_I_LAND : BW_I_LOR, BW_I32, 0, a, b, e->span);
}

static uint32_t gen_cond(bw_gen *g, const bw_expr *e)
{
    bw_class cls = bw_type_class(e->type);
    uint32_t cond = bw_gen_value(g, e->a);
    if (is_pure(e->cond.yes) && is_pure(e->cond.no)) {
        bool maybe = g->maybe;
        g->maybe = true;
        uint32_t b = bw_gen_value(g, e->cond.yes), c = bw_gen_value(g, e->cond.no);
        g->maybe = maybe;
        uint32_t dst = bw_gen_op2(g, BW_I_SELECT, cls, 0, cond, b, e->span);
        g->code->items[g->code->count - 1].c = c;
        return dst;
    }
    uint32_t dst = bw_variable(g);
    bw_ins *i = bw_emit(g, BW_I_FRESH, e->span);
    i->dst = dst;
    size_t first = g->code->count;
    bw_emit(g, BW_I_IF, e->a->span)->a = cond;
    const bw_expr *sides[2] = {e->cond.yes, e->cond.no};
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
    uint32_t b = value_before(g, e->binary.b, e->a); /* C++17: the right side comes first */
    bw_lvalue lv = bw_gen_lvalue(g, e->a);
    if (!e->binary.has_op) {
        bw_gen_store(g, &lv, b);
        return b;
    }
    uint32_t old = bw_gen_load(g, &lv), v;
    if (lv.type->kind == BW_TY_POINTER) {
        v = bw_gen_op2(g, BW_I_INDEX, bw_type_class(e->binary.b->type), 0, old, b, e->span);
        int64_t size = lv.type->elem->size;
        g->code->items[g->code->count - 1].imm = e->binary.op == BW_ADD ? size : -size;
    } else {
        bw_class cls = bw_type_class(e->binary.work);
        old = bw_gen_convert(g, old, lv.type, e->binary.work, e->span);
        if ((e->binary.op == BW_SHL || e->binary.op == BW_SHR) &&
            bw_type_class(e->binary.b->type) != cls)
            b = bw_gen_op1(g, BW_I_CONVERT, bw_type_class(e->binary.b->type), (int)cls, b, e->span);
        v = bw_gen_op2(g, BW_I_BINARY, cls, (int)e->binary.op, old, b, e->span);
        v = bw_gen_convert(g, v, e->binary.work, lv.type, e->span);
        if (e->binary.work == lv.type &&
            (lv.type->kind == BW_TY_HALF || lv.type->kind == BW_TY_BFLOAT))
            v = bw_gen_op1(g, BW_I_TRUNCATE, cls, (int)bw_type_memory(lv.type), v, e->span);
    }
    bw_gen_store(g, &lv, v);
    return v;
}

static uint32_t gen_step(bw_gen *g, const bw_expr *e)
{
    bw_lvalue lv = bw_gen_lvalue(g, e->a);
    uint32_t old = bw_gen_load(g, &lv), v;
    if (e->step.post && lv.kind == BW_LV_REGISTER) { /* the old value outlives the store */
        uint32_t kept = bw_variable(g);
        bw_ins *i = bw_emit(g, BW_I_COPY, e->span);
        i->dst = kept;
        i->a = old;
        i->cls = (uint8_t)bw_type_class(lv.type);
        old = kept;
    }
    if (lv.type->kind == BW_TY_POINTER) {
        v = bw_gen_offset(
            g, old, e->step.op == BW_ADD ? lv.type->elem->size : -(int64_t)lv.type->elem->size,
            e->span);
    } else {
        const bw_type *work = bw_type_promote(lv.type);
        bw_class cls = bw_type_class(work);
        v = bw_gen_op2(g, BW_I_BINARY, cls, (int)e->step.op,
                       bw_gen_convert(g, old, lv.type, work, e->span),
                       bw_constant_reg(g, cls, 1, 1.0), e->span);
        v = bw_gen_convert(g, v, work, lv.type, e->span);
    }
    bw_gen_store(g, &lv, v);
    return e->step.post ? old : v;
}

/* ---- values
 * --------------------------------------------------------------------------------------------------
 */

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
    return bw_gen_convert(g, v, e->a->type, e->type, e->span);
}

static uint32_t gen_pointer_to(bw_gen *g, const bw_expr *e)
{
    bw_lvalue lv = e->kind == BW_EX_INDEX ? index_lvalue(g, e, true) : bw_gen_lvalue(g, e);
    return bw_gen_address(g, &lv);
}

static uint32_t gen_value(bw_gen *g, const bw_expr *e)
{
    switch (e->kind) {
    case BW_EX_CONST: {
        if (!bw_type_is_scalar(e->type) || bw_is_error(e))
            return bw_gen_integer(g, BW_I32, 0);
        bool real = bw_type_is_float(e->type);
        return bw_constant_reg(g, bw_type_class(e->type), real ? 0 : e->integer,
                               real ? e->real : 0);
    }
    case BW_EX_STRING: return bw_gen_integer(g, BW_U64, 0);
    case BW_EX_BUILTIN_VAR: return gen_special(g, e->special);
    case BW_EX_BINARY: return gen_binary(g, e);
    case BW_EX_AND:
    case BW_EX_OR: return gen_logical(g, e);
    case BW_EX_NOT: return bw_gen_op1(g, BW_I_LNOT, BW_I32, 0, bw_gen_value(g, e->a), e->span);
    case BW_EX_NEG:
    case BW_EX_INVERT: {
        uint32_t a = bw_gen_value(g, e->a);
        return bw_gen_op1(g, e->kind == BW_EX_NEG ? BW_I_NEG : BW_I_INVERT, bw_type_class(e->type),
                          0, a, e->span);
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
            bw_stmt yes = {.kind = BW_SM_EXPR, .expr = e->cond.yes, .span = e->span};
            bw_stmt no = {.kind = BW_SM_EXPR, .expr = e->cond.no, .span = e->span};
            bw_stmt s = {
                .kind = BW_SM_IF, .cond = e->a, .body = &yes, .other = &no, .span = e->span};
            bw_gen_statement(g, &s);
            return BW_NO_REG;
        }
        return gen_cond(g, e);
    case BW_EX_COMMA: bw_gen_discard(g, e->a); return bw_gen_value(g, e->binary.b);
    case BW_EX_CAST: return gen_cast(g, e);
    case BW_EX_DECAY:
    case BW_EX_ADDRESS: return gen_pointer_to(g, e->a);
    case BW_EX_CALL: return bw_gen_call(g, e);
    case BW_EX_INTRINSIC: return bw_gen_intrinsic(g, e, true);
    default: {
        bw_lvalue lv = bw_gen_lvalue(g, e);
        return bw_gen_load(g, &lv);
    }
    }
}

uint32_t bw_gen_value(bw_gen *g, const bw_expr *e)
{
    if (g->nesting >= BW_MAX_TREE && !g->failed)
        bw_gen_error(g, BW_MSG_NESTING_DEPTH, e->span, "split it into several statements",
                     "nested more than %d levels deep, with what it calls", BW_MAX_TREE);
    if (g->failed)
        return bw_gen_integer(g, BW_I32, 0);
    g->nesting++;
    uint32_t value = gen_value(g, e);
    g->nesting--;
    return value;
}

void bw_gen_discard(bw_gen *g, const bw_expr *e)
{
    if (e->type->kind == BW_TY_HANDLE)
        return;
    if (e->kind == BW_EX_INTRINSIC && e->type->kind != BW_TY_STRUCT) {
        bw_gen_intrinsic(g, e, false);
    } else if (e->kind == BW_EX_INTRINSIC && e->intrinsic.what != BW_IN_MAKE &&
               e->intrinsic.what != BW_IN_EACH) {
        bw_gen_intrinsic(g, e, false);
    } else if (e->kind == BW_EX_CAST && e->type->kind == BW_TY_VOID) {
        bw_gen_discard(g, e->a);
    } else if (e->kind == BW_EX_ASSIGN && e->type->kind == BW_TY_STRUCT) {
        bw_lvalue lv = bw_gen_lvalue(g, e->a);
        bw_gen_store_aggregate(g, &lv, e->binary.b);
    } else if (e->type->kind == BW_TY_STRUCT) {
        bw_gen_aggregate(g, e);
    } else if (e->kind == BW_EX_STEP) {
        bw_expr pre = *e;
        pre.step.post = false; /* nobody wants the old value */
        gen_step(g, &pre);
    } else if (e->type->kind == BW_TY_ARRAY) {
        bw_gen_lvalue(g, e);
    } else {
        bw_gen_value(g, e);
    }
}
