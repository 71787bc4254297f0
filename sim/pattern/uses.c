/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "uses_private.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Functions that are walked, and variables that are followed to what they were set to: more than
 * any hand-written index has. */
#define MAX_VISITED 256
#define MAX_FOLLOWED 64

/* What a variable is set to somewhere; one row an assignment. */
typedef struct setting {
    const bw_symbol *symbol;
    const bw_expr *value;
} setting;

typedef struct found_use {
    const bw_symbol *symbol;
    bw_use use;
} found_use;

typedef struct found_stride {
    const bw_symbol *symbol;
    bw_stride stride;
} found_stride;

/* A place that reads a variable, and what its value goes into there: an index of a shared array, or
 * another variable; NULL: something else. */
typedef struct reference {
    const bw_symbol *symbol, *owner;
} reference;

typedef struct walk {
    bw_arena *arena;
    const bw_source *source;
    setting *settings; /* malloc'd, as are the lists below */
    size_t setting_count, setting_capacity;
    found_use *uses;
    size_t use_count, use_capacity;
    bw_pointer_use *pointers;
    size_t pointer_count, pointer_capacity;
    found_stride *strides;
    size_t stride_count, stride_capacity;
    reference *references;
    size_t reference_count, reference_capacity;
    const bw_function *visited[MAX_VISITED];
    size_t visited_count;
    bool second;            /* the first pass gathers settings, the second looks at uses */
    const bw_expr *top;     /* the statement's whole expression */
    const bw_symbol *owner; /* where the value of the walked expression goes */
    bool handing, deriving; /* it is set to an alias; to a pointer into an array */
} walk;

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

static bool depends(const walk *w, const bw_expr *e, followed *f)
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

static bool by_lane(const walk *w, const bw_expr *e)
{
    followed f = {.count = 0};
    return depends(w, e, &f);
}

/* A swizzle, or an XOR of two values that both vary over the threads (a partner's index, as in
 * `i ^ step`, has one that does not). */
static bool mixes(const walk *w, const bw_expr *e, followed *f)
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

static const bw_expr *bare(const bw_expr *e)
{
    while (e && e->kind == BW_EX_CAST && bw_type_is_integer(e->type))
        e = e->a;
    return e;
}

