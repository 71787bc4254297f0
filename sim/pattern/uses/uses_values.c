/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "uses_walk.h"

#include <string.h>

/* Calls inside calls that are looked into. */
#define MAX_PURE_CALLS 8
/* Variables that are followed to what they were set to: more than any hand-written index has. */
#define MAX_FOLLOWED 64

/* ---- what an expression depends on ---- */

/* The variables that a question has followed already: each once, so that loops of assignments
 * (x = f(y), y = g(x)) end. */
typedef struct followed {
    const bw_symbol *symbols[MAX_FOLLOWED];
    unsigned count;
} followed;

static bool follow(followed *f, const bw_expr *e)
{
    if (e->kind != BW_EX_SYMBOL || !e->symbol || f->count == MAX_FOLLOWED)
        return false;
    for (unsigned i = 0; i < f->count; i++)
        if (f->symbols[i] == e->symbol)
            return false;
    f->symbols[f->count++] = e->symbol;
    return true;
}

static bool is_own(const bw_expr *e)
{
    return e->kind == BW_EX_BUILTIN_VAR && (e->special <= BW_THREAD_Z || e->special >= BW_LANE);
}

static bool depends(const bw_uses_walk *w, const bw_expr *e, followed *f)
{
    if (!e)
        return false;
    if (is_own(e) || e->kind == BW_EX_CALL)
        return true;
    if (follow(f, e))
        for (size_t i = 0; i < w->setting_count; i++)
            if (w->settings[i].symbol == e->symbol && depends(w, w->settings[i].value, f))
                return true;
    bw_children c = bw_children_of(e);
    for (uint32_t i = 0; i < c.count; i++)
        if (depends(w, bw_child(&c, i), f))
            return true;
    return false;
}

static bool by_lane(const bw_uses_walk *w, const bw_expr *e)
{
    followed f = {.count = 0};
    return depends(w, e, &f);
}

/* A swizzle, or an XOR of two values that both vary over the threads (a partner's index, as in
 * `i ^ step`, has one that does not). */
static bool mixes(const bw_uses_walk *w, const bw_expr *e, followed *f)
{
    if (!e)
        return false;
    if (e->kind == BW_EX_INTRINSIC && e->intrinsic.what == BW_IN_SWIZZLE)
        return true;
    bool is_xor = (e->kind == BW_EX_BINARY || (e->kind == BW_EX_ASSIGN && e->binary.has_op)) &&
                  e->binary.op == BW_XOR;
    if (is_xor && by_lane(w, e->a) && by_lane(w, e->binary.b))
        return true;
    if (follow(f, e))
        for (size_t i = 0; i < w->setting_count; i++)
            if (w->settings[i].symbol == e->symbol && mixes(w, w->settings[i].value, f))
                return true;
    bw_children c = bw_children_of(e);
    for (uint32_t i = 0; i < c.count; i++)
        if (mixes(w, bw_child(&c, i), f))
            return true;
    return false;
}

/* Whether the variable is read in an expression. */
static bool mentions(const bw_expr *e, const bw_symbol *variable)
{
    if (!e)
        return false;
    if (e->kind == BW_EX_SYMBOL)
        return e->symbol == variable;
    bw_children c = bw_children_of(e);
    for (uint32_t i = 0; i < c.count; i++)
        if (mentions(bw_child(&c, i), variable))
            return true;
    return false;
}

/* Whether two expressions read a variable in common. */
static bool share_variable(const bw_expr *a, const bw_expr *b)
{
    if (a->kind == BW_EX_SYMBOL)
        return a->symbol && mentions(b, a->symbol);
    const bw_expr *operands[3];
    unsigned count = bw_operands(a, operands);
    for (unsigned i = 0; i < count; i++)
        if (share_variable(operands[i], b))
            return true;
    return false;
}

static bool finds_row(const bw_uses_walk *w, const bw_expr *e, const bw_expr *row, followed *f)
{
    if (e->kind == BW_EX_BINARY && e->binary.op == BW_XOR &&
        (share_variable(row, e->a) || share_variable(row, e->binary.b)))
        return true;
    if (follow(f, e))
        for (size_t i = 0; i < w->setting_count; i++)
            if (w->settings[i].symbol == e->symbol && finds_row(w, w->settings[i].value, row, f))
                return true;
    const bw_expr *operands[3];
    unsigned count = bw_operands(e, operands);
    for (unsigned i = 0; i < count; i++)
        if (finds_row(w, operands[i], row, f))
            return true;
    return false;
}

bool bw_mixes_row(const bw_uses_walk *w, const bw_expr *column, const bw_expr *row)
{
    followed f = {.count = 0};
    return finds_row(w, column, row, &f);
}

