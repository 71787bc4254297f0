/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "uses_walk.h"

#include <string.h>

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
    for (uint32_t i = 0; i < e->arg_count; i++)
        if (depends(w, e->args[i], f))
            return true;
    return depends(w, e->a, f) || depends(w, e->b, f) || depends(w, e->c, f);
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
    if (e->kind == BW_EX_INTRINSIC && e->intrinsic == BW_IN_SWIZZLE)
        return true;
    bool is_xor =
        (e->kind == BW_EX_BINARY || (e->kind == BW_EX_ASSIGN && e->has_op)) && e->op == BW_XOR;
    if (is_xor && by_lane(w, e->a) && by_lane(w, e->b))
        return true;
    if (follow(f, e))
        for (size_t i = 0; i < w->setting_count; i++)
            if (w->settings[i].symbol == e->symbol && mixes(w, w->settings[i].value, f))
                return true;
    for (uint32_t i = 0; i < e->arg_count; i++)
        if (mixes(w, e->args[i], f))
            return true;
    return mixes(w, e->a, f) || mixes(w, e->b, f) || mixes(w, e->c, f);
}

static bool is_pure(const bw_expr *e)
{
    if (!e)
        return true;
    switch (e->kind) {
    case BW_EX_ASSIGN:
    case BW_EX_STEP:
    case BW_EX_CALL: return false;
    case BW_EX_INTRINSIC:
        if (e->intrinsic != BW_IN_MIN && e->intrinsic != BW_IN_MAX && e->intrinsic != BW_IN_ABS &&
            e->intrinsic != BW_IN_POPC && e->intrinsic != BW_IN_SWIZZLE &&
            e->intrinsic != BW_IN_BREV && e->intrinsic != BW_IN_CLZ)
            return false;
        break;
    /* reading memory twice is two accesses */
    case BW_EX_DEREF:
    case BW_EX_INDEX: return false;
    default: break;
    }
    for (uint32_t i = 0; i < e->arg_count; i++)
        if (!is_pure(e->args[i]))
            return false;
    return is_pure(e->a) && is_pure(e->b) && is_pure(e->c);
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
    if (e->kind == BW_EX_BINARY && (e->op == BW_ADD || e->op == BW_SUB)) {
        add_factors(w, e->a, through, to, f);
        add_factors(w, e->b, through, to, f);
        return;
    }
    if (follow(f, e))
        for (size_t i = 0; i < w->setting_count; i++)
            if (w->settings[i].symbol == e->symbol)
                add_factors(w, w->settings[i].value, e->symbol, to, f);
    if (e->kind != BW_EX_BINARY || e->op != BW_MUL)
        return;
    const bw_expr *a = bw_bare(e->a), *b = bw_bare(e->b);
    const bw_expr *constant = bw_is_constant(b) ? b : bw_is_constant(a) ? a : NULL;
    if (constant && bw_type_is_integer(constant->type) && to->factor_count < BW_MAX_FACTORS)
        to->factors[to->factor_count++] =
            (bw_factor){.span = constant->span, .value = constant->integer, .through = through};
}