static void add_factors(const walk *w, const bw_expr *e, const bw_symbol *through, bw_subscript *to,
                        followed *f)
{
    e = bare(e);
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
    const bw_expr *a = bare(e->a), *b = bare(e->b);
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

static bool named_tma(const walk *w, bw_span span)
{
    static const char name[] = "tma_swizzle_";
    return span.len > sizeof name && span.offset + span.len <= w->source->len &&
           memcmp(w->source->text + span.offset, name, sizeof name - 1) == 0;
}

static bw_subscript subscript_of(const walk *w, const bw_expr *e)
{
    bw_subscript to = {.span = e->span, .pure = is_pure(e), .by_lane = by_lane(w, e)};
    followed mixed = {.count = 0}, scaled = {.count = 0};
    to.swizzled = mixes(w, e, &mixed);
    const bw_expr *mixer = find_mixer(e), *top = bare(e);
    if (mixer) {
        to.mixer = mixer->span;
        to.base = (uint8_t)(mixer->number & 0xff);
        to.bits = (uint8_t)(mixer->number >> 8 & 0xff);
        to.tma = mixer == top && named_tma(w, mixer->span);
    }
    add_factors(w, e, NULL, &to, &scaled);
    return to;
}

/* ---- uses ---- */

static bool is_exact(const walk *w, const bw_symbol *s, bw_span span)
{
    size_t len = strlen(s->name);
    return span.len == len && span.offset + len <= w->source->len &&
           memcmp(w->source->text + span.offset, s->name, len) == 0;
}

/* The symbol at the bottom of a chain s[a][b].m[c], or NULL. */
static const bw_expr *root_of(const bw_expr *e)
{
    while (e && (e->kind == BW_EX_INDEX || e->kind == BW_EX_MEMBER || e->kind == BW_EX_DECAY))
        e = e->a;
    return e && e->kind == BW_EX_SYMBOL ? e : NULL;
}

/* ---- pointers into arrays ---- */

/* Says nothing about where a pointer points: it is set from itself. */
static const bw_symbol neutral;

static const bw_symbol *target_of(const walk *w, const bw_expr *e, followed *f, bool *plain);

/* The one array that all settings of a pointer point into; NULL where there is none. */
static const bw_symbol *target_of_variable(const walk *w, const bw_expr *e, followed *f,
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
    e = bare(e);
    return e && bw_is_constant(e) && bw_type_is_integer(e->type) && e->integer == 0;
}

/* Of `&s[0]`, `s` as a pointer, `s[3]` as a pointer. */
static const bw_symbol *target_of_chain(const walk *w, const bw_expr *e, followed *f, bool *plain)
{
    const bw_expr *root = root_of(e);
    if (!root || !root->symbol)
        return NULL;
    for (; e != root; e = e->a)
        *plain &= e->kind == BW_EX_DECAY || (e->kind == BW_EX_INDEX && is_zero(e->b));
    return target_of_variable(w, root, f, plain);
}

/* The shared array that a pointer points into, or NULL; *plain is cleared where that may be another
 * place than its beginning. */
static const bw_symbol *target_of(const walk *w, const bw_expr *e, followed *f, bool *plain)
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

static const bw_symbol *array_of(const walk *w, const bw_expr *pointer, bool *plain)
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
static const bw_symbol *alias_of(const walk *w, const bw_expr *e)
{
    bool plain;
    const bw_type *type = e->symbol->type;
    if (e->symbol->storage == BW_ST_SHARED ||
        (type->kind != BW_TY_POINTER && !e->symbol->is_reference))
        return NULL;
    const bw_symbol *array = array_of(w, e, &plain);
    if (!array || !plain)
        return NULL;
    bool same = type->kind == BW_TY_POINTER ? same_shape(type->elem, array->type->elem)
                                            : same_shape(type, array->type);
    return same ? array : NULL;
}

static void add_stride(walk *w, const bw_symbol *array, const bw_factor *factor, uint64_t unit,
                       bool is_constant)
{
    if (!unit || unit > UINT32_MAX)
        return;
    BW_GROW(w->strides, w->stride_count, w->stride_capacity);
    w->strides[w->stride_count++] = (found_stride){array, {*factor, (uint32_t)unit, is_constant}};
}

static bw_subscript subscript_of(const walk *w, const bw_expr *e);

/* The steps of `index` units from a pointer into the array. */
static void add_strides(walk *w, const bw_symbol *array, const bw_expr *index, uint64_t unit)
{
    const bw_expr *e = bare(index);
    if (bw_is_constant(e)) {
        bw_factor whole = {.span = e->span, .value = e->integer};
        add_stride(w, array, &whole, unit, true);
        return;
    }
    bw_subscript s = subscript_of(w, index);
    for (unsigned i = 0; i < s.factor_count; i++)
        add_stride(w, array, &s.factors[i], unit, false);
}

/* Whether each value of a variable ends in an index of the array. */
static bool is_own_of(const walk *w, const bw_symbol *variable, const bw_symbol *array, followed *f)
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
        if (owner->type->kind == BW_TY_POINTER ? array_of(w, &next, &plain) != array
                                               : !is_own_of(w, owner, array, f))
            return false;
    }
    return true;
}

static void mark_own(const walk *w, const bw_symbol *array, bw_factor *factor)
{
    followed f = {.count = 0};
    factor->own = !factor->through || is_own_of(w, factor->through, array, &f);
}

/* Reads the chain from the root outwards: subscripts first, then the first member. */
static void read_chain(const walk *w, const bw_expr *e, bw_use *use, bool *open)
{
    if (e->kind == BW_EX_SYMBOL)
        return;
    read_chain(w, e->a, use, open);
    if (e->kind == BW_EX_MEMBER && *open) {
        use->member = e->member->name;
        *open = false;
    } else if (e->kind == BW_EX_INDEX && *open && use->count < BW_MAX_DIMENSIONS) {
        use->subscripts[use->count++] = subscript_of(w, e->b);
    }
}

static void add_use(walk *w, const bw_expr *chain, const bw_expr *root, const bw_symbol *array,
                    bool reads, bool writes)
{
    bw_use use = {.name = root->span, .reads = reads, .writes = writes};
    bool open = true;
    read_chain(w, chain, &use, &open);
    use.exact = is_exact(w, root->symbol, root->span);
    use.handed = w->handing && !use.count;
    use.derived = w->deriving;
    if (array != root->symbol)
        use.alias = root->symbol->span;
    BW_GROW(w->uses, w->use_count, w->use_capacity);
    w->uses[w->use_count++] = (found_use){array, use};
}

static void add_reference(walk *w, const bw_expr *e)
{
    if (!w->second || !e->symbol)
        return;
    BW_GROW(w->references, w->reference_count, w->reference_capacity);
    w->references[w->reference_count++] = (reference){e->symbol, w->owner};
}