static bool is_pure_in(const bw_expr *e, unsigned calls);

/* Whether a function only computes: it declares, decides and returns. */
static bool is_pure_body(const bw_stmt *s, unsigned calls)
{
    for (bool pure = true; s && pure; s = s->next) {
        switch (s->kind) {
        case BW_SM_EMPTY: break;
        case BW_SM_DECLARE:
        case BW_SM_RETURN: pure = is_pure_in(s->expr, calls); break;
        case BW_SM_BLOCK: pure = is_pure_body(s->body, calls); break;
        case BW_SM_IF:
            pure = is_pure_in(s->cond, calls) && is_pure_body(s->body, calls) &&
                   is_pure_body(s->other, calls);
            break;
        default: pure = false; break;
        }
        if (!pure)
            return false;
    }
    return true;
}

static bool is_pure_in(const bw_expr *e, unsigned calls)
{
    if (!e)
        return true;
    switch (e->kind) {
    case BW_EX_ASSIGN:
    case BW_EX_STEP: return false;
    case BW_EX_CALL:
        if (calls == MAX_PURE_CALLS || !e->call.function || !e->call.function->body ||
            !is_pure_body(e->call.function->body, calls + 1))
            return false;
        break;
    case BW_EX_INTRINSIC:
        if (e->intrinsic.what != BW_IN_MIN && e->intrinsic.what != BW_IN_MAX &&
            e->intrinsic.what != BW_IN_ABS && e->intrinsic.what != BW_IN_POPC &&
            e->intrinsic.what != BW_IN_SWIZZLE && e->intrinsic.what != BW_IN_BREV &&
            e->intrinsic.what != BW_IN_CLZ)
            return false;
        break;
    /* reading memory twice is two accesses */
    case BW_EX_DEREF:
    case BW_EX_INDEX: return false;
    default: break;
    }
    bw_children c = bw_children_of(e);
    for (uint32_t i = 0; i < c.count; i++)
        if (!is_pure_in(bw_child(&c, i), calls))
            return false;
    return true;
}

static bool is_pure(const bw_expr *e)
{
    return is_pure_in(e, 0);
}

/* ---- the constant factors of an index ---- */

const bw_expr *bw_bare(const bw_expr *e)
{
    while (e && e->kind == BW_EX_CAST && bw_type_is_integer(e->type))
        e = e->a;
    return e;
}

static void add_factors(const bw_uses_walk *w, const bw_expr *e, const bw_symbol *through,
                        bw_subscript *to, followed *f)
{
    e = bw_bare(e);
    if (!e)
        return;
    if (e->kind == BW_EX_BINARY && (e->binary.op == BW_ADD || e->binary.op == BW_SUB)) {
        add_factors(w, e->a, through, to, f);
        add_factors(w, e->binary.b, through, to, f);
        return;
    }
    if (follow(f, e))
        for (size_t i = 0; i < w->setting_count; i++)
            if (w->settings[i].symbol == e->symbol)
                add_factors(w, w->settings[i].value, e->symbol, to, f);
    if (e->kind != BW_EX_BINARY || e->binary.op != BW_MUL)
        return;
    const bw_expr *a = bw_bare(e->a), *b = bw_bare(e->binary.b);
    const bw_expr *constant = bw_is_constant(b) ? b : bw_is_constant(a) ? a : NULL;
    if (constant && bw_type_is_integer(constant->type) && to->factor_count < BW_MAX_FACTORS)
        to->factors[to->factor_count++] =
            (bw_factor){.span = constant->span, .value = constant->integer, .through = through};
}

static const bw_expr *find_mixer(const bw_expr *e)
{
    if (!e || (e->kind == BW_EX_INTRINSIC && e->intrinsic.what == BW_IN_SWIZZLE))
        return e;
    const bw_expr *found = NULL;
    bw_children c = bw_children_of(e);
    for (uint32_t i = 0; i < c.count && !found; i++)
        found = find_mixer(bw_child(&c, i));
    return found;
}

static bool named_tma(const bw_uses_walk *w, bw_span span)
{
    static const char name[] = "tma_swizzle_";
    return span.len > sizeof name && span.offset + span.len <= w->source->len &&
           memcmp(w->source->text + span.offset, name, sizeof name - 1) == 0;
}