static const bw_expr *find_mixer(const bw_expr *e)
{
    if (!e || (e->kind == BW_EX_INTRINSIC && e->intrinsic == BW_IN_SWIZZLE))
        return e;
    const bw_expr *found = NULL;
    for (uint32_t i = 0; i < e->arg_count && !found; i++)
        found = find_mixer(e->args[i]);
    found = found ? found : find_mixer(e->a);
    found = found ? found : find_mixer(e->b);
    return found ? found : find_mixer(e->c);
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
        to.base = (uint8_t)(mixer->number & 0xff);
        to.bits = (uint8_t)(mixer->number >> 8 & 0xff);
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

/* Says nothing about where a pointer points: it is set from itself. */
static const bw_symbol neutral;

static const bw_symbol *target_of(const bw_uses_walk *w, const bw_expr *e, followed *f,
                                  bool *plain);

/* The one array that all settings of a pointer point into; NULL where there is none. */
static const bw_symbol *target_of_variable(const bw_uses_walk *w, const bw_expr *e, followed *f,
                                           bool *plain)
{
    const bw_symbol *all = &neutral;
    if (e->symbol->storage == BW_ST_SHARED)
        return e->symbol->type->kind == BW_TY_ARRAY ? e->symbol : NULL;
    if (e->symbol->type->kind != BW_TY_POINTER && !e->symbol->is_reference)
        return NULL;
    if (!follow(f, e))
        return f->count == MAX_FOLLOWED ? NULL : &neutral;
    bool set = false;
    for (size_t i = 0; i < w->setting_count; i++) {
        if (w->settings[i].symbol != e->symbol)
            continue;
        const bw_symbol *one = target_of(w, w->settings[i].value, f, plain);
        if (!one || (one != &neutral && all != &neutral && one != all))
            return NULL;
        all = one != &neutral ? one : all;
        set = true;
    }
    return set ? all : NULL;
}

static bool is_zero(const bw_expr *e)
{
    e = bw_bare(e);
    return e && bw_is_constant(e) && bw_type_is_integer(e->type) && e->integer == 0;
}

/* Of `&s[0]`, `s` as a pointer, `s[3]` as a pointer. */
static const bw_symbol *target_of_chain(const bw_uses_walk *w, const bw_expr *e, followed *f,
                                        bool *plain)
{
    const bw_expr *root = bw_root_of(e);
    if (!root || !root->symbol)
        return NULL;
    for (; e != root; e = e->a)
        *plain &= e->kind == BW_EX_DECAY || (e->kind == BW_EX_INDEX && is_zero(e->b));
    return target_of_variable(w, root, f, plain);
}

/* The shared array that a pointer points into, or NULL; *plain is cleared where that may be another
 * place than its beginning. */
static const bw_symbol *target_of(const bw_uses_walk *w, const bw_expr *e, followed *f, bool *plain)
{
    switch (e->kind) {
    case BW_EX_CAST: return target_of(w, e->a, f, plain);
    case BW_EX_COMMA: return target_of(w, e->b, f, plain);
    case BW_EX_DECAY:
    case BW_EX_ADDRESS: return target_of_chain(w, e->a, f, plain);
    case BW_EX_INDEX:
    case BW_EX_SYMBOL: return target_of_chain(w, e, f, plain);
    case BW_EX_BINARY:
        *plain = false;
        return target_of(w, e->a->type->kind == BW_TY_POINTER ? e->a : e->b, f, plain);
    case BW_EX_ASSIGN: *plain &= !e->has_op; return target_of(w, e->has_op ? e->a : e->b, f, plain);
    case BW_EX_COND: {
        const bw_symbol *b = target_of(w, e->b, f, plain), *c = target_of(w, e->c, f, plain);
        return b == c || c == &neutral ? b : b == &neutral ? c : NULL;
    }
    default: return NULL;
    }
}

const bw_symbol *bw_pointed_array(const bw_uses_walk *w, const bw_expr *pointer, bool *plain)
{
    followed f = {.count = 0};
    *plain = true;
    const bw_symbol *found = target_of(w, pointer, &f, plain);
    return found == &neutral ? NULL : found;
}

static bool same_shape(const bw_type *a, const bw_type *b)
{
    if (a->kind == BW_TY_ARRAY && b->kind == BW_TY_ARRAY)
        return a->count == b->count && same_shape(a->elem, b->elem);
    return a->kind != BW_TY_ARRAY && b->kind != BW_TY_ARRAY && a->size == b->size;
}

/* The array that a pointer or reference is another name of; NULL: none. */
const bw_symbol *bw_alias_of(const bw_uses_walk *w, const bw_expr *e)
{
    bool plain;
    const bw_type *type = e->symbol->type;
    if (e->symbol->storage == BW_ST_SHARED ||
        (type->kind != BW_TY_POINTER && !e->symbol->is_reference))
        return NULL;
    const bw_symbol *array = bw_pointed_array(w, e, &plain);
    if (!array || !plain)
        return NULL;
    bool same = type->kind == BW_TY_POINTER ? same_shape(type->elem, array->type->elem)
                                            : same_shape(type, array->type);
    return same ? array : NULL;
}

/* Whether each value of a variable ends in an index of the array. */
static bool is_own_of(const bw_uses_walk *w, const bw_symbol *variable, const bw_symbol *array,
                      followed *f)
{
    bw_expr e = {.kind = BW_EX_SYMBOL, .symbol = (bw_symbol *)variable};
    if (!follow(f, &e))
        return f->count < MAX_FOLLOWED;
    for (size_t i = 0; i < w->reference_count; i++) {
        const bw_symbol *owner = w->references[i].owner;
        if (w->references[i].symbol != variable || owner == array || owner == variable)
            continue;
        if (!owner || owner->storage == BW_ST_SHARED)
            return false;
        bw_expr next = {.kind = BW_EX_SYMBOL, .symbol = (bw_symbol *)owner};
        bool plain;
        if (owner->type->kind == BW_TY_POINTER ? bw_pointed_array(w, &next, &plain) != array
                                               : !is_own_of(w, owner, array, f))
            return false;
    }
    return true;
}

void bw_mark_own(const bw_uses_walk *w, const bw_symbol *array, bw_factor *factor)
{
    followed f = {.count = 0};
    factor->own = !factor->through || is_own_of(w, factor->through, array, &f);
}