static void add_pointer_use(walk *w, const bw_expr *e)
{
    BW_GROW(w->pointers, w->pointer_count, w->pointer_capacity);
    w->pointers[w->pointer_count++] = (bw_pointer_use){e->span, subscript_of(w, e->b)};
}

/* ---- the walk ---- */

static void set(walk *w, const bw_symbol *symbol, const bw_expr *value)
{
    if (!symbol || !value || w->second)
        return;
    BW_GROW(w->settings, w->setting_count, w->setting_capacity);
    w->settings[w->setting_count++] = (setting){symbol, value};
}

static void walk_statement(walk *w, const bw_stmt *s);

static void walk_function(walk *w, const bw_function *f)
{
    for (size_t i = 0; i < w->visited_count; i++)
        if (w->visited[i] == f)
            return;
    if (!f || !f->body || w->visited_count == MAX_VISITED)
        return;
    w->visited[w->visited_count++] = f;
    walk_statement(w, f->body);
}

static void walk_expression(walk *w, const bw_expr *e, bool reads, bool writes);

/* Walks an expression whose value goes into `owner`. */
static void walk_into(walk *w, const bw_expr *e, const bw_symbol *owner)
{
    const bw_symbol *outer = w->owner;
    bool handing = w->handing, deriving = w->deriving;
    w->owner = owner;
    w->handing = w->deriving = false;
    walk_expression(w, e, true, false);
    w->owner = outer;
    w->handing = handing;
    w->deriving = deriving;
}

/* Walks what a variable is set to. */
static void walk_setting(walk *w, const bw_symbol *to, const bw_expr *e)
{
    const bw_symbol *outer = w->owner;
    bool handing = w->handing, deriving = w->deriving, plain = false;
    bw_expr name = {.kind = BW_EX_SYMBOL, .symbol = (bw_symbol *)to};
    w->handing = w->deriving = false;
    if (w->second && to && (to->type->kind == BW_TY_POINTER || to->is_reference)) {
        w->handing = alias_of(w, &name) != NULL;
        w->deriving = array_of(w, &name, &plain) != NULL;
    }
    w->owner = to;
    walk_expression(w, e, true, false);
    w->owner = outer;
    w->handing = handing;
    w->deriving = deriving;
}

/* The subscripts inside a chain are expressions of their own. */
static void walk_subscripts(walk *w, const bw_expr *e, const bw_symbol *array)
{
    for (; e->kind != BW_EX_SYMBOL; e = e->a)
        if (e->kind == BW_EX_INDEX)
            walk_into(w, e->b, array);
}

static bool walk_chain(walk *w, const bw_expr *e, bool reads, bool writes)
{
    const bw_expr *root = root_of(e);
    if (!root || !root->symbol)
        return false;
    const bw_symbol *array = root->symbol->storage == BW_ST_SHARED ? root->symbol
                             : w->second                           ? alias_of(w, root)
                                                                   : NULL;
    if (!array)
        return false;
    if (w->second)
        add_use(w, e, root, array, reads, writes);
    walk_subscripts(w, e, array);
    return true;
}

static void walk_call(walk *w, const bw_expr *e)
{
    const bw_function *f = e->function;
    for (uint32_t i = 0; i < e->arg_count; i++) {
        const bw_symbol *param = f && i < f->param_count ? f->params[i] : NULL;
        if (param)
            set(w, param, e->args[i]);
        if (e->args[i])
            walk_setting(w, param, e->args[i]);
    }
    walk_function(w, f);
}

static void walk_assignment(walk *w, const bw_expr *e)
{
    bool variable = e->a->kind == BW_EX_SYMBOL;
    bool plain, top = e == w->top;
    if (variable)
        set(w, e->a->symbol, e->has_op ? e : e->b);
    if (w->second && variable && e->has_op && e->a->type->kind == BW_TY_POINTER) {
        const bw_symbol *array = array_of(w, e->a, &plain);
        if (array)
            add_strides(w, array, e->b, e->a->type->elem->size);
    }
    if (!variable || e->a->symbol->storage == BW_ST_SHARED || !top)
        walk_expression(w, e->a, e->has_op, true);
    if (variable && top)
        walk_setting(w, e->a->symbol, e->b);
    else
        walk_into(w, e->b, NULL);
}

/* `p + n`, where p points into a shared array. */
static bool walk_pointer_sum(walk *w, const bw_expr *e)
{
    bool plain, deriving = w->deriving;
    if (!w->second || e->type->kind != BW_TY_POINTER || (e->op != BW_ADD && e->op != BW_SUB))
        return false;
    bool first = e->a->type->kind == BW_TY_POINTER;
    const bw_symbol *array = array_of(w, first ? e->a : e->b, &plain);
    if (!array)
        return false;
    add_strides(w, array, first ? e->b : e->a, e->type->elem->size);
    w->deriving = true;
    walk_expression(w, first ? e->a : e->b, true, false);
    w->deriving = deriving;
    walk_into(w, first ? e->b : e->a, array);
    return true;
}