bw_subscript bw_subscript_of(const bw_uses_walk *w, const bw_expr *e)
{
    bw_subscript to = {.span = e->span, .pure = is_pure(e), .by_lane = by_lane(w, e)};
    followed mixed = {.count = 0}, scaled = {.count = 0};
    to.swizzled = mixes(w, e, &mixed);
    const bw_expr *mixer = find_mixer(e), *top = bw_bare(e);
    if (mixer) {
        to.mixer = mixer->span;
        to.base = bw_swizzle_unpack(mixer->intrinsic.number).to;
        to.bits = bw_swizzle_unpack(mixer->intrinsic.number).bits;
        to.tma = mixer == top && named_tma(w, mixer->span);
    }
    add_factors(w, e, NULL, &to, &scaled);
    return to;
}

/* ---- pointers into arrays ---- */

/* The symbol at the bottom of a chain s[a][b].m[c], or NULL. */
const bw_expr *bw_root_of(const bw_expr *e)
{
    while (e && (e->kind == BW_EX_INDEX || e->kind == BW_EX_MEMBER || e->kind == BW_EX_DECAY))
        e = e->a;
    return e && e->kind == BW_EX_SYMBOL ? e : NULL;
}

/* Where a pointer points: into an array (NULL: somewhere else), at the beginning of what so many
 * leading indices choose. */
typedef struct aim {
    const bw_symbol *array;
    int depth;
} aim;

/* Depths of pointers to other places in the array, and of a pointer that is set from itself. */
#define INSIDE (-1)
#define NO_SAYING (-2)

static aim aim_of(bw_uses_walk *w, const bw_expr *e, followed *f);

static bool same_shape(const bw_type *a, const bw_type *b)
{
    if (a->kind == BW_TY_ARRAY && b->kind == BW_TY_ARRAY)
        return a->count == b->count && same_shape(a->elem, b->elem);
    return a->kind != BW_TY_ARRAY && b->kind != BW_TY_ARRAY && a->size == b->size;
}

/* Arrays whose rows are alike: what is done to the rows of one can be done to the other's. */
static bool is_alike(const bw_symbol *a, const bw_symbol *b)
{
    return a && b && !a->is_extern && !b->is_extern && a->type->kind == BW_TY_ARRAY &&
           b->type->kind == BW_TY_ARRAY && same_shape(a->type->elem, b->type->elem);
}

static void note_pair(bw_uses_walk *w, const bw_symbol *a, const bw_symbol *b)
{
    for (size_t i = 0; i < w->pair_count; i++)
        if ((w->pairs[i].a == a && w->pairs[i].b == b) ||
            (w->pairs[i].a == b && w->pairs[i].b == a))
            return;
    BW_GROW(w->pairs, w->pair_count, w->pair_capacity);
    w->pairs[w->pair_count++] = (bw_shared_pointer){a, b};
}

const bw_symbol *bw_first_served(const bw_uses_walk *w, const bw_symbol *array)
{
    const bw_symbol *first = array, *before = NULL;
    while (first != before) {
        before = first;
        for (size_t i = 0; i < w->pair_count; i++) {
            const bw_symbol *a = w->pairs[i].a, *b = w->pairs[i].b;
            if (a == first && b->span.offset < first->span.offset)
                first = b;
            if (b == first && a->span.offset < first->span.offset)
                first = a;
        }
    }
    return first;
}

static aim common_aim(bw_uses_walk *w, aim a, aim b)
{
    if (a.depth == NO_SAYING || b.depth == NO_SAYING)
        return a.depth == NO_SAYING ? b : a;
    int depth = a.depth == b.depth ? a.depth : INSIDE;
    if (a.array == b.array || !is_alike(a.array, b.array))
        return (aim){a.array == b.array ? a.array : NULL, depth};
    note_pair(w, a.array, b.array);
    return (aim){a.array->span.offset < b.array->span.offset ? a.array : b.array, depth};
}

/* The common aim of all settings of a pointer. */
static aim aim_of_variable(bw_uses_walk *w, const bw_expr *e, followed *f)
{
    const bw_symbol *s = e->symbol;
    aim all = {NULL, NO_SAYING};
    if (s->storage == BW_ST_SHARED)
        return (aim){s->type->kind == BW_TY_ARRAY ? s : NULL, 0};
    if (s->type->kind != BW_TY_POINTER && !s->is_reference)
        return (aim){NULL, INSIDE};
    if (!follow(f, e))
        return (aim){NULL, f->count == MAX_FOLLOWED ? INSIDE : NO_SAYING};
    bool set = false;
    for (size_t i = 0; i < w->setting_count; i++)
        if (w->settings[i].symbol == s) {
            all = common_aim(w, all, aim_of(w, w->settings[i].value, f));
            set = true;
        }
    return set ? all : (aim){NULL, INSIDE};
}

static bool is_zero(const bw_expr *e)
{
    e = bw_bare(e);
    return e && bw_is_constant(e) && bw_type_is_integer(e->type) && e->integer == 0;
}