/* `p[n]`, where p is no other name of a shared array. */
static void walk_pointer_index(walk *w, const bw_expr *e)
{
    bool plain, deriving = w->deriving;
    const bw_symbol *array = NULL;
    if (w->second && e->a->type->kind == BW_TY_POINTER) {
        add_pointer_use(w, e);
        array = array_of(w, e->a, &plain);
    }
    if (array)
        add_strides(w, array, e->b, e->type->size);
    w->deriving = array != NULL;
    walk_expression(w, e->a, true, false);
    w->deriving = deriving;
    walk_into(w, e->b, array);
}

static void walk_expression(walk *w, const bw_expr *e, bool reads, bool writes)
{
    if (!e || walk_chain(w, e, reads, writes))
        return;
    switch (e->kind) {
    case BW_EX_SYMBOL: add_reference(w, e); return;
    case BW_EX_ASSIGN: walk_assignment(w, e); return;
    case BW_EX_STEP:
        if (e != w->top || e->a->kind != BW_EX_SYMBOL)
            walk_expression(w, e->a, true, true);
        return;
    case BW_EX_ADDRESS: walk_expression(w, e->a, false, false); return;
    case BW_EX_DECAY: walk_expression(w, e->a, false, false); return;
    case BW_EX_CALL: walk_call(w, e); return;
    case BW_EX_INDEX: walk_pointer_index(w, e); return;
    case BW_EX_BINARY:
        if (walk_pointer_sum(w, e))
            return;
        break;
    default: break;
    }
    for (uint32_t i = 0; i < e->arg_count; i++)
        walk_expression(w, e->args[i], true, false);
    walk_expression(w, e->a, true, false);
    walk_expression(w, e->b, true, false);
    walk_expression(w, e->c, true, false);
}

/* A statement's own expression: its value goes nowhere. */
static void walk_top(walk *w, const bw_expr *e)
{
    w->top = e;
    walk_expression(w, e, true, false);
}

static void walk_statement(walk *w, const bw_stmt *s)
{
    for (; s; s = s->next) {
        walk_top(w, s->cond);
        walk_top(w, s->step);
        if (s->kind == BW_SM_DECLARE && s->expr) {
            set(w, s->symbol, s->expr);
            walk_setting(w, s->symbol, s->expr);
        } else {
            walk_top(w, s->expr);
        }
        walk_statement(w, s->init);
        walk_statement(w, s->body);
        walk_statement(w, s->other);
    }
}

/* ---- arrays ---- */

static void peel_dimensions(const bw_type **type, unsigned *dims, uint32_t dim[BW_MAX_DIMENSIONS])
{
    *dims = 0;
    while ((*type)->kind == BW_TY_ARRAY) {
        if (*dims < BW_MAX_DIMENSIONS)
            dim[*dims] = (*type)->count < 0 ? 0 : (uint32_t)(*type)->count;
        (*dims)++;
        *type = (*type)->elem;
    }
    if (*dims > BW_MAX_DIMENSIONS)
        *dims = 0;
}

static void fill_members(walk *w, bw_array *array, const bw_type *type)
{
    bw_array_member *members = bw_arena_alloc(w->arena, (type->member_count + 1) * sizeof *members);
    for (uint32_t i = 0; i < type->member_count; i++) {
        const bw_member *m = &type->members[i];
        const bw_type *elem = m->type;
        members[i] = (bw_array_member){
            .name = m->name, .offset = m->offset, .size = m->type->size, .align = m->type->align};
        peel_dimensions(&elem, &members[i].dims, members[i].dim);
        members[i].elem = elem->size;
        members[i].elem_type = bw_type_name(w->arena, elem);
    }
    array->members = members;
    array->member_count = type->member_count;
}

/* The name before a declared one: a typedef's name for a struct that has none of its own. */
static const char *word_before(const walk *w, uint32_t at)
{
    const char *text = w->source->text;
    while (at > 0 && isspace((unsigned char)text[at - 1]))
        at--;
    uint32_t end = at;
    while (at > 0 && (isalnum((unsigned char)text[at - 1]) || text[at - 1] == '_'))
        at--;
    return end > at ? bw_arena_copy(w->arena, text + at, end - at) : NULL;
}