/* Of `s` as a pointer, `s[3]` as a pointer, and `&s[3][0]`, which is the same. */
static aim aim_of_chain(bw_uses_walk *w, const bw_expr *e, bool address, followed *f)
{
    const bw_expr *root = bw_root_of(e);
    if (!root || !root->symbol)
        return (aim){NULL, INSIDE};
    bool plain = !address || (e->kind == BW_EX_INDEX && is_zero(e->binary.b));
    int indices = address ? -1 : 0;
    for (; e != root; e = e->a) {
        plain &= e->kind != BW_EX_MEMBER;
        indices += e->kind == BW_EX_INDEX;
    }
    aim to = aim_of_variable(w, root, f);
    if (to.depth >= 0)
        to.depth = plain ? to.depth + indices : INSIDE;
    return to;
}

static aim aim_of(bw_uses_walk *w, const bw_expr *e, followed *f)
{
    aim to = {NULL, INSIDE};
    switch (e->kind) {
    case BW_EX_CAST: return aim_of(w, e->a, f);
    case BW_EX_COMMA: return aim_of(w, e->binary.b, f);
    case BW_EX_DECAY: return aim_of_chain(w, e->a, false, f);
    case BW_EX_ADDRESS: return aim_of_chain(w, e->a, true, f);
    case BW_EX_INDEX:
    case BW_EX_SYMBOL: return aim_of_chain(w, e, false, f);
    case BW_EX_BINARY:
        to = aim_of(w, e->a->type->kind == BW_TY_POINTER ? e->a : e->binary.b, f);
        break;
    case BW_EX_ASSIGN:
        if (!e->binary.has_op)
            return aim_of(w, e->binary.b, f);
        to = aim_of(w, e->a, f);
        break;
    case BW_EX_COND: return common_aim(w, aim_of(w, e->cond.yes, f), aim_of(w, e->cond.no, f));
    default: break;
    }
    if (to.depth >= 0)
        to.depth = INSIDE;
    return to;
}

static aim aim_from(bw_uses_walk *w, const bw_expr *pointer)
{
    followed f = {.count = 0};
    return aim_of(w, pointer, &f);
}

const bw_symbol *bw_pointed_array(bw_uses_walk *w, const bw_expr *pointer)
{
    return aim_from(w, pointer).array;
}

const bw_symbol *bw_alias_of(bw_uses_walk *w, const bw_expr *e, unsigned *chosen)
{
    const bw_type *type = e->symbol->type;
    bool pointer = type->kind == BW_TY_POINTER;
    *chosen = 0;
    if (e->symbol->storage == BW_ST_SHARED || (!pointer && !e->symbol->is_reference))
        return NULL;
    aim to = aim_from(w, e);
    if (!to.array || to.depth < 0)
        return NULL;
    const bw_type *part = to.array->type;
    for (int i = 0; i < to.depth; i++, part = part->elem)
        if (part->kind != BW_TY_ARRAY)
            return NULL;
    /* of a single row only the elements are left, and a pointer to those may step over rows */
    if (part->kind != BW_TY_ARRAY || (to.depth && part->elem->kind != BW_TY_ARRAY))
        return NULL;
    *chosen = (unsigned)to.depth;
    return same_shape(pointer ? type->elem : type, pointer ? part->elem : part) ? to.array : NULL;
}

/* Whether each value of a variable ends in an index of the array. */
static bool is_own_of(bw_uses_walk *w, const bw_symbol *variable, const bw_symbol *array,
                      followed *f)
{
    bw_expr e = {.kind = BW_EX_SYMBOL, .symbol = (bw_symbol *)variable};
    if (!follow(f, &e))
        return f->count < MAX_FOLLOWED;
    for (size_t i = 0; i < w->reference_count; i++) {
        const bw_symbol *owner = w->references[i].owner;
        if (w->references[i].symbol != variable || bw_first_served(w, owner) == array ||
            owner == variable)
            continue;
        if (!owner || owner->storage == BW_ST_SHARED)
            return false;
        bw_expr next = {.kind = BW_EX_SYMBOL, .symbol = (bw_symbol *)owner};
        if (owner->type->kind == BW_TY_POINTER
                ? bw_first_served(w, bw_pointed_array(w, &next)) != array
                : !is_own_of(w, owner, array, f))
            return false;
    }
    return true;
}

void bw_mark_own(bw_uses_walk *w, const bw_symbol *array, bw_factor *factor)
{
    followed f = {.count = 0};
    array = bw_first_served(w, array);
    factor->own = !factor->through || is_own_of(w, factor->through, array, &f);
}