static int by_offset(const void *left, const void *right)
{
    const bw_use *a = left, *b = right;
    return a->name.offset < b->name.offset ? -1 : a->name.offset > b->name.offset;
}

/* The uses of the variable declared at `span`; each place once. */
static void fill_uses(walk *w, bw_array *array)
{
    bw_use *uses = bw_arena_alloc(w->arena, (w->use_count + 1) * sizeof *uses);
    for (size_t i = 0; i < w->use_count; i++)
        if (w->uses[i].symbol->span.offset == array->span.offset) {
            bw_use *use = &uses[array->use_count++];
            *use = w->uses[i].use;
            for (unsigned k = 0; k < use->count; k++)
                for (unsigned n = 0; n < use->subscripts[k].factor_count; n++)
                    mark_own(w, w->uses[i].symbol, &use->subscripts[k].factors[n]);
        }
    if (array->use_count)
        qsort(uses, array->use_count, sizeof *uses, by_offset);
    unsigned kept = 0;
    for (unsigned i = 0; i < array->use_count; i++) {
        if (kept && uses[kept - 1].name.offset == uses[i].name.offset) {
            uses[kept - 1].reads |= uses[i].reads;
            uses[kept - 1].writes |= uses[i].writes;
        } else {
            uses[kept++] = uses[i];
        }
    }
    array->uses = uses;
    array->use_count = kept;
}

static void fill_strides(walk *w, const bw_symbol *symbol, bw_array *array)
{
    bw_stride *strides = bw_arena_alloc(w->arena, (w->stride_count + 1) * sizeof *strides);
    for (size_t i = 0; i < w->stride_count; i++) {
        if (w->strides[i].symbol != symbol)
            continue;
        strides[array->stride_count] = w->strides[i].stride;
        mark_own(w, symbol, &strides[array->stride_count++].factor);
    }
    array->strides = strides;
}

static const bw_symbol *symbol_at(const walk *w, bw_span span)
{
    for (size_t i = 0; i < w->use_count; i++)
        if (w->uses[i].symbol->span.offset == span.offset)
            return w->uses[i].symbol;
    return NULL;
}

static void fill_array(walk *w, const bw_shared_object *object, bw_array *array)
{
    *array = (bw_array){
        .name = object->name, .span = object->span, .base = object->offset, .bytes = object->size};
    const bw_symbol *s = symbol_at(w, object->span);
    if (!s)
        return;
    const bw_type *type = s->type;
    peel_dimensions(&type, &array->dims, array->dim);
    array->elem = type->size;
    array->align = type->align;
    array->elem_type = bw_type_name(w->arena, type);
    array->is_extern = s->is_extern;
    uint64_t inner = array->elem;
    for (unsigned i = 1; i < array->dims; i++)
        inner *= array->dim[i];
    if (array->dims && !array->dim[0] && inner)
        array->dim[0] = (uint32_t)(array->bytes / inner);
    if (type->kind == BW_TY_STRUCT && !type->is_vector) {
        array->struct_name = type->name ? type->name : word_before(w, array->span.offset);
        if (array->struct_name)
            fill_members(w, array, type);
    }
    fill_uses(w, array);
    fill_strides(w, s, array);
}

static int pointer_by_offset(const void *left, const void *right)
{
    const bw_pointer_use *a = left, *b = right;
    return a->span.offset < b->span.offset ? -1 : a->span.offset > b->span.offset;
}

bw_launch_uses bw_find_uses(bw_arena *arena, const bw_source *source, const bw_stmt *script,
                            const bw_function *kernel, const bw_code *code)
{
    walk w = {.arena = arena, .source = source};
    for (int pass = 0; pass < 2; pass++) {
        w.second = pass == 1;
        w.visited_count = 0;
        if (kernel)
            walk_function(&w, kernel);
        else
            walk_statement(&w, script);
    }
    bw_launch_uses found = {.known = true, .array_count = code->shared_count};
    found.arrays = bw_arena_alloc(arena, (found.array_count + 1) * sizeof *found.arrays);
    for (size_t i = 0; i < found.array_count; i++)
        fill_array(&w, &code->shared[i], &found.arrays[i]);
    if (w.pointer_count)
        qsort(w.pointers, w.pointer_count, sizeof *w.pointers, pointer_by_offset);
    found.pointer_count = w.pointer_count;
    found.pointers = bw_arena_alloc(arena, (w.pointer_count + 1) * sizeof *found.pointers);
    if (w.pointer_count)
        memcpy(found.pointers, w.pointers, w.pointer_count * sizeof *found.pointers);
    free(w.settings);
    free(w.uses);
    free(w.pointers);
    free(w.strides);
    free(w.references);
    return found;
}
